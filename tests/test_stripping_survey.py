"""What the survey of a project's source finds: nothing in plain spiders, any doubt in others."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from itertools import count
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
import scrapy
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_boilerplate.plugin.downloadermiddlewares import BoilerplateDownloaderMiddleware

URL = "https://example.com/"
HTML = "<script id=state>a = 1</script><p>b<script>c = 2</script>"
STRIPPED = "<script id=state></script><p>b<script></script>"

Project = Callable[..., Crawler]
_numbers = count()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Write a project with a spider, and return its crawler.

    *parse* is the body of the spider's callback, *before* what stands before its class, *within*
    what stands in it; *files* are other modules of the project, which is the package PROJECT.
    """
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(
        parse: str = "yield {}",
        before: str = "",
        within: str = "",
        files: dict[str, str] | None = None,
        load: bool = True,
        **settings: Any,
    ) -> Crawler:
        package = f"project_{next(_numbers)}"
        folder = tmp_path / package
        folder.mkdir()
        spider = (
            f"import scrapy\n{dedent(before)}\n\n"
            f"class Plain(scrapy.Spider):\n    name = 'plain'\n{indent(dedent(within), '    ')}\n"
            f"    def parse(self, response):\n{indent(dedent(parse), ' ' * 8)}\n"
        )
        for name, source in {"__init__": "", "spider": spider, **(files or {})}.items():
            text = dedent(source).replace("PROJECT", package)
            (folder / f"{name}.py").write_text(text, "utf-8")
        importlib.invalidate_caches()
        spider_class = importlib.import_module(f"{package}.spider").Plain
        for name in files or () if load else ():
            importlib.import_module(f"{package}.{name}")
        named = {key: replaced(value, package) for key, value in settings.items()}
        crawler = get_crawler(spider_class, named)
        crawler.spider = spider_class.from_crawler(crawler)
        return crawler

    return write


def replaced(value: Any, package: str) -> Any:
    if isinstance(value, dict):
        return {replaced(key, package): part for key, part in value.items()}
    return value.replace("PROJECT", package) if isinstance(value, str) else value


def process(crawler: Crawler, response: Any = None, **options: Any) -> Any:
    middleware = BoilerplateDownloaderMiddleware.from_crawler(crawler)
    response = response or HtmlResponse(URL, body=HTML.encode())
    return middleware.process_response(Request(URL, **options), response)


def doubt(crawler: Crawler, caplog: pytest.LogCaptureFixture) -> str | None:
    """Return why scripts stay, and check that the page and the log say the same."""
    with caplog.at_level(logging.INFO):
        text = process(crawler).text
    (message,) = [
        r.getMessage() for r in caplog.records if r.name.endswith("downloadermiddlewares")
    ]
    caplog.clear()
    if text == HTML:
        assert "BOILERPLATE_STRIP = True" in message
        return message.partition("because code may read it: ")[2].partition(". To cut")[0]
    assert text == STRIPPED
    assert "BOILERPLATE_STRIP = False" in message
    return None


PLAIN = [
    "yield {'title': response.css('h1::text').get()}",
    """
    for quote in response.css("div.quote"):
        yield {
            "text": quote.css("span.text::text").get(default=""),
            "author": quote.xpath("./span/small/text()").get(),
            "tags": quote.css("div.tags a.tag::text").getall(),
        }
    next_page = response.css("li.next a::attr(href)").get()
    if next_page is not None:
        yield response.follow(next_page, callback=self.parse)
    yield from response.follow_all(css="ul.pager a", callback=self.parse)
    """,
    """
    for href in response.xpath("//div[@class='list']//a/@href"):
        yield scrapy.Request(response.urljoin(href.extract()), self.parse)
    """,
    "title = response.css('h1::text')\nyield {'title': title.re_first('[A-Z].*')}",
    "for q in ['h1::text', 'h2::text']:\n    yield {'title': response.css(q).get()}",
    "QS = ('h1::text', 'h2::text')\nyield {'a': [response.css(q).get() for q in QS]}",
    "TITLE = '//h1/text()'\nyield {'title': response.xpath(TITLE)[0].get()}",
    "yield {'src': response.css('script::attr(src)').getall()}",
    "yield {'a': response.css('img').attrib['src'], 'b': response.meta.get('depth')}",
    "yield {'tag': getattr(self, 'tag', None), 'length': response.headers.get('Content-Length')}",
    """
    from scrapy.loader import ItemLoader

    loader = ItemLoader(item={}, response=response)
    loader.add_css("title", "h1::text")
    loader.add_xpath("price", ["//p[@class='price']/text()", "//b/text()"])
    loader.nested_css("footer").add_css("links", "a::attr(href)")
    yield loader.load_item()
    """,
    "yield {'prices': [s.get().replace(',', '.') for s in response.css('p.price::text')]}",
]


@pytest.mark.parametrize("parse", PLAIN)
def test_plain_spiders_are_stripped(
    project: Project, caplog: pytest.LogCaptureFixture, parse: str
) -> None:
    assert doubt(project(parse), caplog) is None


DOUBTS = [
    # What is sent
    ("yield {'a': response.text}", "uses .text"),
    ("yield {'a': len(response.body)}", "uses .body"),
    ("yield response.json()", "uses .json"),
    ("yield {'a': str(response.selector)}", "uses .selector"),
    ("yield {'a': [s.root for s in response.css('p')]}", "uses .root"),
    ("yield {'a': f'{response.text}'}", "uses .text"),
    ("yield {'a': '{0.text}'.format(response)}", "uses .text"),
    ("yield {'a': getattr(response, 'text')}", "uses .text"),
    ("NAME = 'text'\nyield {'a': getattr(response, NAME)}", "uses .text"),
    ("yield {'a': getattr(response, self.name)}", "uses getattr() with a name"),
    ("yield vars(response)", "uses vars"),
    ("yield eval('response.te' + 'xt')", "uses eval"),
    ("import pickle\nyield {'a': pickle.dumps(response)}", "uses pickle"),
    ("from scrapy.shell import inspect_response as look\nlook(response, self)", "inspect_response"),
    ("match response:\n    case scrapy.http.HtmlResponse(text=a): yield {'a': a}", "uses .text"),
    # Selectors that see scripts, or may
    ("yield {'a': response.css('script::text').get()}", "calls .css('script::text')"),
    ("yield {'a': response.css('#a::text, style::text').get()}", "calls .css("),
    ("yield {'a': response.xpath('//script/text()').get()}", "calls .xpath('//script/text()')"),
    ("yield {'a': response.xpath('//body//text()').getall()}", "calls .xpath("),
    ("for q in ('//p/text()', '//text()'):\n    yield {'a': response.xpath(q).get()}", "//text()"),
    ("yield {'a': response.css(self.name).get()}", "a selector that is not written out"),
    ("tag = 'script'\nyield {'a': response.css(f'{tag}::text').get()}", "not written out"),
    ("a = 'p'\na = a + ', script'\nyield {'a': response.css(a)}", "not written out"),
    ("find = response.css\nyield {'a': find('script::text').get()}", "passes .css on"),
    ("yield {'a': response.css(**{'query': 'script::text'}).get()}", "not written out"),
    ("find = getattr(response, 'css')\nyield {'a': find('script::text')}", "passes .css on"),
    ("match response:\n    case scrapy.http.HtmlResponse(css=f): yield {'a': f('*')}", ".css on"),
    ("QS = ['p::text']\nQS.append(self.name)\nfor q in QS:\n    yield {'a': response.css(q).get()}",
     "not written out"),
    # Whole elements
    ("yield {'a': response.css('body').get()}", "calls .get(), which may give all"),
    ("yield {'a': response.css('p')[0].extract()}", "calls .extract(), which may give all"),
    ("p = response.css('p')\nyield {'a': p.re('a = (.*)')}", "calls .re(), which may give all"),
    ("p = response.css('p')\nyield {'a': p.get('')}", "calls .get(), which may give all"),
    ("yield {'a': [p.get() for p in response.css('p')]}", "calls .get(), which may give all"),
    ("p = response.css('p::text')\nfor p in response.css('p'):\n    yield p.get()", "calls .get()"),
    ("p = response.css('p::text')\np.extend(response.css('p'))\nyield p.getall()", ".getall()"),
    ("p = response.css('p::text')\np[0] = response.css('p')[0]\nyield p.getall()", ".getall()"),
    ("yield {'a': list(map(scrapy.Selector.getall, response.css('p')))}", "passes .getall on"),
    ("from scrapy.loader import ItemLoader\nloader = ItemLoader({}, response=response)\n"
     "loader.add_css('a', 'p')\nyield loader.load_item()", "calls .add_css('p')"),
    ("from scrapy.linkextractors import LinkExtractor\n"
     "LinkExtractor(restrict_text='a').extract_links(response)", "uses restrict_text"),
    ("yield {'a': response.meta['link_text']}", "uses 'link_text'"),
    ("link = response.meta['link']\nyield {'a': link.text}", "uses .text"),
    # Packages that are not known
    ("import chompjs\nyield chompjs.parse_js_object('{}')", "spider uses chompjs"),
    ("from lxml import html\nyield {}", "spider uses lxml"),
]  # fmt: skip


@pytest.mark.parametrize(("parse", "reason"), DOUBTS)
def test_in_any_doubt_scripts_stay(
    project: Project, caplog: pytest.LogCaptureFixture, parse: str, reason: str
) -> None:
    found = doubt(project(parse), caplog)
    assert found is not None
    assert reason in found


def test_the_log_names_the_place(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    crawler = project("a = 1\nyield {'a': response.text}")
    module = type(crawler.spider).__module__
    assert doubt(crawler, caplog) == f"{module}, line 9 in parse(), uses .text"


def test_what_does_not_run_is_no_doubt(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    before = '''
    """Reads response.text, or "{response.text}"."""
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        import lxml.html
    '''
    assert doubt(project(before=before), caplog) is None


# Where the code stands

READS = "def read(page):\n    return {'a': page.text}\n"


@pytest.mark.parametrize(
    "statement",
    [
        "from PROJECT.helpers import read",
        "from .helpers import *",
        "from . import helpers",
        "import PROJECT.helpers as other",
        "def late():\n    from PROJECT import helpers",
        "def late():\n    from . import helpers",
        "def late():\n    import PROJECT.helpers",
        "from .between import something",
    ],
)
@pytest.mark.parametrize("load", [True, False])
def test_modules_that_the_spider_imports(
    project: Project, caplog: pytest.LogCaptureFixture, statement: str, load: bool
) -> None:
    files = {"helpers": READS, "between": "from .helpers import read as something"}
    found = doubt(project(before=statement, files=files, load=load), caplog)
    assert found is not None
    assert "helpers, line 2 in read(), uses .text" in found


def test_base_classes(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    files = {"base": f"import scrapy\nclass Base(scrapy.Spider):\n{indent(READS, '    ')}"}
    crawler = project(before="from .base import Base\n", files=files)
    assert doubt(crawler, caplog) is not None


def test_methods_that_are_added_later(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    crawler = project()
    crawler.spider.parse = process  # a function of this file, which uses .text
    found = doubt(crawler, caplog)
    assert found is not None
    assert __name__ in found


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SPIDER_MIDDLEWARES", {"PROJECT.parts.Part": 50}),
        ("EXTENSIONS", {"PROJECT.parts.Part": 50}),
        ("DOWNLOADER_MIDDLEWARES", {"PROJECT.parts.Part": 50}),
        ("ITEM_PIPELINES", {"PROJECT.parts.Part": 50}),
        ("LOG_FORMATTER", "PROJECT.parts.Part"),
    ],
)
def test_components_that_get_responses_or_items(
    project: Project, caplog: pytest.LogCaptureFixture, setting: str, value: Any
) -> None:
    code = """class Part:
    def read(self, item):
        return item['a'].text

    @classmethod
    def from_crawler(cls, crawler):
        return cls()
"""
    found = doubt(project(files={"parts": code}, **{setting: value}), caplog)
    assert found is not None
    assert "parts, line 3 in read(), uses .text" in found


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("DOWNLOADER_MIDDLEWARES", {"PROJECT.parts.Part": 543}),
        ("SPIDER_MIDDLEWARES", {"PROJECT.parts.Part": None}),
    ],
)
def test_components_that_get_the_page_as_it_was_sent(
    project: Project, caplog: pytest.LogCaptureFixture, setting: str, value: Any
) -> None:
    files = {"parts": "class Part:\n    def read(self, page):\n        return page.text"}
    assert doubt(project(files=files, **{setting: value}), caplog) is None


def test_packages_that_pipelines_use(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    files = {"pipelines": "import lxml\nclass Part:\n    pass"}
    crawler = project(files=files, ITEM_PIPELINES={"PROJECT.pipelines.Part": 300})
    assert doubt(crawler, caplog) is None


def test_a_class_without_source(caplog: pytest.LogCaptureFixture) -> None:
    namespace: dict[str, Any] = {"scrapy": scrapy, "__name__": __name__}
    exec("class Hidden(scrapy.Spider):\n    name = 'hidden'", namespace)
    crawler = get_crawler(namespace["Hidden"])
    crawler.spider = namespace["Hidden"]()
    assert doubt(crawler, caplog) == "the source of Hidden can't be found"


def test_source_that_has_changed_into_something_else(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    crawler = project()
    Path(importlib.import_module(type(crawler.spider).__module__).__file__ or "").write_text("(")
    found = doubt(crawler, caplog)
    assert found is not None


# For each response


def test_functions_from_elsewhere_get_the_page_as_it_was_sent(project: Project) -> None:
    crawler = project()
    spider: Any = crawler.spider
    assert process(crawler, callback=spider.parse, errback=spider.parse).text == STRIPPED
    assert process(crawler, callback=process).text == HTML
    assert process(crawler, callback=spider.parse, errback=process).text == HTML
    assert process(crawler, callback=lambda response: None).text == HTML
    assert crawler.stats is not None
    assert crawler.stats.get_value("boilerplate/strip/kept") == 3
    assert crawler.stats.get_value("boilerplate/strip/responses") == 1


def test_own_classes_of_responses_stay(project: Project) -> None:
    class Own(HtmlResponse):
        @property
        def scripts(self) -> list[str]:
            return self.css("script::text").getall()

    response = Own(URL, body=HTML.encode())
    assert process(project(), response) is response


def test_requests_and_spiders_decide_before_the_survey(project: Project) -> None:
    crawler = project("yield {'a': response.text}")
    assert process(crawler, meta={"boilerplate": {"strip": True}}).text == STRIPPED
    assert process(crawler).text == HTML
    crawler = project("yield {'a': response.text}", within="boilerplate = {'strip': True}")
    assert process(crawler).text == STRIPPED
    crawler = project(within="boilerplate = {'strip': False}")
    assert process(crawler).text == HTML


def test_scripts_that_a_selector_could_mean_stay(project: Project) -> None:
    result = process(project("yield {'a': response.css('#state::text').get()}"))
    assert result.text == HTML.replace("c = 2", "")
    assert result.css("#state::text").get() == "a = 1"
