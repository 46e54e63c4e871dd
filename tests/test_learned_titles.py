"""What a site teaches of its titles: the name that stands in most of them is not part of any."""

from __future__ import annotations

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.learn import LearningOptions, SiteLearner, SiteModel

METHOD = get_extractor("auto")
SITE = "blog.example"
NAME = "Notes from the garden"
TEXT = (
    "The harbour of {0} was built in 1874, when fishermen asked the village for a safe place. " * 6
)


def html(name: str, *, title: str = "", site: str = NAME, head: str = "") -> str:
    """Return a page with the name of the site and a word more above its title, as blogs have it."""
    title = title or f"{site} » Rain in {name}"
    return (
        f"<title>{title}</title>{head}<h1>{site}, daily</h1><div class=post><h2>Rain in {name}</h2>"
        f"<p>{TEXT.format(name)}</p></div>"
    )


def address(name: str) -> str:
    return f"https://{SITE}/posts/rain-in-{name.lower()}"


def page(name: str, **different: str) -> Page:
    return Page.parse(html(name, **different), url=address(name))


NAMES = "Oslo Lima Quito Cairo Paris Delhi Tokyo Seoul Accra Dakar".split()


def learned(pages: list[Page]) -> SiteLearner:
    learner = SiteLearner(LearningOptions(freeze_pages=100))
    for each in pages:
        learner.observe(each, METHOD.extract(each))
    return learner


def title(learner: SiteLearner, asked: Page) -> str:
    model = learner.model(SITE)
    return model.apply(asked, METHOD).title


def test_the_name_of_the_site_is_found_by_its_titles() -> None:
    asked = page("Porto")
    assert NAME in METHOD.extract(asked).title
    assert title(learned([page(name) for name in NAMES]), asked) == "Rain in Porto"


def test_pages_that_declare_their_title_teach_those_that_do_not() -> None:
    pages = [
        page(name, head=f"<meta property=og:title content='Rain in {name}'>" * (at % 2))
        for at, name in enumerate(NAMES)
    ]
    assert title(learned(pages), page("Porto")) == "Rain in Porto"


def test_one_page_cannot_name_the_site() -> None:
    pages = [page(name) for name in NAMES]
    poisoned = page("Rome", title="Rain in Porto » Rain in Porto", site="Rain in Porto")
    with_it, without = learned([*pages, poisoned]).model(SITE), learned(pages).model(SITE)
    assert with_it.title_parts == without.title_parts


def test_a_site_without_a_name_in_its_titles_changes_nothing() -> None:
    pages = [page(name, title=f"Rain in {name}") for name in NAMES]
    learner, asked = learned(pages), page("Porto", title="Rain in Porto")
    model = learner.model(SITE)
    assert not model.title_parts
    assert title(learner, asked) == METHOD.extract(asked).title


def test_a_model_keeps_what_it_knows_of_titles() -> None:
    model = learned([page(name) for name in NAMES]).model(SITE)
    assert model.title_parts
    assert SiteModel.from_bytes(model.to_bytes()) == model


def section(number: int, *, chapter: str = "") -> Page:
    """Return a section of a manual; below *chapter* if it is not the first of one."""
    name = f"How to mend net {number}"
    level = "h2" if chapter else "h3"
    return Page.parse(
        f"<title>{name}</title><div class=nav><table><tr><th>{chapter or name}</table></div>"
        f"<div class=section><{level} class=title>{name}</{level}><p>{TEXT.format(number)}</div>",
        url=f"https://{SITE}/manual/{number}",
    )


def test_the_name_of_a_chapter_is_not_taken_for_the_title_below_it() -> None:
    model = learned([section(number) for number in range(12)]).model(SITE)
    asked = section(20, chapter="Chapter 2. Nets and ropes")
    roles = {each.role: each.text for each in model.apply(asked, METHOD).segments}
    assert roles["title"] == "How to mend net 20"
    assert "Chapter" not in model.apply(asked, METHOD).text
