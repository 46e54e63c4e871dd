"""Writes ``portal/``: the Rust blog's articles in the template of a news portal.

Around each article stand a menu, teasers, a "most read" box that is the same on every page, and
comments; tag pages hold nothing but teasers. After a change run ``python make_portal.py`` again;
it writes into another folder if you name one.
"""

from __future__ import annotations

import html
import random
import sys
from pathlib import Path
from typing import NamedTuple

from lxml import etree
from lxml import html as lxml_html

HERE = Path(__file__).parent
TAGS = ("compiler", "community", "releases", "governance", "tools")
NAMES = ("ferris42", "A. Reader", "old_hand", "Ines", "tokioite", "B. Checker", "null_pointer")
COMMENTS = (
    "I have waited for this for years, and now that it is here I hardly dare to touch it.",
    "Does anybody know whether this works on older machines as well? Mine is from 2009.",
    "First paragraph: agreed. Second paragraph: agreed. Third paragraph: where did it go?",
    "We moved our whole service over last month and nobody noticed, which is a compliment.",
    "Thank you to everyone who worked on this, above all to those who wrote the documentation.",
    "Could the next post explain how this compares with what other languages do here?",
    "I printed this out and pinned it to the door of the office. The door compiles now.",
    "The link in the middle of the article points to last year's page, by the way.",
)


class Article(NamedTuple):
    """A post of the Rust blog."""

    name: str
    title: str
    lead: str
    """First sentence, without the mark at its end."""
    paragraphs: list[str]
    """Their markup, with the links, code and emphasis of the source."""
    tags: list[str]


def read_articles() -> list[Article]:
    """Return the posts that have a few paragraphs of running text."""
    articles = []
    blog = HERE / "rust-blog"
    for path in sorted(blog.rglob("*.html")):
        page = lxml_html.fromstring(path.read_text(encoding="utf-8"))
        # Links into the blog lead to the blog, not to pages that the portal does not have.
        page.make_links_absolute(f"https://blog.rust-lang.org/{path.relative_to(blog).as_posix()}")
        paragraphs = [p for p in page.cssselect("div.post > p") if len(p.text_content()) > 80]
        if len(paragraphs) >= 4:
            articles.append(
                Article(
                    name=f"{path.stem.lower()}.html",
                    title=page.findtext(".//title", "").partition("|")[0].strip(),
                    lead=first_sentence(paragraphs[0].text_content()),
                    paragraphs=[
                        etree.tostring(p, encoding="unicode", method="html", with_tail=False)
                        for p in paragraphs[:12]
                    ],
                    tags=random.Random(path.name).sample(TAGS, 2),
                )
            )
    return articles


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without the mark at its end."""
    return " ".join(text.split()).partition(". ")[0].rstrip(".:")


def teaser(article: Article) -> str:
    """Return headline and first sentence of an article."""
    return (
        f'<div class="teaser"><h3><a href="/{article.name}">{html.escape(article.title)}</a></h3>'
        f"<p>{html.escape(article.lead)}.</p></div>\n"
    )


def layout(title: str, main: str, articles: list[Article]) -> str:
    """Return a whole page of the portal."""
    menu = "".join(f'<li><a href="/tag/{tag}.html">{tag.title()}</a></li>' for tag in TAGS)
    most_read = "".join(map(teaser, articles[:5]))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)} - The Portal</title></head>
<body>
<header class="top"><a href="/">The Portal</a><ul class="menu">{menu}</ul></header>
<div class="columns">
{main}
<aside class="most-read"><h2>Most read</h2>
{most_read}</aside>
</div>
<footer>The Portal is made up. Subscribe to our newsletter, it does not exist either.</footer>
</body></html>
"""


def article_page(article: Article, articles: list[Article]) -> str:
    """Return the page of an article, with teasers and comments."""
    rng = random.Random(article.name)
    text = "\n".join(article.paragraphs)
    related = "".join(map(teaser, rng.sample(articles, 3)))
    comments = "".join(
        f'<div class="comment"><b>{name}</b> <p>{comment}</p></div>\n'
        for name, comment in zip(rng.sample(NAMES, 3), rng.sample(COMMENTS, 3), strict=True)
    )
    main = f"""<div class="story"><h1 class="headline">{html.escape(article.title)}</h1>
<div class="body">
{text}
</div>
<div class="related"><h2>More on this</h2>
{related}</div>
<div class="comments"><h2>What our readers say</h2>
{comments}</div>
</div>"""
    return layout(article.title, main, articles)


def main(target: Path) -> None:
    """Write all pages."""
    articles = read_articles()
    (target / "tag").mkdir(parents=True, exist_ok=True)
    for article in articles:
        (target / article.name).write_text(article_page(article, articles), encoding="utf-8")
    for tag in TAGS:
        listed = "".join(teaser(article) for article in articles if tag in article.tags)
        page = layout(tag.title(), f'<div class="listing"><h1>{tag}</h1>\n{listed}</div>', articles)
        (target / "tag" / f"{tag}.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else HERE / "portal")
