"""Many pages at once, as a table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from archives import HTML, http, packed, page, record
from generated_sites import METHOD, Site, single

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; see the extra 'arrow'")

from scrapy_boilerplate import extract
from scrapy_boilerplate.learn import SiteModel, extract_site
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.tools.batch import arrow_schema, extract_batch
from scrapy_boilerplate.tools.isolation import _kept
from scrapy_boilerplate.tools.rows import COLUMNS, METADATA

PAGES = [page(n) for n in range(5)]


@pytest.mark.parametrize("isolate", [False, True])
def test_a_table_has_the_answers_of_extract(isolate: bool) -> None:
    urls = [f"https://a.example/{n}" for n in range(5)]
    table = extract_batch(PAGES, urls, isolate=isolate)
    assert table.schema == arrow_schema()
    assert table.column_names == list(COLUMNS)
    for html, url, row in zip(PAGES, urls, table.to_pylist(), strict=True):
        answer = extract(html, url=url)
        assert (row["text"], row["markdown"]) == (answer.text, answer.markdown)
        metadata = answer.metadata.to_dict()
        assert row["metadata"] == {name: metadata[name] for name in METADATA}
        assert (row["url"], row["kind"], row["extractor"]) == (url, answer.kind, "auto")
        assert row["confidence"] == pytest.approx(answer.confidence)


def test_columns_that_are_not_asked_for_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> None:
        pytest.fail("a digest was made")

    monkeypatch.setattr("scrapy_boilerplate.tools.rows.text_digest", fail)
    whole = [extract(each).text for each in PAGES]
    table = extract_batch(PAGES, columns=["language", "text"])
    assert table.to_pydict() == {"language": table["language"].to_pylist(), "text": whole}
    with pytest.raises(ValueError, match="Unknown column 'txt'; did you mean 'text'"):
        extract_batch(PAGES, columns=["txt"])


def test_forms_of_columns() -> None:
    array = pa.array(PAGES, pa.binary())
    expected = extract_batch(PAGES, extractor="mss")
    assert extract_batch(array, extractor="mss") == expected
    assert extract_batch(pa.chunked_array([array[:2], array[2:]]), extractor="mss") == expected
    assert extract_batch([html.decode() for html in PAGES], extractor="mss") == expected
    assert extract_batch([], extractor="mss").num_rows == 0


@pytest.mark.parametrize("html", [PAGES[0], PAGES[0].decode()])
def test_a_single_page_is_no_list_of_pages(html: Any) -> None:
    with pytest.raises(TypeError, match="takes a list of pages"):
        extract_batch(html)


def test_switches() -> None:
    words = "It rained, and it went on raining. " * 5
    html = f"<p>{words}<a href=/x>A link</a> in it. {words}</p>"
    with_link, without = (
        extract_batch([html], extractor="mss", links=links)["markdown"][0].as_py()
        for links in (True, False)
    )
    assert "[A link](/x)" in with_link
    assert without == with_link.replace("[A link](/x)", "A link")


def test_pages_without_text_say_why() -> None:
    table = extract_batch([b"", None, b"%PDF-1.4", b"<p>One two three"], extractor="mss")
    assert table["reason"].to_pylist() == ["empty", "no_body", "not_html", None]


def test_a_process_is_kept_for_the_next_batch() -> None:
    extract_batch(PAGES, extractor="mss", isolate=True)
    kept = sum(map(len, _kept.values()))
    extract_batch(PAGES, extractor="mss", isolate=True)
    assert sum(map(len, _kept.values())) == kept > 0


def test_an_address_that_is_no_string_is_none() -> None:
    addresses: list[Any] = ["https://a.example/", float("nan"), 5, None, ""]
    table = extract_batch(PAGES, addresses, extractor="mss")
    assert table["url"].to_pylist()[:4] == ["https://a.example/", None, None, None]


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="5 pages have 1 addresses"):
        extract_batch(PAGES, ["https://a.example/"])
    with pytest.raises(ValueError, match="Unknown extractor 'mms'"):
        extract_batch(PAGES, extractor="mms")


def test_models_of_sites() -> None:
    made = Site(host="example.com").pages(24)
    samples = SiteSamples()
    for each in made:
        samples.observe(*single(each))
    model = samples.model("example.com")
    assert isinstance(model, SiteModel)
    assert samples.model("sub.example.com") == model
    pages, urls = [each.html for each in made], [each.url for each in made]
    found = extract_site(zip(urls, pages, strict=True), extractor=METHOD)
    expected = [answer.text for _, answer in found]
    for of_site in (urls, [url.replace("//", "//sub.") for url in urls]):
        table = extract_batch(pages, of_site, extractor=METHOD, models={"example.com": model})
        assert table["text"].to_pylist() == expected
        assert table["site_pages"].to_pylist() == [24] * 24


# -- other packages' pipelines with our extractor in them, as they run it -------------------------

pytest.importorskip("pyarrow", reason="pyarrow is not installed; see the extra 'arrow'")

import pyarrow.parquet as pq

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


def test_rows_in_a_pipeline_of_datatrove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of docs/scale.md, and one more, on the rows of an archive."""
    pytest.importorskip("datatrove")
    pytest.importorskip("fastwarc")
    from datatrove.pipeline.formatters import PIIFormatter

    from scrapy_boilerplate.tools.warc import extract_archives

    mail = b"<p>Write to somebody.else@company.com about the text of this page, and to nobody else."
    hidden = http(page(1), HTML + "X-Robots-Tag: none\r\n")
    monkeypatch.chdir(tmp_path)
    Path("a.warc").write_bytes(
        packed([record(0, http(page(0) + mail)), record(1, hidden)], "plain")
    )
    extract_archives(["a.warc"], "rows", extractor="mss", processes=1)
    text = (Path(__file__).parent.parent / "docs" / "scale.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(from datatrove.*?)```", text, re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    found = None
    for step in (*names["steps"], PIIFormatter()):
        found = step.run(found)
    (document,) = found or ()
    assert "the text of this page" in document.text
    assert "somebody.else" not in document.text
    assert document.metadata["url"] == "https://a.example/0"


def test_dask(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    import dask

    frame = pd.DataFrame({"html": [page(n) for n in range(6)], "url": [f"u{n}" for n in range(6)]})
    pages = dd.from_pandas(frame, npartitions=2)

    def work(part: Any) -> Any:
        return extract_batch(part.html, part.url, extractor="mss", isolate=True).to_pandas()

    meta = extract_batch([], extractor="mss").to_pandas()
    rows = pages.map_partitions(work, meta=meta)
    with dask.config.set(scheduler="threads"):
        rows.to_parquet(str(tmp_path / "rows"), schema=arrow_schema(), write_index=False)
    found = pq.read_table(tmp_path / "rows")
    assert found["url"].to_pylist() == frame.url.tolist()
    assert found["text"].to_pylist() == [extract(page(n), extractor="mss").text for n in range(6)]
    assert found["metadata"].to_pylist()[2]["title"] == "Page 2"
