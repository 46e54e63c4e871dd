"""Rows of web archives on Spark, as a command.

    boilerplate-spark s3://bucket/0.warc.gz … --out s3a://bucket/rows --learn
    spark-submit --master … "$(command -v boilerplate-spark.py)" WARC… --out …

Both names are the same command; spark-submit takes only files that end in ``.py``. With ``--learn``
the sites are learned from the archives first, and the models are written beside the rows; with
``--models`` those of an earlier run are applied.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pyspark.sql import SparkSession

from scrapy_boilerplate.tools.cli.arguments import add_method, extractor_options
from scrapy_boilerplate.tools.cli.counts import counted
from scrapy_boilerplate.tools.spark import extract, learn_sites, read_warcs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        method = {"extractor": options.extractor, "key": options.key, **extractor_options(options)}
    except ValueError as error:
        parser.error(str(error))
    builder = SparkSession.builder.appName("scrapy_boilerplate")
    if options.master:
        builder = builder.master(options.master)
    # A page may have megabytes, and Spark's default is ten thousand pages a batch.
    spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "256").getOrCreate()
    try:
        pages = read_warcs(spark, options.archives)
        path = options.models
        if options.learn:
            path = f"{options.out}/models"
            addresses = read_warcs(spark, options.archives, with_bodies=False)
            learned = learn_sites(pages, addresses=addresses, **method)
            learned.write.mode("error").parquet(path)
        models = spark.read.parquet(path) if path else None
        rows = extract(pages, models=models, join=options.join, **method)
        rows.write.mode("error").parquet(f"{options.out}/pages")
        if models is not None:
            count = models.where("model IS NOT NULL").count()
            print(f"boilerplate-spark: {counted(count, 'site')} learned", file=sys.stderr)
    finally:
        spark.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "boilerplate-spark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", metavar="WARC", help="file or address of an archive")
    parser.add_argument("--out", required=True, help="folder for the rows, and for the models")
    parser.add_argument(
        "--master", help="address of the cluster (default: spark-submit's, else here)"
    )
    add_method(parser)
    parser.add_argument(
        "--key",
        choices=("host", "domain", "path"),
        default="host",
        help="what counts as one site (default: host)",
    )
    models = parser.add_mutually_exclusive_group()
    models.add_argument("--learn", action="store_true", help="learn the sites first")
    models.add_argument("--models", metavar="FOLDER", help="apply the models of an earlier run")
    parser.add_argument("--join", choices=("broadcast", "site"), default="broadcast")
    return parser


if __name__ == "__main__":
    sys.exit(main())
