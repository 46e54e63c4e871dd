"""Small sites made by rule: articles, tag pages, boxes that repeat, comments, two templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.auto.answers import weigh_evidence
from scrapy_boilerplate.core.methods.base import Extractor, Verdict, Weighed
from scrapy_boilerplate.core.page.arrays import Bool, Float
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.learn import SiteLearner, SiteModel

METHOD = get_extractor("mss-tuned")
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
MOST_READ = "<div class=mostread><h3>Most read</h3><ul>{}</ul></div>"


@dataclass(frozen=True)
class Made:
    """A page and the text that it is there for."""

    url: str
    html: str
    gold: str

    def page(self) -> Page:
        return Page.parse(self.html, url=self.url)


class Site:
    """Makes pages; the same seed and number make the same page."""

    def __init__(
        self,
        host: str = "news.example",
        seed: int = 0,
        container: str = "story",
        main: str = "main",
        menu: str = "menu",
    ) -> None:
        self.host = host
        self.main = main
        self.menu = menu
        self.seed = seed
        self.container = container
        words = Random(seed)
        self.headlines = [self._sentence(words, 9) for _ in range(5)]

    def _sentence(self, random: Random, words: int) -> str:
        made = ("".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(words))
        return " ".join(made).capitalize() + "."

    def paragraphs(self, number: int, count: int = 6) -> list[str]:
        random = Random(f"{self.seed} {number}")
        return [
            " ".join(self._sentence(random, random.randint(8, 16)) for _ in range(3))
            for _ in range(count)
        ]

    def title(self, number: int) -> str:
        return self._sentence(Random(f"title {self.seed} {number}"), 6)

    def _frame(self, title: str, body: str) -> str:
        menu = "".join(f"<li><a href=/{w}>{w.title()}</a>" for w in ("home", "sport", "culture"))
        return (
            f"<!DOCTYPE html><title>{title} - {self.host}</title>"
            f"<body><ul id={self.menu}>{menu}</ul><div id={self.main}>{body}</div>"
            "<div id=foot><p>All rights reserved by the publisher of this site, who is not "
            "answerable for what others say on it or link to from it.</p></div>"
        )

    def article(self, number: int, *, comments: int | None = None, path: str = "article") -> Made:
        """Return an article with a box of headlines below it, and readers' comments."""
        paragraphs, title = self.paragraphs(number), self.title(number)
        random = Random(f"comments {self.seed} {number}")
        several = random.randint(0, 3) if comments is None else comments
        said = "".join(f"<li><p>{self._sentence(random, 30)}</p>" for _ in range(several))
        headlines = "".join(f"<li>{line}" for line in self.headlines)
        html = self._frame(
            title,
            f"<h1 class=headline>{title}</h1><div class={self.container}>"
            + "".join(f"<p>{text}</p>" for text in paragraphs)
            + MOST_READ.format(headlines)
            + f"</div><ol class=comments>{said}</ol>",
        )
        return Made(f"https://{self.host}/{path}/{number}", html, "\n\n".join([title, *paragraphs]))

    def tag_page(self, number: int, entries: int = 6) -> Made:
        """Return a page that lists articles, each with its first paragraph."""
        listed = range(10 * number, 10 * number + entries)
        teasers = "".join(
            f"<div class={self.container}><h2><a href=/article/{n}>{self.title(n)}</a></h2>"
            f"<p>{self.paragraphs(n)[0]}</p></div>"
            for n in listed
        )
        name = f"Tag {self._sentence(Random(f'tag {number}'), 2)}"
        return Made(f"https://{self.host}/tag/{number}", self._frame(name, teasers), "")

    def notice(self, number: int, words: int = 16, heading: str = "") -> Made:
        """Return a page of the site's frame with three short texts, in none of its containers."""
        random = Random(f"notice {self.seed} {number}")
        told = [self._sentence(random, words) for _ in range(3)]
        body = "".join(f"<li class=feature><h3>{text[:9]}</h3><p>{text}</p>" for text in told)
        html = self._frame(
            heading or "Welcome", f"{heading and f'<h2>{heading}</h2>'}<ul>{body}</ul>"
        )
        return Made(f"https://{self.host}/notice/{number}", html, "\n\n".join(told))

    def pages(self, articles: int, tags: int = 0) -> list[Made]:
        """Return so many articles and tag pages, mixed."""
        made = [self.article(n) for n in range(articles)]
        made += [self.tag_page(n + 50) for n in range(tags)]
        Random(self.seed).shuffle(made)
        return made


class Weighing(Extractor):
    """A method that weighs what the site says against its own probabilities."""

    name = "weighing"
    weighs = True

    def judge(self, page: Page) -> Verdict:
        return METHOD.judge(page)

    def weigh(self, page: Page, scores: Float, kept: Bool, evidence: Float) -> Weighed:
        choice = weigh_evidence(scores, page.per_block(page.words), kept, evidence)
        return Weighed(choice.keep, choice.expected)


def believed(page: Page, alone: Extraction, probability: float) -> Extraction:
    """Return an answer that is so sure of each block, kept or not."""
    kept = page.per_block(page.words * alone.kept(page)) > 0
    scores = np.where(kept, probability, 1 - probability).astype(np.float32)
    return alone.replace(block_scores=scores)


def single(made: Made) -> tuple[Page, Extraction]:
    """Return the page and what the single-page method finds on it."""
    page = made.page()
    return page, METHOD.extract(page)


def taught(pages: list[Made], learner: SiteLearner | None = None) -> SiteLearner:
    """Return a learner that has seen *pages*."""
    learner = SiteLearner() if learner is None else learner
    for made in pages:
        learner.observe(*single(made))
    return learner


@cache
def learned(articles: int, tags: int = 0) -> SiteModel:
    """Return what so many pages of the site that is made by default teach."""
    made = Site()
    model = taught(made.pages(articles, tags)).model(made.host)
    assert model is not None
    return model


def f1(answer: str, gold: str) -> float:
    """Return the word F1 of an answer."""
    ours, theirs = Counter(tokens(answer)), Counter(tokens(gold))
    if not theirs:
        return float(not ours)
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def scores(learner: SiteLearner, tested: list[Made]) -> Iterator[tuple[float, float]]:
    """Yield the F1 of each page without and with the learner's model."""
    for made in tested:
        page, extraction = single(made)
        model = learner.model(learner.site_of(page))
        answer = model.apply(page, METHOD).text if model else extraction.text
        yield f1(extraction.text, made.gold), f1(answer, made.gold)
