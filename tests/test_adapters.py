"""Other packages' pipelines with our extractor in them, as they run it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from archives import HTML, http, packed, page, record
from generated_sites import METHOD, Site, single

pytest.importorskip("pyarrow", reason="pyarrow is not installed; see the extra 'arrow'")

import pyarrow.parquet as pq

from scrapy_boilerplate import extract
from scrapy_boilerplate.learn import extract_site
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.learn.stores.models import save_samples
from scrapy_boilerplate.tools.batch import arrow_schema, extract_batch

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


def test_datatrove(tmp_path: Path) -> None:
    pytest.importorskip("datatrove")
    from datatrove.data import Document
    from hostile import Hostile

    from scrapy_boilerplate.tools.adapters.datatrove import BoilerplateExtractor

    def documents(*_: Any) -> Any:
        for number in range(4):
            url = {"url": f"https://a.example/{number}"}
            yield Document(text=page(number).decode(), id=str(number), metadata=url)
        yield Document(text="", id="empty", metadata={})

    step = BoilerplateExtractor("mss", output="markdown")
    found = list(step.run(documents()))
    assert [each.id for each in found] == ["0", "1", "2", "3"]
    assert found[2].text == extract(page(2), extractor="mss").markdown
    assert found[2].metadata["title"] == "Page 2"
    assert {name: int(stat.total) for name, stat in step.stats.stats.items()}["dropped"] == 1

    def hostile(*_: Any) -> Any:
        for number, text in enumerate(["One.", "crash here", "hang here", "raise here", "Two."]):
            yield Document(text=f"<p>{text}", id=str(number), metadata={})

    assert step.stats.time_stats.global_mean > 0
    store = str(tmp_path / "sites.sqlite")
    made = Site().pages(24)
    samples = SiteSamples()
    for each in made:
        samples.observe(*single(each))
    save_samples(samples, store)
    dump = [Document(text=each.html, id=each.url, metadata={"url": each.url}) for each in made]
    step = BoilerplateExtractor(METHOD, sites=store)
    answers = extract_site([(each.url, each.html) for each in made], extractor=METHOD)
    assert [each.text for each in step.run(dump)] == [a.text for _, a in answers if a.text]

    step = BoilerplateExtractor(Hostile(), timeout=20)
    assert [each.text for each in step.run(hostile())] == ["One.", "Two."]
    stats = {name: int(stat.total) for name, stat in step.stats.stats.items()}
    assert (stats["broken_process"], stats["timeout"], stats["clean_error"]) == (1, 1, 1)


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
