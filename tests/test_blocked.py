"""Pages that stand in place of another, as services write them, in many languages."""

from __future__ import annotations

import pytest
from cases import BLOCKED, rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Page, explain, extract
from scrapy_boilerplate.core.page import wall_words

MENU = "".join(f"<a href=/{n}>Section {n}</a> " for n in range(6))
BANNER = (
    "<div id=onetrust-consent-sdk><p>We use "
    "cookies, and our partners use cookies.</p><button>Accept"
    "</button></div>"
)
SHORT = (
    "<h1>Bridge closed</h1><p>The old bridge over the river is closed until Monday, said the mayor."
)
NOT_BLOCKED = {
    "a short article": f"{MENU}{SHORT}",
    "with a banner": f"{MENU}{SHORT * 4}{BANNER}",
    "about JavaScript": f"{MENU}<h1>JavaScript</h1><p>JavaScript has closures, and this is one.",
    "about robots": f"{MENU}<h1>Robots</h1><p>The robot that builds cars is a kind of robot.",
    "with a login in its margin": f"{MENU}<aside><form><input type=password><button>Login</button>"
    f"</form></aside><article>{SHORT * 8}</article>",
    "with a test in its form": f"{MENU}{SHORT * 4}<form><div class=g-recaptcha></div></form>",
    "that loads itself again": f"<meta http-equiv=refresh content=300>{MENU}{SHORT}",
    "with a captcha of its guestbook": "<title>Guestbook</title><h1>Guestbook</h1><p>Lovely hill, "
    "we will come back with the whole family in autumn.<form>Please enter the characters: <input "
    "class=captcha></form>",
    "about an administration": "<title>Zugriff verweigert</title><h1>Zugriff verweigert: Dorf "
    "sperrt die Quelle</h1><p>Die Administration des Dorfes hat am Montag die Quelle gesperrt.",
    "about what was verified": "<title>新药完成临床验证</title><h1>新药完成临床验证</h1>"
    "<p>研究小组周一表示，新药已在三家医院完成验证，结果将于年底公布。",
    "about domains": f"<h1>Domains</h1>{SHORT * 20}<p>This domain is for sale.",
}


@pytest.mark.parametrize("html", BLOCKED.values(), ids=BLOCKED)
def test_what_stands_in_place_of_a_page_is_blocked(html: str) -> None:
    for name in ("auto", "mss"):
        found = extract(html, extractor=name)
        assert (found.kind, found.text) == ("blocked", "")
        assert not found.is_one_text


@pytest.mark.parametrize("html", NOT_BLOCKED.values(), ids=NOT_BLOCKED)
def test_a_page_with_a_text_of_its_own_is_not_blocked(html: str) -> None:
    assert extract(html).kind != "blocked"
    assert Page.parse(html).block is None


SHORT_PAGES = rows("short_pages")
"""Title and text of pages that have words of walls, in many languages."""

LOGIN = "<form><input name=u> <input type=password><button>Log in</button></form>"
FRAMES = {
    "plain": "<title>{0}</title><h1>{0}</h1><p>{1}</p>",
    "fragment": "<p>{1}</p>",
    "login in the header": "<title>{0}</title><header>" + LOGIN + "</header><h1>{0}</h1><p>{1}</p>",
    "login above": "<title>{0}</title><div class=top>" + LOGIN + "</div><h1>{0}</h1><p>{1}</p>",
    "banner": "<title>{0}</title><h1>{0}</h1><p>{1}</p>" + BANNER,
    "captcha": "<h1>{0}</h1><p>{1}</p><form><textarea></textarea><i class=g-recaptcha></i></form>",
    "noscript": "<noscript>Please enable JavaScript.</noscript><h1>{0}</h1><p>{1}</p>",
}


@pytest.mark.parametrize("frame", FRAMES)
def test_no_short_page_of_text_is_blocked(frame: str) -> None:
    pages = (Page.parse(FRAMES[frame].format(*page)) for page in SHORT_PAGES)
    assert not [(page.buffer, page.block) for page in pages if page.block is not None]


@pytest.mark.parametrize("html", BLOCKED.values(), ids=BLOCKED)
def test_two_signs_tell_a_blocked_page_and_explain_names_them(html: str) -> None:
    block = Page.parse(html).block
    assert len(set(block.signs)) > 1
    for each in explain(html):
        assert not each.kept
        assert all(sign in each.reason for sign in block.signs)


@pytest.mark.parametrize("name", ["auto", "mss", "energy"])
def test_an_option_reads_a_blocked_page_like_any_other(name: str) -> None:
    html = BLOCKED["denied, Japanese"]
    assert extract(html, extractor=name).kind == "blocked"
    found = extract(html, extractor=name, blocked=False)
    assert found.kind != "blocked"
    assert found.extractor == name
    assert found == extract(Page.parse(html).unblocked(), extractor=name)
    reasons = [each.reason for each in explain(html, extractor=name, blocked=False)]
    assert not any("seems blocked" in reason for reason in reasons)


@pytest.mark.parametrize("name", ["challenge", "parked", "script"])
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_no_demand_does_without_the_words_that_it_is_looked_for_by(
    name: wall_words.BlockName, data: st.DataObject
) -> None:
    demand = wall_words.DEMANDS[name]
    said = data.draw(st.from_regex(demand)).lower()
    assert not demand.search(said) or any(each in said for each in wall_words.NEEDED)
