"""Rows of web archives on Spark, as a command.

    boilerplate-spark s3://bucket/0.warc.gz … --out s3a://bucket/rows --learn
    spark-submit --master … "$(command -v boilerplate-spark.py)" WARC… --out …

Both names are the same command; spark-submit takes only files that end in ``.py``. With ``--learn``
the sites are learned from the archives first; with ``--models`` those of an earlier run are
applied. Each archive becomes a file of rows, as by ``scrapy-boilerplate extract``; a run reads only
those that no earlier one has finished. Models and notes are in the folder ``OUT.progress``, so that
``OUT`` is a data set of rows only.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from scrapy_boilerplate.tools.cli.arguments import (
    add_columns,
    add_key,
    add_method,
    extractor_options,
)
from scrapy_boilerplate.tools.places import inside, is_remote
from scrapy_boilerplate.tools.rows import check_columns
from scrapy_boilerplate.tools.spark import learn_sites, read_warcs
from scrapy_boilerplate.tools.spark.page_rows import write_rows
from scrapy_boilerplate.tools.tables import counted
from scrapy_boilerplate.tools.warc import PageReader
from scrapy_boilerplate.tools.warc.finished import learned, note_learned, progress_folder


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


# A page may have megabytes, and Spark's default is ten thousand pages a batch.
_CONFIGURATION = {"spark.sql.execution.arrow.maxRecordsPerBatch": 256}


def _run(spark: SparkSession, options: argparse.Namespace, method: dict[str, Any]) -> bool:
    out, models = _absolute(options.out), options.models
    if options.learn:
        models = _learned(spark, out, options.archives, method)
    how = {"sites": models and _absolute(models), "columns": options.columns, **method}
    written = write_rows(spark, options.archives, out, options.rules, **how)
    for row in written:
        if row.number:
            _tell(f"{row.archive}: {counted(row.number, 'record')} failed; {row.first}")
    new = sum(row.is_new for row in written)
    _tell(f"{counted(new, 'archive')} read, {len(written) - new} finished before")
    return not any(row.number for row in written)


def _absolute(place: str) -> str:
    return place if is_remote(place) else os.path.abspath(place)


def _learned(spark: SparkSession, out: str, archives: list[str], method: dict[str, Any]) -> str:
    """Return the folder of the models, which the first run learns."""
    models = inside(progress_folder(out), "models")
    if not learned(out):
        addresses = read_warcs(spark, archives, reader=PageReader(with_bodies=False))
        table = learn_sites(read_warcs(spark, archives), addresses=addresses, **method)
        table.write.mode("overwrite").parquet(models)
        note_learned(out, archives)
    count = spark.read.parquet(models).where("model IS NOT NULL").count()
    _tell(f"{counted(count, 'site')} learned")
    return models


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
    return parser


if __name__ == "__main__":
    sys.exit(main())
