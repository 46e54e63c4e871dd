"""Other packages' pipelines with our extractor in them, as they run it."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from archives import packed, page, record

pytest.importorskip("pyarrow", reason="pyarrow is not installed; see the extra 'arrow'")

import pyarrow.parquet as pq

from scrapy_boilerplate import extract
from scrapy_boilerplate.tools.batch import extract_batch

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


def test_datatrove() -> None:
    pytest.importorskip("datatrove")
    from datatrove.data import Document
    from datatrove.executor.local import LocalPipelineExecutor
    from test_warc import Hostile

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

    step = BoilerplateExtractor(Hostile(), timeout=20)
    assert [each.text for each in step.run(hostile())] == ["One.", "Two."]
    stats = {name: int(stat.total) for name, stat in step.stats.stats.items()}
    assert (stats["broken_process"], stats["timeout"], stats["clean_error"]) == (1, 1, 1)
    assert LocalPipelineExecutor  # the pipeline's own executor takes the step as it is


def test_nemo_curator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package brings torch, Ray and transformers: its base class is written out here."""
    name = "nemo_curator.stages.text.download.html_extractors.base"
    if "nemo_curator" not in sys.modules:
        module = types.ModuleType(name)
        module.HTMLExtractorAlgorithm = type("HTMLExtractorAlgorithm", (), {})  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    from scrapy_boilerplate.tools.adapters.nemo_curator import BoilerplateExtractor

    algorithm = BoilerplateExtractor("mss")
    paragraphs = algorithm.extract_text(page(1).decode(), frozenset({"the"}), "ENGLISH")
    assert paragraphs == extract(page(1), extractor="mss").text.split("\n\n")
    assert algorithm.extract_text("", frozenset(), "THAI") is None


def test_cc_pyspark(tmp_path: Path) -> None:
    """Runs the job as its users do: a list of archives in, a table in Parquet out."""
    pytest.importorskip("cc_pyspark", reason="a prerelease: pip install --pre cc-pyspark")
    (tmp_path / "a.warc.gz").write_bytes(packed([record(n) for n in range(5)], "members"))
    (tmp_path / "list").write_text(f"file:{tmp_path}/a.warc.gz\n")
    job = (
        "from scrapy_boilerplate.tools.adapters.cc_pyspark import ExtractionJob; "
        "ExtractionJob('mss').run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", job, "--num_output_partitions", "1", str(tmp_path / "list"), "rows"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = pq.read_table(tmp_path / "spark-warehouse" / "rows").to_pylist()
    assert [row["text"] for row in rows] == [
        extract(page(n), extractor="mss").text for n in range(5)
    ]


def test_dask() -> None:
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    frame = pd.DataFrame({"html": [page(n) for n in range(6)], "url": [f"u{n}" for n in range(6)]})
    pages = dd.from_pandas(frame, npartitions=2)

    def work(part: Any) -> Any:
        return extract_batch(part.html, part.url, extractor="mss", isolate=True).to_pandas()

    meta = extract_batch([], extractor="mss").to_pandas()
    found = pages.map_partitions(work, meta=meta).compute(scheduler="threads")
    assert found.url.tolist() == frame.url.tolist()
    assert found.text.tolist() == [extract(page(n), extractor="mss").text for n in range(6)]


ANSWER = extract(page(1), url="https://a.example/1")


def test_langchain() -> None:
    documents = pytest.importorskip("langchain_core.documents")
    document = documents.Document(ANSWER.markdown, metadata={"title": ANSWER.title})
    assert (document.page_content, document.metadata) == (ANSWER.markdown, {"title": "Page 1"})


def test_llamaindex() -> None:
    core = pytest.importorskip("llama_index.core", reason="large: pip install llama-index-core")
    document = core.Document(text=ANSWER.markdown, metadata={"title": ANSWER.title})
    assert (document.text, document.metadata) == (ANSWER.markdown, {"title": "Page 1"})


def test_haystack() -> None:
    haystack = pytest.importorskip("haystack", reason="large: pip install haystack-ai")
    document = haystack.Document(content=ANSWER.markdown, meta={"title": ANSWER.title})
    assert (document.content, document.meta) == (ANSWER.markdown, {"title": "Page 1"})


def test_crawl4ai() -> None:
    filters = pytest.importorskip(
        "crawl4ai.content_filter_strategy", reason="large: pip install crawl4ai"
    )

    class MainContent(filters.RelevantContentFilter):  # type: ignore[misc, name-defined]
        def filter_content(self, html: str, min_word_threshold: int | None = None) -> list[str]:
            return [extract(html).html]

    assert MainContent().filter_content(page(1).decode()) == [ANSWER.html]


def test_ray() -> None:
    data = pytest.importorskip("ray.data", reason="large: pip install 'ray[data]'")
    rows = [{"html": page(n), "url": f"https://a.example/{n}"} for n in range(6)]
    pages = data.from_items(rows, override_num_blocks=1)

    def work(batch: Any) -> Any:
        return extract_batch(batch["html"], batch["url"], extractor="mss", isolate=True)

    found = pages.map_batches(work, batch_format="pyarrow").take_all()
    texts = {row["url"]: row["text"] for row in found}
    assert texts == {row["url"]: extract(row["html"], extractor="mss").text for row in rows}
