"""What a page shows of its product: price, availability and rating, near its title and a button.

They are read where nothing declares a price. A price counts only if a way to buy stands next to it,
so that the prices of an article, of teasers and of related products are none.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import scrapy_boilerplate.core.answer.metadata._evidence_native as native
from scrapy_boilerplate.core.answer.metadata.visible import Visible
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.tags import HEADINGS

OFFERED = ("price", "currency", "availability", "rating")
"""What is read where nothing declares a price."""
_NEAR_TITLE = 40  # blocks after the title in which a product is described before others are
_LONGEST = 80  # characters of a block that is a price, a state or a button rather than a sentence
_BEHIND = 3  # blocks after the button that belong to it
_MOST_WAYS = 2
"""Ways to buy on the page of one product: its button, and that of a bar. A list has more."""
_SIGNS = dict(
    each.split(":")
    for each in "$:USD US$:USD A$:AUD AU$:AUD C$:CAD CA$:CAD NZ$:NZD HK$:HKD NT$:TWD S$:SGD R$:BRL "
    "¥:JPY ￥:JPY 円:JPY 元:CNY ₹:INR Rs:INR ₽:RUB руб:RUB ₩:KRW 원:KRW ₺:TRY TL:TRY ₴:UAH грн:UAH "
    "€:EUR £:GBP ฿:THB ₫:VND ₪:ILS ₱:PHP zł:PLN Kč:CZK Ft:HUF lei:RON лв:BGN Rp:IDR RM:MYR "
    "kr:SEK".split()
)
_SIGNS |= {
    code: code
    for code in "EUR USD GBP CHF SEK NOK DKK PLN CZK HUF RON JPY CNY CAD AUD NZD BRL MXN ZAR INR "
    "RUB TRY AED".split()
}
_OF_LANGUAGES = {
    (sign, place): code
    for sign, place, code in map(
        str.split,
        "$ AU AUD,$ CA CAD,$ NZ NZD,$ MX MXN,$ AR ARS,$ CL CLP,$ CO COP,$ SG SGD,$ HK HKD,"
        "¥ zh CNY,￥ zh CNY,kr no NOK,kr nb NOK,kr nn NOK,kr da DKK,kr is ISK".split(","),
    )
}
"""Signs that mean another currency in a country or a language."""

_LONGEST_FIRST = sorted(_SIGNS, key=len, reverse=True)
_BEFORE = "|".join(rf"(?<!\w){re.escape(sign)}" for sign in _LONGEST_FIRST)
_AFTER = "|".join(
    # Letters are no part of a word, but for those of languages without spaces.
    re.escape(sign) + (r"(?!\w)" if sign[-1].isalpha() and sign[-1] < "\u3000" else "")
    for sign in _LONGEST_FIRST
)
_AMOUNT = r"\d{1,9}(?:[.,'’\s]\d{2,3}){0,4}"
_PRICE = re.compile(
    rf"(?P<before>{_BEFORE})\s?(?P<a>{_AMOUNT})(?![\d%])"
    rf"|(?<![\d.,])(?P<b>{_AMOUNT})(?:,[-–—])?\s?(?P<after>{_AFTER})"
)
_BUY = re.compile(  # in lower case, and words may begin within others: three times as fast
    r"(?:add(?: item)? to (?:my )?(?:cart|bag|basket|trolley)|buy (?:it )?now"
    r"|in den (?:waren)?korb|in den einkaufswagen|jetzt kaufen|ajouter au panier|acheter maintenant"
    r"|(?:añadir|agregar) al? (?:la )?(?:carrito|cesta)|comprar (?:ahora|agora|já)"
    r"|adicionar ao carrinho|aggiungi al carrello|acquista ora"
    r"|in (?:de )?winkel(?:wagen|mand)(?:je)?|dodaj do koszyka|do košíku|přidat do košíku|kosárba"
    r"|lägg i (?:varukorg|kundvagn)|læg i kurv|(?:legg|kjøp) i handlekurv|lisää ostoskoriin"
    r"|sepete ekle|în coș|в корзину|в кошик|купить|купити)(?!\w)"
    r"|カートに入れる|加入购物车|加入購物車|장바구니|أضف إلى السلة|הוסף לסל"
)
_BUY_WORDS = (
    "cart bag basket trolley buy korb korg wagen kaufen panier acheter carrito cesta comprar "
    "carrinho carrello acquista winkel koszyka košíku kosárba kundvagn kurv ostoskoriin sepete coș "
    "корзину кошик купи カート 购物车 購物車 장바구니 السلة לסל"
).split()  # one of these is in each way to buy
_ASCII_BUY_WORDS = [*filter(str.isascii, _BUY_WORDS)]
_GONE = re.compile(
    r"\b(?:out of stock|sold out|currently unavailable|ausverkauft|nicht (?:auf lager|verfügbar"
    r"|lieferbar)|épuisé|rupture de stock|agotado|esgotado|esaurito|uitverkocht|niet op voorraad"
    r"|нет в наличии|slutsåld|udsolgt|utsolgt|brak w magazynie|vyprodáno)(?!\w)|売り切れ|缺货|품절",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"\b(?:in stock|auf lager|sofort lieferbar|en stock|disponible|disponibile|em estoque"
    r"|op voorraad|в наличии|i lager|på lager|w magazynie|skladem)(?!\w)|在庫あり|有货|재고 있음",
    re.IGNORECASE,
)
_RATING = re.compile(
    r"(?<![\d.,])([0-5](?:[.,]\d{1,2})?)\s?(?:/|out of|von|sur|de|su|van|из|av|af|z)\s?5(?![\d.,])",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"(?:^|[\s_-])(?:old|was|compare|strike|rrp|msrp|regular|before|list)"
    r"(?=$|[\s_-]?(?:at|price|through))",
    re.IGNORECASE,
)  # classes of prices of other times


def price_in(text: str, language: str = "") -> tuple[str, str]:
    match = _PRICE.search(text)
    if match is None:
        return "", ""
    sign = match["before"] or match["after"]
    main, _, country = language.partition("-")
    known = (_OF_LANGUAGES.get((sign, each)) for each in (country.upper(), main.lower()))
    return amount(match["a"] or match["b"]), next(filter(None, known), _SIGNS[sign])


def amount(text: str) -> str:
    *whole, last = re.split(r"\D", text)
    is_fraction = whole and len(last) == 2 and text[-3] in ".,"
    return f"{''.join(whole)}.{last}" if is_fraction else "".join((*whole, last))


def visible_offer(visible: Visible, language: str) -> dict[str, tuple[Any, str]]:
    """Return price, currency, availability and rating of the page's product, with their source."""
    # The price is the first one between the title and the next heading, near a way to buy.
    page = visible.page
    spans = page.blocks[visible.title_block + 1 :][:_NEAR_TITLE]
    if visible.title < 0 or not spans.size:
        return {}
    said = page.written(visible.title_block + 1 + np.arange(len(spans)))
    lines = " ".join([each for each in said if len(each) <= _LONGEST]).lower()
    words = _ASCII_BUY_WORDS if lines.isascii() else _BUY_WORDS
    may_sell = any(map(lines.__contains__, words))
    if not (may_sell and _BUY.search(" ".join(lines.split()))):  # as on most pages
        return {}
    is_old = np.array([bool(_OLD.search(each[:200])) for each in page.strings])
    struck = page.has_tag(("del", "s", "strike")) | is_old[page.class_id]
    is_beside = visible.around & (native.BESIDE | native.IN_COMMENTS) > 0
    left_out = (is_beside | (page.count_above(struck) > 0))[page.text_parent]
    texts = [_short_text(page, start, stop, left_out) for start, stop in spans.tolist()]
    ways = [number for number, each in enumerate(texts) if _BUY.search(each.lower())]
    if not 0 < len(ways) <= _MOST_WAYS:
        return {}
    prices = (price_in(each, language) for each in texts[: ways[0] + _BEHIND + 1])
    at, (price, currency) = next(filter(lambda each: each[1][0], enumerate(prices)), (-1, ("", "")))
    if at < 0:
        return {}
    headings = page.first_text[page.has_tag(HEADINGS)]
    if ((headings > visible.title) & (headings <= spans[at][0])).any():
        return {}  # it is the price of a teaser
    near = " | ".join(texts[: max(at, ways[0]) + 1 + _BEHIND])
    rating = _RATING.search(near)
    states = (("OutOfStock", _GONE), ("InStock", _THERE))
    found = {
        "price": price,
        "currency": currency,
        "availability": next((name for name, words in states if words.search(near)), ""),
        "rating": rating[1].replace(",", ".") if rating else "",
    }
    return {name: (value, "text") for name, value in found.items() if value}


def _short_text(page: Page, start: int, stop: int, left_out: Bool) -> str:
    kept = [number for number in range(start, min(stop, start + _LONGEST)) if not left_out[number]]
    text = " ".join("".join(map(page.text, kept)).split())
    return text if len(text) <= _LONGEST else ""
