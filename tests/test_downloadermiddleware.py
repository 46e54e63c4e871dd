from __future__ import annotations

import logging
from typing import Any, ClassVar

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.settings.default_settings import DOWNLOADER_MIDDLEWARES_BASE
from scrapy.utils.test import get_crawler

from scrapy_boilerplate.core.strip import strip_elements
from scrapy_boilerplate.plugin import downloadermiddlewares
from scrapy_boilerplate.plugin.downloadermiddlewares import BoilerplateDownloaderMiddleware

URL = "https://example.com/"
JSON_LD = "<script type='application/ld+json'>{}</script>"
HTML = f"<title>é</title>{JSON_LD}<script>f('<p>')</script><p>été<style>p {{}}</style> <a href=x>x"
STRIPPED = f"<title>é</title>{JSON_LD}<script></script><p>été<style></style> <a href=x>x"


def build(
    spider: Any = None, strip: Any = True, **settings: Any
) -> BoilerplateDownloaderMiddleware:
    crawler = get_crawler(Spider, {"BOILERPLATE_STRIP": strip, **settings})
    crawler.spider = spider or Spider("spider")
    return BoilerplateDownloaderMiddleware.from_crawler(crawler)


def html_response(body: str = HTML, encoding: str = "utf-8", **options: Any) -> HtmlResponse:
    headers = {"Content-Type": f"text/html; charset={encoding}"}
    return HtmlResponse(URL, body=body.encode(encoding), **{"headers": headers, **options})


def process(middleware: BoilerplateDownloaderMiddleware, response: Response, **options: Any) -> Any:
    return middleware.process_response(request=Request(URL, **options), response=response)


def stats(middleware: BoilerplateDownloaderMiddleware) -> dict[str, Any]:
    found = middleware.crawler.stats.get_stats()
    return {key[18:]: found[key] for key in found if key.startswith("boilerplate/strip/")}


def is_stripped(middleware: BoilerplateDownloaderMiddleware, **options: Any) -> bool:
    response = html_response()
    result = process(middleware, response, **options)
    assert result is response or result.text == STRIPPED
    return result is not response


def test_scripts_and_styles_go_the_rest_stays() -> None:
    middleware = build()
    own: Any = type("OwnResponse", (HtmlResponse,), {})
    response = html_response(flags=["cached"], status=404, protocol="h2").replace(cls=own)
    result = process(middleware, response)
    assert type(result) is own
    assert result.text == STRIPPED
    assert result.css("a::attr(href)").getall() == ["x"]
    assert result.css("script::attr(type)").getall() == ["application/ld+json"]
    assert len(result.css("script, style")) == 3
    for name in ("url", "status", "headers", "flags", "protocol", "encoding"):
        assert getattr(result, name) == getattr(response, name)
    removed = len(HTML.encode()) - len(STRIPPED.encode())
    assert stats(middleware) == {
        "responses": 1,
        "bytes_in": len(HTML.encode()),
        "bytes_removed": removed,
    }
    process(middleware, response)
    assert stats(middleware)["bytes_removed"] == 2 * removed


@pytest.mark.parametrize("cls", [Response, TextResponse, XmlResponse, JsonResponse, HtmlResponse])
def test_what_is_not_html_stays(cls: type[Response]) -> None:
    middleware = build()
    headers = (
        {"Content-Type": "Application/XHTML+xml; charset=utf-8"} if cls is HtmlResponse else {}
    )
    response = cls(URL, body=HTML.encode(), headers=headers)
    assert process(middleware, response) is response
    assert stats(middleware) == {}


def test_the_length_is_that_of_what_is_left() -> None:
    sent = html_response(headers={"Content-Length": "9999", "X": "y"})
    result = process(build(), sent)
    assert result.headers["Content-Length"] == str(len(result.body)).encode()
    assert (sent.headers["Content-Length"], result.headers["X"]) == (b"9999", b"y")
    assert b"Content-Length" not in process(build(), html_response()).headers


def test_what_is_too_large_stays() -> None:
    size = len(html_response().body)
    assert is_stripped(build(BOILERPLATE_MAX_BODY=size))
    assert is_stripped(build(BOILERPLATE_MAX_BODY=0))
    assert not is_stripped(build(BOILERPLATE_MAX_BODY=size - 1))


# Encoding


@pytest.mark.parametrize(
    "body",
    [
        HTML.encode(),
        HTML.replace("é", "é ").encode("latin-1"),
        b"<script>x</script><meta charset=koi8-r>" + HTML.encode(),
        # The declaration comes into view of the detection, which reads 4 096 bytes.
        b"<script>" + b"x" * 5000 + b"</script><meta charset=koi8-r>" + HTML.encode(),
        # The declaration goes with the script.
        b"<script>'<meta charset=koi8-r>'</script>" + HTML.encode(),
        # What is left could be ASCII.
        b"<script>'\xc3\xa9'</script><p>abc",
    ],
)
def test_encoding_that_nobody_declares_is_the_same_afterwards(body: bytes) -> None:
    response = HtmlResponse(URL, body=body)
    result = process(build(), response)
    assert result.encoding == response.encoding
    assert result.text == strip_elements(response.text.encode()).decode()
    assert result.text != response.text
    assert result.replace(url=URL + "x").text == result.text


@pytest.mark.parametrize("size", [10, 4000, 5000])
def test_links_have_the_same_base(size: int) -> None:
    """Scrapy looks for ``base`` among the first 4 096 characters."""
    script = f"<script>{'x' * size}</script>"
    response = html_response(script + "<base href='https://example.org/'><a href=b>")
    result = process(build(), response)
    assert result.urljoin("b") == response.urljoin("b")
    assert (result is response) == (size == 5000)


# Who decides


class Off(Spider):
    name = "off"
    boilerplate: ClassVar[Any] = {"strip": False, "extractor": "mss"}


NO = type("No", (Off,), {"boilerplate": False})


@pytest.mark.parametrize(
    ("setting", "spider", "meta", "expected"),
    [
        (True, None, None, True),
        (True, None, {}, True),
        (True, None, "mss", True),
        (True, None, False, False),
        (True, None, {"strip": False}, False),
        (True, Off, None, False),
        (True, Off, {"extractor": "mss"}, False),
        (True, Off, {"strip": True}, True),
        (True, NO, None, False),
        (True, NO, {"strip": True}, True),
        (False, None, {"strip": True}, True),
        *((setting, None, None, False) for setting in (False, "0", None)),
        ("1", None, None, True),
    ],
)
def test_the_most_specific_place_decides(
    setting: Any, spider: Any, meta: Any, expected: bool
) -> None:
    middleware = build(spider and spider(), strip=setting)
    assert is_stripped(middleware, meta={} if meta is None else {"boilerplate": meta}) is expected


def test_the_plugin_can_be_switched_off() -> None:
    with pytest.raises(NotConfigured):
        build(BOILERPLATE_ENABLED=False)


def test_what_no_callback_reads_stays() -> None:
    middleware = build()
    assert not is_stripped(middleware, callback=NO_CALLBACK)
    assert is_stripped(middleware, callback=NO_CALLBACK, meta={"boilerplate": {"strip": True}})
    assert is_stripped(middleware, callback=print)


# Mistakes


def test_wrong_attribute_stops_the_crawl() -> None:
    spider = type("Wrong", (Off,), {"boilerplate": {"strip": "no"}})()
    with pytest.raises(
        ValueError, match="attribute 'boilerplate': 'strip' must be True or False, not 'no'"
    ):
        build(spider)


def test_errors_leave_the_response_and_are_logged_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of luck")

    middleware = build()
    response = html_response()
    with caplog.at_level(logging.ERROR):
        assert process(middleware, response, meta={"boilerplate": {"strip": 1}}) is response
        monkeypatch.setattr(downloadermiddlewares, "strip_elements", fail)
        for _ in range(3):
            assert process(middleware, response) is response
    assert stats(middleware) == {"errors": 4, "errors/ValueError": 1, "errors/RuntimeError": 3}
    first, second = (record.getMessage() for record in caplog.records)
    assert "'strip' must be True or False, not 1" in first
    assert f"Stripping failed on {URL}: RuntimeError: out of luck" in second


# Place among the others


def test_order() -> None:
    base = {path.rpartition(".")[2]: order for path, order in DOWNLOADER_MIDDLEWARES_BASE.items()}
    order = BoilerplateDownloaderMiddleware.ORDER
    assert order < min(value for name, value in base.items() if name != "OffsiteMiddleware")
    assert order < base["HttpCompressionMiddleware"] < base["HttpCacheMiddleware"]
    assert order < base["MetaRefreshMiddleware"]
