"""A job of Common Crawl's cc-pyspark. Needs the packages ``cc-pyspark`` and ``fastwarc``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from cc_pyspark.sparkcc import CCSparkJob
from pyspark.sql import SparkSession

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.tools.isolation import kept_pool
from scrapy_boilerplate.tools.rows import COLUMNS, MEMORY, SECONDS, PageRows
from scrapy_boilerplate.tools.spark.extraction import declared
from scrapy_boilerplate.tools.warc import PageReader, page_rows

__all__ = ["ExtractionJob"]


class ExtractionJob(CCSparkJob):
    """Writes a row for each page, with the columns of
    :data:`~scrapy_boilerplate.tools.rows.COLUMNS`.

    *extractor*, *options*, *seconds* and *memory* are those of
    :func:`~scrapy_boilerplate.tools.batch.extract_batch`. :meth:`run` reads cc-pyspark's command
    line.
    """

    name = "Extraction"
    output_schema = ", ".join(map(declared, COLUMNS))

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        *,
        seconds: float = SECONDS,
        memory: int | None = MEMORY,
        **options: object,
    ) -> None:
        choose_method(extractor, options)  # which may find mistakes
        self._make = extractor, options
        self._seconds, self._memory = seconds, memory

    def process_warc(self, uri: str, stream: BinaryIO) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an archive."""
        with kept_pool(
            PageRows, *self._make, isolate=True, seconds=self._seconds, memory=self._memory
        ) as pool:
            for row in page_rows(PageReader().pages(stream), pool):
                self.records_processed.add(1)
                yield tuple(row.values())

    def run_job(self, session: SparkSession) -> None:
        """Write the rows of all archives; cc-pyspark's own jobs count by keys instead."""
        args = self.args
        archives = session.sparkContext.textFile(
            args.input, minPartitions=args.num_input_partitions
        )
        rows = archives.mapPartitionsWithIndex(self.process_warcs)
        table = session.createDataFrame(rows, schema=self.output_schema)
        table.coalesce(args.num_output_partitions).write.format(args.output_format).option(
            "compression", args.output_compression
        ).saveAsTable(args.output)
        self.log_accumulators(session)


if __name__ == "__main__":
    ExtractionJob().run()
