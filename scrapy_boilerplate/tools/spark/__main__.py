"""Rows of web archives on Spark, as a command.

    boilerplate-spark s3://bucket/0.warc.gz … --out s3a://bucket/rows --learn
    spark-submit --master … "$(command -v boilerplate-spark.py)" WARC… --out …

Both names are the same command; spark-submit takes only files that end in ``.py``. With ``--learn``
the sites are learned from the archives first; with ``--models`` those of an earlier run are
applied. Rows are written in waves of archives; with ``--resume`` a run continues after the last
wave that an earlier one has finished. Models and notes are in the folder ``OUT.progress``, so that
``OUT`` is a data set of rows only.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from scrapy_boilerplate import __version__
from scrapy_boilerplate.tools.cli.arguments import (
    add_columns,
    add_key,
    add_method,
    extractor_options,
)
from scrapy_boilerplate.tools.places import is_remote
from scrapy_boilerplate.tools.rows import FAILURES, check_columns
from scrapy_boilerplate.tools.spark import extract, learn_sites, read_warcs
from scrapy_boilerplate.tools.spark.page_rows import rules_text
from scrapy_boilerplate.tools.tables import counted
from scrapy_boilerplate.tools.warc import PageReader


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        method = {"extractor": options.extractor, "key": options.key, **extractor_options(options)}
        check_columns(options.columns)
    except ValueError as error:
        parser.error(str(error))
    builder = SparkSession.builder.appName("scrapy_boilerplate")
    if options.master:
        builder = builder.master(options.master)
        if options.master.startswith("local"):  # workers are this Python, not the first on PATH
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = builder.config(map=_CONFIGURATION).getOrCreate()
    try:
        is_whole = _run(spark, options, method)
    except ValueError as error:
        parser.error(str(error))
    finally:
        spark.stop()
    return int(not is_whole)


_CONFIGURATION: dict[str, Any] = {
    # A page may have megabytes, and Spark's default is ten thousand pages a batch.
    "spark.sql.execution.arrow.maxRecordsPerBatch": 256,
    # Readers of a folder expect files of rows only: no marks of success, no checksums.
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    # Its default, INT96, is no standard type of Parquet, and other readers read another time zone.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}


def _run(spark: SparkSession, options: argparse.Namespace, method: dict[str, Any]) -> bool:
    progress = f"{options.out.rstrip('/')}.progress"
    noted = f"{progress}/finished"
    how = f"{__version__} {method} {options.learn or options.models}"
    how += rules_text(options.rules)
    how += f" {options.columns}" if options.columns else ""
    # What a run has written that was killed before it noted that is overwritten.
    mode = "overwrite" if options.resume else "error"
    known = _noted(spark, noted, how) if options.resume else {}
    path = options.models
    if options.learn:
        path = f"{progress}/models"
        if _MODELS not in known:
            pages = read_warcs(spark, options.archives)
            reader = PageReader(with_bodies=False)
            addresses = read_warcs(spark, options.archives, reader=reader)
            learned = learn_sites(pages, addresses=addresses, **method)
            learned.write.mode(mode).parquet(path)
            _note(spark, noted, {_MODELS: ""}, -1, how)
    models = os.path.abspath(path) if path and not is_remote(path) else path
    left = [each for each in options.archives if each not in known or known[each].damage]
    wave = max((note.wave for note in known.values()), default=-1)
    columns = options.columns and (*options.columns, "reason")
    how_to = {"columns": columns, "models": models, "rules": options.rules, **method}
    again = {each for each in left if each in known}
    for stale in sorted({known[each].wave for each in again}):
        stay = {each: note.damage for each, note in known.items() if note.wave == stale}
        stay = {each: damage for each, damage in stay.items() if each not in again}
        if stay:
            wave += 1
            rows = spark.read.parquet(f"{options.out}/wave={stale}")
            kept = spark.createDataFrame([(each,) for each in stay], "archive string")
            rows = rows.join(kept, "archive", "left_semi").select(rows.columns)
            rows.write.mode("overwrite").parquet(f"{options.out}/wave={wave}")
            _note(spark, noted, stay, wave, how)
        nothing = spark.createDataFrame([], extract(read_warcs(spark, []), **how_to).schema)
        nothing.write.mode("overwrite").parquet(f"{options.out}/wave={stale}")
    is_whole = True
    for at in range(0, len(left), options.wave):
        wave, archives = wave + 1, left[at : at + options.wave]
        rows = extract(read_warcs(spark, archives), **how_to)
        folder = f"{options.out}/wave={wave}"
        rows.write.mode(mode).parquet(folder)
        damage = _damage(spark.read.schema(rows.schema).parquet(folder))
        is_whole &= not damage
        _note(spark, noted, {each: damage.get(each, "") for each in archives}, wave, how)
    before = len(options.archives) - len(left)
    _tell(f"{counted(len(left), 'archive')} read, {before} finished before")
    if options.learn:
        count = spark.read.parquet(path).where("model IS NOT NULL").count()
        _tell(f"{counted(count, 'site')} learned")
    return is_whole


def _damage(rows: DataFrame) -> dict[str, str]:
    """Tell of which archives something failed; return what was the first damage of each, if any."""
    first = "min_by(concat('byte ', coalesce(offset, 0), ': ', reason), coalesce(offset, 0))"
    found = rows.where(f"reason RLIKE '^({'|'.join(FAILURES)})'").groupBy("archive")
    told: dict[str, str] = {}
    for row in found.agg(
        expr("count(*)").alias("number"),
        expr(first).alias("first"),
        expr(f"min(CASE WHEN reason RLIKE '{_DAMAGE}' THEN reason END)").alias("damage"),
    ).collect():
        if len(told) < _MOST_TOLD:
            _tell(f"{row.archive}: {counted(row.number, 'record')} failed; {row.first}")
        told[row.archive] = row.damage or ""
    return told


# The reasons of what could not be read, so that its archive is read again; not of limits
_DAMAGE = "^(archive|damaged: (?!too_large))"

_MOST_TOLD = 1000  # archives of a wave


class _Note(NamedTuple):
    """The wave that has the rows of an archive, and what could not be read."""

    wave: int
    damage: str


_NOTES = "archive string, wave int, how string, damage string"
_MODELS = "(models)"


def _note(spark: SparkSession, noted: str, archives: dict[str, str], wave: int, how: str) -> None:
    rows = [(archive, wave, how, damage) for archive, damage in archives.items()]
    spark.createDataFrame(rows, _NOTES).coalesce(1).write.mode("append").json(noted)


def _noted(spark: SparkSession, noted: str, how: str) -> dict[str, _Note]:
    try:
        rows = spark.read.schema(_NOTES).json(noted).collect()
    except AnalysisException:  # nothing is there yet
        return {}
    if any(row.how != how for row in rows):
        raise ValueError(f"{noted} belongs to rows of another extractor or version")
    return {
        row.archive: _Note(row.wave, row.damage or "")
        for row in sorted(rows, key=lambda row: row.wave)
    }


def _tell(message: str) -> None:
    print(f"boilerplate-spark: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "boilerplate-spark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("archives", nargs="+", metavar="WARC", help="file or address of an archive")
    add("--out", required=True, help="folder for the rows; models and notes are in OUT.progress")
    add("--master", help="address of the cluster (default: spark-submit's, else here)")
    add_method(parser)
    add_key(parser)
    add_columns(parser)
    models = parser.add_mutually_exclusive_group()
    models.add_argument("--learn", action="store_true", help="learn the sites first")
    models.add_argument(
        "--models", metavar="PLACE", help="apply the models of an earlier run, or of a store"
    )
    add("--rules", metavar="FILE", help="JSON file of rules, which add to what is learned")
    add("--resume", action="store_true", help="continue in --out; skip finished archives")
    wave = "archives whose rows are finished together (default: 1000)"
    add("--wave", type=int, default=1000, metavar="N", help=wave)
    return parser


if __name__ == "__main__":
    sys.exit(main())
