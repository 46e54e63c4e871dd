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


@pytest.mark.parametrize(("before", "part", "after", "expected"), rows("images_of_the_text"))
def test_images_of_the_text(before: str, part: str, after: str, expected: str) -> None:
    """Not those around it, of buttons and of counters; all of a gallery and a table."""
    assert images(part, before, after) == expected.split()


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
