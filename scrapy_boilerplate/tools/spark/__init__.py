"""Web archives, rows and learned sites on Apache Spark. Needs the extra ``spark``.

>>> from pyspark.sql import SparkSession                                    # doctest: +SKIP
>>> spark = SparkSession.builder.getOrCreate()                              # doctest: +SKIP
>>> pages = read_warcs(spark, ["s3a://bucket/0.warc.gz"])                   # doctest: +SKIP
>>> learn_sites(pages).write.parquet("s3a://bucket/models")                 # doctest: +SKIP
>>> rows = extract(pages, models="s3a://bucket/models")                     # doctest: +SKIP
>>> rows.write.parquet("s3a://bucket/rows")                                 # doctest: +SKIP
"""

from __future__ import annotations

from scrapy_boilerplate.tools.spark.page_rows import extract, read_records, read_warcs
from scrapy_boilerplate.tools.spark.site_learning import learn_sites, save_models

__all__ = ["extract", "learn_sites", "read_records", "read_warcs", "save_models"]
