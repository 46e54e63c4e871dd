"""Prices that a page shows and does not declare."""

from __future__ import annotations

import pytest
from cases import rows

from scrapy_boilerplate import extract

TEXT = (
    "<p>It is made of oak that grew in our own wood, and it will stay with you for a life. </p>" * 4
)
MORE = "<h2>You may like</h2><div><h3>Stool</h3><p>$ 5.00</p><button>Add to cart</button></div>"


def shop(price: str, buy: str, more: str = MORE, lang: str = "en") -> str:
    menu = "<nav><a href=/>Shop</a> <a href=/cart>Cart: $ 0.00</a></nav>"
    body = f"<h1>Table of oak</h1><p>{price}</p><button>{buy}</button>{TEXT}{more}"
    return f"<html lang={lang}><title>Table of oak</title><body>{menu}<main>{body}</main>"


@pytest.mark.parametrize(("price", "buy", "lang", "amount", "currency"), rows("offers"))
def test_a_price_beside_a_way_to_buy(
    price: str, buy: str, lang: str, amount: str, currency: str
) -> None:
    metadata = extract(shop(price, buy, lang=lang)).metadata
    assert (metadata.price, metadata.currency) == (amount, currency)
    assert metadata.sources["price"] == metadata.sources["currency"] == "text"


@pytest.mark.parametrize(
    ("state", "availability", "rating"),
    [
        ("In stock · 4.6 out of 5", "InStock", "4.6"),
        ("Nicht auf Lager, 4,5 von 5 Sternen", "OutOfStock", "4.5"),
        ("Comes in five colours", "", ""),
    ],
)
def test_availability_and_rating(state: str, availability: str, rating: str) -> None:
    metadata = extract(shop(f"$ 20<br><br>{state}", "Add to cart")).metadata
    assert (metadata.price, metadata.availability, metadata.rating) == ("20", availability, rating)


@pytest.mark.parametrize(
    "page",
    [
        shop("Ask us", "Write to us"),
        shop("Ask us", "Add to cart"),  # the price below is that of another
        shop("$ 20", "Write to us", more=""),
        shop("$ 20", "Add to cart").replace("$", "No"),
        shop("The tax rose by $ 20, and people said that this was too much. " * 2, "Buy now"),
    ],
)  # fmt: skip
def test_other_amounts_are_no_price(page: str) -> None:
    metadata = extract(page).metadata
    assert (metadata.price, metadata.currency) == ("", "")


def test_a_list_has_no_price() -> None:
    items = "".join(
        f"<p>Table {n}</p><p>$ {n}.00</p><button>Add to cart</button>" for n in range(5)
    )
    assert not extract(f"<title>Tables</title><h1>Tables</h1>{items}").metadata.price


def test_a_declared_price_wins() -> None:
    declared = "<meta property=product:price:amount content=19.00>"
    metadata = extract(
        shop("$ 20", "Add to cart").replace("<title>", f"{declared}<title>")
    ).metadata
    assert (metadata.price, metadata.currency) == ("19.00", "")
