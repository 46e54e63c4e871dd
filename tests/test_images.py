"""Which images an answer has, by pages as scripts that load later, and themes, write them."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from cases import rows

from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.document.images import name_of

RAIN = "<p>It rained all day in the town, and nobody went out to look at the harbour.</p>" * 3
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def images(part: str, before: str = "", after: str = "") -> list[str]:
    """Return the paths of the images of an article with *part* in its middle."""
    html = f"{before}<main><h1>The rain</h1>{RAIN}{part}{RAIN}</main>{after}"
    found = extract(f"<body>{html}", extractor="mss", tag_score=-1.0, url="https://a.example/")
    return [image.src.removeprefix("https://a.example") for image in found.images]


@pytest.mark.parametrize(("image", "source"), rows("image_addresses"))
def test_the_largest_real_address_of_an_image(image: str, source: str) -> None:
    assert images(image) == [urljoin("/", source)] * bool(source)


LAZY = {name: cells for name, *cells in rows("lazy_images")}
"""The picture to be read, and how a page that loads it later has it."""


@pytest.mark.parametrize("name", LAZY)
def test_a_picture_is_read_once_and_its_preview_is_not(name: str) -> None:
    large, part = LAZY[name]
    assert images(part.replace("{pixel}", PIXEL)) == [large]


@pytest.mark.parametrize(("before", "after"), rows("images_outside"))
def test_images_outside_of_the_text_are_not_its_own(before: str, after: str) -> None:
    assert images("<p><img src=/pier.jpg></p>", before, after) == ["/pier.jpg"]


@pytest.mark.parametrize(
    "part",
    [
        "<div class=share><a href=/s><img src=/share.svg></a></div>",
        "<script>ads()</script><noscript><a href=/ad><img src=https://ads.example/1></a></noscript>",
        "<noscript><img src='https://count.example/hit?page=1'></noscript>",
        "<div><img src=/blank.gif><script src=/a.js></script><noscript><img src=/ad></noscript>",
    ],
)
def test_images_of_buttons_and_counters_are_left_out(part: str) -> None:
    assert images(part) == []


@pytest.mark.parametrize(
    ("image", "sign"),
    [
        ("<img src=/e/1f600.png class=wp-smiley alt=😀>", "😀 "),
        ("<img src=/smile.gif class=smilies alt=':-)'>", ":-) "),
        ("<img src=/wink.png class=emoji alt=':wink:'>", ""),
    ],
)
def test_an_emoji_is_a_character(image: str, sign: str) -> None:
    part = f"<p>We all liked it very much {image} and went home when the rain was over.</p>"
    assert images(part) == []
    found = extract(f"<main>{RAIN}{part}{RAIN}", extractor="mss", tag_score=-1.0)
    assert f"very much {sign}and went home" in found.markdown


def test_a_gallery_has_all_images() -> None:
    first = "<figure><img src=/harbour-1.jpg><figcaption>In May</figcaption></figure>"
    gallery = f"<figure>{first}<figure><img src=/harbour-2.jpg></figure></figure>"
    assert images(gallery) == ["/harbour-1.jpg", "/harbour-2.jpg"]


def test_the_image_that_a_page_declares_stands_before_its_text() -> None:
    declared = "<meta property=og:image content=https://a.example/harbour-1200x630.jpg>"
    hero = "<div class=wide><img src=/harbour.jpg></div><div><img src=/other.jpg></div>"
    assert images("", declared + hero) == ["/harbour.jpg"]


def test_signs_in_the_cells_of_a_table_are_no_copies() -> None:
    row = "<tr><td>Boat<td><img src=/yes-or-no.png><td><img src=/yes-or-no.png>"
    assert len(images(f"<table><tr><th>Name<th>A<th>B{row}{row}</table>")) == 4


@pytest.mark.parametrize(
    ("image", "written"),
    [
        ("<a href=/report><img src=/pier.jpg alt=Pier></a>",
         "[![Pier](https://a.example/pier.jpg)](https://a.example/report)"),
        ("<a href=/1><picture><img src=/a.jpg></picture> <img src=/b.jpg></a>",
         "[![](https://a.example/a.jpg)![](https://a.example/b.jpg)](https://a.example/1)"),
        ("<img src=/1*ab.png alt=Pier>", "![Pier](https://a.example/1*ab.png)"),
    ],
)  # fmt: skip
def test_images_in_markdown(image: str, written: str) -> None:
    page = f"<main>{RAIN}<p>{image}</p>{RAIN}</main>"
    found = extract(page, extractor="mss", tag_score=0.0, url="https://a.example/")
    assert f"\n\n{written}\n\n" in found.markdown


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/a/harbour-300x200.jpg", "/b/harbour.jpg.webp", True),
        ("/a/harbour.jpg?w=300&v=2", "/a/harbour.jpg?v=2&w=900", True),
        ("/thumb/300px-Harbour.jpg", "/Harbour.jpg", True),
        ("/a/harbour.jpg?id=1", "/a/harbour.jpg?id=2", False),
        ("/a/1.jpg", "/b/1.jpg", False),
        ("/harbour-1.jpg", "/harbour-2.jpg", False),
    ],
)
def test_names_of_pictures(one: str, other: str, same: bool) -> None:
    assert (name_of(one) == name_of(other)) is same
