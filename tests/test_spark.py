"""Pages on Spark: the rows and models that one machine makes, however the pages are divided."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from archives import http, indexed, packed, page, record
from generated_sites import Made, Site

for name in ("pyspark", "pandas", "pyarrow", "fastwarc"):
    pytest.importorskip(name, reason=f"{name} is not installed; see the extra 'spark'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.functions import spark_partition_id

from scrapy_boilerplate import get_extractor
from scrapy_boilerplate.learn import SiteModel, SiteRule, extract_site
from scrapy_boilerplate.learn.rule_files import dump_models
from scrapy_boilerplate.tools.batch import extract_batch
from scrapy_boilerplate.tools.rows import COLUMNS
from scrapy_boilerplate.tools.spark import (
    extract,
    learn_sites,
    read_records,
    read_warcs,
    save_models,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::UserWarning"),
]

ROOT = Path(__file__).parent.parent
METHOD = "mss-tuned"
MADE: dict[str, object] = {}  # what the first of several tests has learned


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    folder = tmp_path_factory.mktemp("spark")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.local.dir", str(folder))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "16")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def pages_of_sites() -> list[Made]:
    """Return the pages of a large site, of a small one, and of a sub-domain without a model."""
    large = Site().pages(110, tags=10)
    small = Site(host="example.com", seed=5, container="entry").pages(12)
    sub = Site(host="sub.example.com", seed=5, container="entry").pages(1)
    return [*large, *small, *sub]


@pytest.fixture(scope="module")
def pages() -> list[Made]:
    return pages_of_sites()


@pytest.fixture(scope="module")
def expected(pages: list[Made]) -> dict[str, str]:
    found = extract_site([(made.url, made.html) for made in pages], extractor=METHOD)
    return {url: answer.text for url, answer in found}


def frame(spark: SparkSession, pages: list[Made], parts: int, seed: int) -> DataFrame:
    rows = [(made.url, made.html.encode()) for made in pages]
    random.Random(seed).shuffle(rows)
    return spark.createDataFrame(rows, "url string, html binary").repartition(parts)


def texts(df: DataFrame) -> dict[str, str]:
    return {row.url: row.text for row in df.select("url", "text").collect()}


@pytest.mark.parametrize(
    ("parts", "seed", "is_store"), [(1, 1, False), (5, 2, False), (3, 4, True)]
)
def test_learned_pages_equal_those_of_one_machine(
    spark: SparkSession,
    pages: list[Made],
    expected: dict[str, str],
    parts: int,
    seed: int,
    is_store: bool,
    tmp_path: Path,
) -> None:
    df = frame(spark, pages, parts, seed)
    models = str(tmp_path / "models")
    learn_sites(df, extractor=METHOD).write.parquet(models)
    found = pq.read_table(models).to_pylist()
    assert {(row["site"], row["pages"]) for row in found} == {
        *{("news.example", 100), ("example.com", 12), ("sub.example.com", 1)},
    }
    states = {row["site"]: (row["state"], row["model"]) for row in found}
    assert MADE.setdefault("states", states) == states  # however the pages are divided
    if is_store:
        table, models = spark.read.parquet(models), str(tmp_path / "sites.sqlite")
        save_models(table, models)
    assert texts(extract(df, extractor=METHOD, models=models)) == expected


def test_rules_add_to_what_was_learned(
    spark: SparkSession, pages: list[Made], tmp_path: Path
) -> None:
    rules, path = {"example.com": SiteModel("example.com", rule=SiteRule(drop=("h1",)))}, tmp_path
    (path / "rules.json").write_text(dump_models(rules.values()))
    df = frame(spark, pages, 3, 1)
    learn_sites(df, extractor=METHOD).write.parquet(str(path / "models"))
    given = [(made.url, made.html) for made in pages]
    ruled = {url: answer.text for url, answer in extract_site(given, extractor=METHOD, rules=rules)}
    places = {"models": str(path / "models"), "rules": str(path / "rules.json")}
    assert texts(extract(df, extractor=METHOD, **places)) == ruled
    alone = texts(extract(df, extractor=METHOD, rules=places["rules"]))
    for made in pages[-13:]:
        assert (
            alone[made.url] == rules["example.com"].apply(made.page(), get_extractor(METHOD)).text
        )


def test_records_that_an_index_chooses(spark: SparkSession, tmp_path: Path) -> None:
    entries = [*indexed(tmp_path), {"filename": "none.warc.gz", "offset": 0, "length": 9}]
    places = [(each["filename"], each["offset"], each["length"]) for each in entries[::3]]
    columns = "warc_filename string, warc_record_offset int, warc_record_length int"
    index = spark.createDataFrame(places, columns)
    found = read_records(index, base=str(tmp_path)).collect()
    chosen = sorted(each["url"] for each in entries[:-1:3])
    assert sorted(row.url for row in found if row.url and not row.reason) == chosen
    (lost,) = [row for row in found if not row.url]
    assert lost.reason.startswith("archive: ")
    assert str(lost.archive).endswith("none.warc.gz")


def test_rows_of_archives(spark: SparkSession, tmp_path: Path) -> None:
    paths = []
    for name, numbers in (("a", range(4)), ("b", range(4, 9))):
        path = tmp_path / f"{name}.warc.gz"
        records = [record(n) for n in numbers]
        records.append(record(99, http(b"", status="404 Not Found")))
        path.write_bytes(packed([*records, b"junk"], "members"))
        paths.append(str(path))
    paths.append(str(tmp_path / "none.warc"))
    df = extract(read_warcs(spark, paths), extractor="mss")
    known = "id url date status digest content_type x_robots_tag archive offset".split()
    assert df.columns == [*known, *(name for name in COLUMNS if name not in known)]
    rows = df.collect()
    texts = sorted((row.url, row.text, row.markdown) for row in rows if row.reason is None)
    table = extract_batch([page(n) for n in range(9)], extractor="mss").to_pylist()
    assert texts == [
        (f"https://a.example/{n}", row["text"], row["markdown"]) for n, row in enumerate(table)
    ]
    others = sorted(row.reason.partition(":")[0] for row in rows if row.reason)
    assert others == ["archive", "damaged", "damaged", "status", "status"]
    (one,) = [row for row in rows if row.url == "https://a.example/5"]
    assert one.metadata.title == "Page 5"
    assert (one.status, one.kind, one.archive) == (200, "article", paths[1])
    assert (one.host, one.language) == ("a.example", one.metadata.language)
    times = {row.timestamp.timestamp() for row in rows if row.date}
    assert times == {datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc).timestamp()}


@pytest.mark.parametrize("archives", [1, 6, 1000, 90_000])
def test_one_archive_is_one_task(spark: SparkSession, archives: int) -> None:
    pages = read_warcs(spark, [f"/nowhere/{number}.warc" for number in range(archives)])
    assert pages.rdd.getNumPartitions() == archives
    if archives <= 6:  # a task for each of more takes Python a while
        tasks = pages.withColumn("task", spark_partition_id()).select("archive", "task").collect()
        assert [row.task for row in sorted(tasks, key=lambda row: row.archive)] == [
            *range(archives)
        ]
    elif archives <= 1000:  # the numbers that it hands out, without Python
        numbers = spark.range(archives, numPartitions=archives)
        assert numbers.groupBy(spark_partition_id()).count().where("count > 1").count() == 0


def test_a_page_that_crashes_or_hangs_costs_its_row(spark: SparkSession) -> None:
    from hostile import Hostile

    bodies = [f"<p>Page {n} {'crash here' if n in (3, 4) else ''}" for n in range(9)]
    bodies[6] = "<p>hang here"
    df = spark.createDataFrame(
        [(str(n), html) for n, html in enumerate(bodies)], "n string, html string"
    )
    found = extract(df.coalesce(1), url=None, extractor=Hostile(), seconds=20).collect()
    reasons = {int(row.n): row.reason for row in found if row.reason}
    assert reasons == {3: "crashed: SIGABRT", 4: "crashed: SIGABRT", 6: "timeout"}
    assert len(found) == 9


def test_mistakes_are_told_by_the_driver(spark: SparkSession) -> None:
    df = spark.createDataFrame([("<p>a",)], "html string")
    with pytest.raises(ValueError, match="no column url; there are: html"):
        extract(df)
    with pytest.raises(ValueError, match="Unknown extractor 'mms'"):
        extract(df, url=None, extractor="mms")


def test_the_script_of_the_documentation(tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    made = Site().pages(24)
    records = [record(n, http(each.html.encode()), url=each.url) for n, each in enumerate(made)]
    path.write_bytes(packed(records, "members"))
    text = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(import sys\n.*?)```", text, re.S)
    (tmp_path / "rows.py").write_text(script)
    submit = [str(Path(sys.executable).parent / "spark-submit"), "--master", "local[2]"]
    done = subprocess.run(
        [*submit, "rows.py", str(path)],
        env=environment(SPARK_CONF_DIR=str(spark_settings(tmp_path))),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = {row["url"]: row["text"] for row in pq.read_table(tmp_path / "rows").to_pylist()}
    answers = extract_site([(each.url, each.html) for each in made], extractor="auto")
    assert found == {url: answer.text for url, answer in answers}
    assert pq.read_table(tmp_path / "models").num_rows == 1


def spark_settings(folder: Path) -> Path:
    settings = folder / "conf"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(
        "spark.ui.showConsoleProgress true\nspark.driver.memory 512m\nspark.executor.memory 512m\n"
        "spark.ui.enabled false\nspark.driver.host 127.0.0.1\nspark.sql.shuffle.partitions 3\n"
        "spark.network.timeoutInterval 20s\nspark.network.timeout 60s\n"
    )
    return settings


def environment(**more: str) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        **more,
    }
