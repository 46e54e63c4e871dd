"""The inspector without a browser: what it shows, who it answers, what it writes."""

from __future__ import annotations

import gzip
import http.client
import json
import pickle
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import processes
import pytest
from generated_sites import Site
from lxml import html as lxml_html
from markup import HOSTILE
from mockserver import MockServer, serving
from storing import learner

from scrapy_boilerplate import Comparison, Page, compare, explain, extract, get_extractor
from scrapy_boilerplate.core.answer.overlay import POLICY, marked_page
from scrapy_boilerplate.learn import load_models
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.inspector import Inspected, InspectorServer, inspector_html
from scrapy_boilerplate.tools.inspector.page_view import policy
from scrapy_boilerplate.tools.inspector.proposals import selectors_for
from scrapy_boilerplate.tools.inspector.session import Session
from scrapy_boilerplate.tools.rows import InputPage
from scrapy_boilerplate.tools.testing.timing import PATIENCE

HTML = """<!DOCTYPE html><title>Rain - The Town</title><ul class=menu><li><a href=/>Home</a></ul>
<div class="story post-1234"><h1>Rain</h1><p>It rained all day in the town, and nobody went out.</p>
<p class=ad>Buy an umbrella now, it is the best that there is in town.</p>
<p>The river rose, and the people looked at it from their windows all day long.</p></div>
<div id=foot>Imprint</div>"""


def data_of(document: str) -> dict[str, Any]:
    (found,) = lxml_html.fromstring(document).xpath("//script[@id='data']/text()")
    loaded: dict[str, Any] = json.loads(found)
    return loaded


# -- what is shown -------------------------------------------------------------------------------


def test_the_file_holds_every_method_with_its_reasons() -> None:
    page = Page.parse(HTML, url="https://a.example/rain")
    data = data_of(inspector_html(Inspected(page, "rain.html")))
    assert (data["method"], data["texts"]) == ("auto", page.text_at.size)
    assert {"mss", "energy", "links", "bte", "web2text", "auto"} <= set(data["methods"])
    answer = extract(page)
    shown = data["methods"]["auto"]
    assert (shown["text"], shown["markdown"]) == (answer.text, answer.markdown)
    for method in data["methods"].values():
        stops = [0, *(block[1] for block in method["blocks"])]
        assert [block[0] for block in method["blocks"]] == stops[:-1]
        assert stops[-1] == page.text_at.size
    start, stop, kept, role, _, reason, xpath, text = shown["blocks"][1]
    assert (kept, role, text) == (True, "title", "Rain")
    assert "probability" in reason
    assert page.root.xpath(xpath)[0].tag == "h1"
    assert "Rain" in page.lay_out(start, stop)
    assert data["metadata"]["title"] == "Rain"
    assert data["sources"]["title"] == "h1"
    assert data["images"] == data["sheets"] == 0
    more = "<picture><img src=a.png></picture><img src=b.png><link rel=stylesheet href=a.css>"
    shown = Inspected(Page.parse(HTML + more), "x").data()
    assert (shown["images"], shown["sheets"]) == (2, 1)  # the inspector says that it dropped them
    assert data["site"] is None


def test_what_is_known_of_the_site_is_shown() -> None:
    pages = [InputPage(made.html.encode(), made.url, name=made.url) for made in Site().pages(10)]
    session = Session([*pages, InputPage(b"<p>Text", "https://other.example/", name="x")])
    data = data_of(inspector_html(session.inspected()))
    assert data["method"] == "auto + site"
    assert (data["site"]["key"], data["site"]["state"]) == ("news.example", "learned")
    assert data["site"]["elsewhere"] == ["x"]
    assert "div.story (10 pages)" in dict(data["site"]["facts"])["containers"]
    assert [name for name, _ in data["site"]["pages"]] == [page.name for page in pages[1:]]
    reasons = [block[5] for block in data["methods"]["auto + site"]["blocks"]]
    assert any(reason.startswith("site: outside the site's container") for reason in reasons)


def test_nothing_of_a_hostile_page_is_in_the_document_but_as_text() -> None:
    page = Page.parse(HOSTILE + "</script><script>run()</script>", url="https://a.example/\"'<b>")
    page_title = "</title><script>run()</script>"
    page.root.insert(0, lxml_html.fromstring(f"<p>{'x' * 10}</p>"))
    written = inspector_html(Inspected(page, page_title))
    document = lxml_html.fromstring(written)
    scripts = document.xpath("//script")
    assert [script.get("id") for script in scripts] == ["data", None]
    assert "run()" not in scripts[1].text
    assert "<" not in scripts[0].text
    assert not document.xpath("//@href | //@src | //@srcdoc | //@*[starts-with(name(), 'on')]")
    (frame,) = document.xpath("//iframe")
    assert frame.get("sandbox") == "allow-same-origin"  # without allow-scripts nothing runs in it
    (meta,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert meta == policy()
    assert meta.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in meta.partition("style-src")[0]
    inner = lxml_html.fromstring(data_of(written)["page"])
    assert not inner.xpath("//script | //iframe | //form | //@href | //@src")


# -- rules ---------------------------------------------------------------------------------------


def test_selectors_are_by_template_by_id_and_by_place() -> None:
    page = Page.parse(HTML)
    texts = [page.lay_out(at, at + 1).strip() for at in range(page.text_at.size)]
    ad, foot = (next(i for i, t in enumerate(texts) if t.startswith(w)) for w in ("Buy", "Impr"))
    assert selectors_for(page, ad, ad + 1) == [
        ("div.story > p.ad", 1),
        ("/html/body/div[1]/p[2]", 1),
        ("div.story", 1),
        ("/html/body/div[1]", 1),
    ]
    assert selectors_for(page, foot, foot + 1) == [("div#foot", 1)]
    for start, stop in ((-1, 1), (3, 3), (0, 99)):
        with pytest.raises(ValueError, match="does not contain this text"):
            selectors_for(page, start, stop)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    pages = [
        InputPage(HTML.replace("river", f"river {number}").encode(), url, name=f"{number}.html")
        for number, url in enumerate(f"https://a.example/{number}" for number in range(3))
    ]
    return Session(pages, method=get_extractor("bte"), rules=str(tmp_path / "rules.json"))


def test_the_effect_is_shown_before_a_rule_is_saved(session: Session, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"page": 0, "what": "drop", "selector": "p.ad"}
    found = session.effect(**asked)
    assert (found["changed"], found["total"]) == (3, 3)
    name, before, after, sample = found["pages"][0]
    assert (name, before - after, sample[:6]) == ("0.html", 13, "Buy an")
    assert not (tmp_path / "rules.json").exists()
    session.save(**asked)
    session.save(page=0, what="keep", selector="#foot")
    (model,) = load_rules(str(tmp_path / "rules.json")).values()
    assert (model.site, model.rule.drop, model.rule.keep) == ("a.example", ("p.ad",), ("#foot",))
    assert not model.is_learned
    assert session.effect(**asked)["changed"] == 0  # it is in the rules now
    session.save(page=0, what="keep", selector="p.ad")  # a change of mind
    (model,) = load_rules(str(tmp_path / "rules.json")).values()
    assert (model.rule.drop, model.rule.keep) == ((), ("#foot", "p.ad"))
    shown = session.inspected(1)
    assert shown.site.state in ("not learned, with a manual rule", "learned, with a manual rule")


def test_a_rule_joins_those_that_are_there(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(
        '[{"site": "b.example", "containers": ["main"]}, {"site": "a.example",'
        ' "containers": ["div.story"], "drop": ["nav"]}]'
    )
    session.save(page=0, what="drop", selector="p.ad")
    rules = load_models(path.read_text())
    assert rules["b.example"].rule.containers == ("main",)
    assert rules["a.example"].rule.containers == ("div.story",)
    assert rules["a.example"].rule.drop == ("nav", "p.ad")
    path.write_text("{")
    with pytest.raises(ValueError, match="not valid JSON"):
        session.save(page=0, what="drop", selector="p.ad")
    assert path.read_text() == "{"


def test_questions_about_what_is_not_there_and_wrong_rules(session: Session) -> None:
    for number in (9, "0"):
        with pytest.raises(ValueError, match="this page does not exist"):
            session.selectors(page=number, start=0, stop=1)
    with pytest.raises(ValueError, match="neither 'drop' nor 'keep'"):
        session.save(page=0, what="containers", selector="p")
    with pytest.raises(ValueError, match="is not a CSS selector"):
        session.save(page=0, what="drop", selector="p[")
    alone = Session([InputPage(b"<p>Text", name="a.html")])
    with pytest.raises(ValueError, match="the page has no URL; use --url"):
        alone.effect(page=0, what="drop", selector="p")


# -- the server ----------------------------------------------------------------------------------


@pytest.fixture
def server(session: Session) -> Iterator[InspectorServer]:
    with serving(session) as server:
        yield server


def ask(
    server: InspectorServer, method: str, path: str, body: object = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    """Return status, body and headers of an answer."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    data = None if body is None else body if isinstance(body, str) else json.dumps(body)
    with closing(http.client.HTTPConnection(*server.server_address[:2], timeout=PATIENCE)) as link:
        link.request(method, path, data, sent)
        answer = link.getresponse()
        return answer.status, answer.read().decode(), dict(answer.headers)


@pytest.mark.parametrize("action", ["selectors", "effect", "save"])
@pytest.mark.parametrize(
    "value", [None, True, -1, 10**30, 0.5, "x", "//p[" * 9, [], {}, "\x00", "\ud800", "p" * 9000]
)
def test_the_server_refuses_what_is_no_answer(
    server: InspectorServer, action: str, value: object
) -> None:
    usual = {"page": 0, "start": 0, "stop": 1, "what": "drop", "selector": "p["}
    names = ("page", "start", "stop") if action == "selectors" else ("page", "what", "selector")
    for name in names:
        body = {each: usual[each] for each in names} | {name: value}
        status, answer, _ = ask(server, "POST", f"/{server.token}/{action}", body)
        assert status in (200, 400)
        assert json.loads(answer)


def test_the_server_answers_its_user(server: InspectorServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32
    status, body, headers = ask(server, "GET", f"/{server.token}/")
    assert status == 200
    assert data_of(body)["server"] is True
    assert headers["Content-Security-Policy"] == f"{policy()}; frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "https://a.example/1" in ask(server, "GET", f"/{server.token}/?page=1")[1]
    question = {"page": 0, "start": 0, "stop": 1}
    status, body, _ = ask(server, "POST", f"/{server.token}/selectors", question)
    assert status == 200
    assert json.loads(body)["selectors"]
    deep = ask(server, "POST", f"/{server.token}/selectors", "[" * 20_000)
    assert deep[0] == 400


def test_the_server_answers_nobody_else(server: InspectorServer, tmp_path: Path) -> None:
    rule = {"page": 0, "what": "drop", "selector": "p"}
    good = f"/{server.token}/save"
    refused = [
        ask(server, "GET", "/"),
        ask(server, "GET", "/index.html"),
        ask(server, "GET", f"/{server.token[:-1]}/"),
        ask(server, "GET", f"/{server.token}/../../etc/passwd"),
        ask(server, "GET", f"/{server.token}/rules.json"),
        ask(server, "GET", f"/{server.token}/?page=9"),
        ask(server, "GET", f"/{server.token}/?page=x"),
        ask(server, "GET", f"/{server.token}/", Host="evil.example"),
        ask(server, "POST", "/save", rule),
        ask(server, "POST", f"/x{server.token}/save", rule),
        ask(server, "POST", good, rule, Sec_Fetch_Site="cross-site"),
        ask(server, "POST", good, rule, Origin="https://evil.example"),
        ask(server, "POST", good, rule, Origin="null"),  # a sandboxed frame
        ask(server, "POST", good, rule, Host=f"evil.example:{server.server_address[1]}"),
        ask(server, "POST", good, rule, Content_Type="text/plain"),  # as a form may send it
        ask(server, "POST", good, "x" * 100_000),
        ask(server, "POST", good, "{"),
        ask(server, "POST", good, []),
        ask(server, "POST", good, {**rule, "path": "/etc/passwd"}),
        ask(server, "POST", f"/{server.token}/__init__", {}),
        ask(server, "PUT", good, rule),
    ]
    assert [status for status, _, _ in refused] == [
        *(404, 404, 404, 404, 404, 400, 400, 403),
        *(404, 404, 403, 403, 403, 403, 415, 413, 400, 400, 400, 404, 501),
    ]
    assert not any(server.token in body for _, body, _ in refused)
    assert list(tmp_path.iterdir()) == []


# -- the commands --------------------------------------------------------------------------------


def test_one_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rain.html").write_text(HTML)
    arguments = ["inspect", "rain.html", "--url", "https://a.example/", "--extractor", "mss"]
    assert main([*arguments, "--output", "out.html"]) == 0
    data = data_of(Path("out.html").read_text())
    assert (data["method"], data["server"], data["site"]["key"]) == ("mss", False, "a.example")
    assert main(["inspect", "gone.html", "-o", "x.html"]) == 1
    assert "gone.html: cannot read it: No such file" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["inspect"])


def test_the_command_of_a_project_fetches_by_its_settings(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (tmp_path / "own_settings.py").write_text(
        'ADDONS = {"scrapy_boilerplate.Addon": 500}\nUSER_AGENT = "mine"\nROBOTSTXT_OBEY = True\n'
        'BOILERPLATE_SITE_RULES = "mine.json"\nBOILERPLATE_EXTRACTOR = "mss"\n'
        'BOILERPLATE_OPTIONS = {"tag_score": -2}\n'
    )
    (tmp_path / "mine.json").write_text("[]")
    store = tmp_path / ".scrapy" / "boilerplate" / "sites.sqlite"
    store.parent.mkdir(parents=True)
    with MockServer({"/a": HTML.replace("<title>", "<script>x</script><title>")}) as mock:
        with closing(open_store(str(store))) as opened:
            learner(range(25), opened, mock.url("").removeprefix("http://")).flush()
        command = [sys.executable, "-m", "scrapy", "boilerplate-inspect", "-o", "out.html"]
        done = processes.run([*command, mock.url("/a")], cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "written to out.html\n")
        missing = processes.run([*command, mock.url("/b")], cwd=tmp_path)
    assert missing.returncode == 1
    assert re.fullmatch(r"boilerplate-inspect: http.*/b: HTTP status 404\n", missing.stderr)
    data = data_of((tmp_path / "out.html").read_text())
    assert data["site"]["key"].startswith("127.0.0.1:")
    assert data["site"]["state"] == "learned"
    assert data["method"] == "mss + site"


def test_the_server_says_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "rain.html").write_text(HTML)
    command = [sys.executable, "-m", "scrapy_boilerplate", "inspect", "rain.html", "--no-browser"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # A shell in the background lets its children ignore Ctrl-C, these tests too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    line = process.stderr.readline()
    assert re.fullmatch(r"The inspector is at http://127\.0\.0\.1:\d+/[\w-]{32,}/\n", line)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


# -- pages shown with marks: every text is marked, nothing runs, nothing is loaded ----------------

FIXTURES = sorted((Path(__file__).parent / "fixtures" / "gate").rglob("*.html.gz"))
SHOWN = "<title>T</title><ul><li><a href=/>Home</a></ul><p>One two <b>three</b> four five six."


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: "/".join(path.parts[-3::2]))
def test_every_text_is_marked_once(path: Path) -> None:
    page = Page.parse(gzip.decompress(path.read_bytes()))
    document = lxml_html.fromstring(marked_page(page, lambda text: f' data-t="{text}"'))
    marks = {int(mark.get("data-t")): mark.text_content() for mark in document.iter("b-t")}
    assert list(marks) == list(range(page.text_at.size))
    bounds = zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
    for number, (start, stop) in enumerate(bounds):
        assert "".join(marks[number].split()) == "".join(page.buffer[start:stop].split())


def test_nothing_of_a_hostile_page_runs_or_loads() -> None:
    page = Page.parse(HOSTILE)
    written = marked_page(page, lambda text: f' data-t="{text}"')
    for tag in re.findall(r"<[^!/][^>]*>", written):
        name = re.match(r"<([\w-]+)", tag)
        assert name is not None
        assert name[1] not in "script iframe object embed svg math link base form input".split()
        bare = re.sub(r'"[^"]*"', '""', tag)
        assert not re.search(r"\s(?:on\w+|href|src\w*|action|formaction|ping|data|poster)=", bare)
    document = lxml_html.fromstring(written)
    assert not document.xpath("//@*[starts-with(name(), 'on')] | //@href | //@src")
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == POLICY
    assert written.index("Content-Security-Policy") < written.index("<style>")
    assert not document.xpath("//script | //iframe | //base | //meta[@http-equiv='refresh']")
    assert [mark.text.strip() for mark in document.iter("b-t")][:2] == ["Text one", "Text two"]


def test_a_style_sheet_cannot_end_its_element() -> None:
    page = Page.parse("<body><p>Text")
    style = page.root.makeelement("style")
    style.text = "p{}</style><script>run()</script><!--"
    page.root.insert(0, style)
    written = marked_page(Page(page.root), lambda text: "")
    assert written.count("</style>") == written.count("<style>") == 2
    assert not lxml_html.fromstring(written).xpath("//script")


# -- as a notebook shows it ----------------------------------------------------------------------


def test_reprs_are_short() -> None:
    html = SHOWN + "<p>More text, and more of it, for all who read it." * 1000
    for shown in (extract(html), explain(html), compare(html), explain(html)[0]):
        assert len(repr(shown)) < 250, repr(shown)
    assert repr(extract(html, extractor="mss")).startswith("<Extraction by mss: article, 11")
    assert repr(explain(SHOWN, extractor="mss")) == "<Explanations of 3 blocks, 1 of them kept>"
    assert "mean agreement from 1.00" in repr(compare(SHOWN, ["mss"]))


def test_a_notebook_shows_the_page_in_a_frame_where_nothing_runs() -> None:
    short = compare(SHOWN, ["bte", "auto"])
    assert 'title="bte, auto">three' in unescape(short._repr_html_())
    for shown in (
        extract(SHOWN),
        explain(SHOWN),
        compare(SHOWN),
        extract(HOSTILE),
    ):
        made = shown._repr_html_()
        assert '<iframe sandbox="" srcdoc="' in made
        match = re.search(r'srcdoc="([^"]*)"', made)
        assert match is not None
        document = lxml_html.fromstring(unescape(match[1]))
        assert not document.xpath("//script")
        marks = {mark.text.strip(): mark.get("class") for mark in document.iter("b-t")}
        if not isinstance(shown, Comparison) and "Home" in marks:
            assert marks["Home"].startswith("left")
            assert marks["three"].startswith("kept")
    assert "probability" in explain(SHOWN)._repr_html_()


def test_without_its_page_an_answer_shows_its_text() -> None:
    again = pickle.loads(pickle.dumps(extract(SHOWN)))
    assert again._repr_html_() == "<pre>One two three four five six.</pre>"
    assert pickle.loads(pickle.dumps(explain(SHOWN))) == tuple(explain(SHOWN))
