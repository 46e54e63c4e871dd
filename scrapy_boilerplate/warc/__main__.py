"""The rows of web archives, as a command: ``python -m scrapy_boilerplate.warc --help``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from scrapy_boilerplate.sites.stores import StoreError
from scrapy_boilerplate.warc.archives import ArchiveError
from scrapy_boilerplate.warc.extraction import FINISHED, ArchiveReport, extract_archives
from scrapy_boilerplate.warc.learning import learn_archives
from scrapy_boilerplate.warc.sinks import FORMATS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 1 if an archive could not be read to its end."""
    options = _parser().parse_args(arguments)
    common = {"extractor": options.extractor, "processes": options.processes}
    try:
        if options.learn and not Path(options.out, FINISHED).is_dir():  # not in an earlier run
            count = learn_archives(options.archives, options.learn, **common)
            print(f"{count} sites are known in {options.learn}")
        reports = extract_archives(
            options.archives,
            options.out,
            format=options.format,
            sites=options.learn or options.sites,
            progress=_show,
            **common,
        )
    except (ArchiveError, OSError, StoreError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    total = sum((Counter(report.counts) for report in reports), Counter())
    print("all:", _counted(total))
    return int(any(report.error for report in reports))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m scrapy_boilerplate.warc", description=__doc__)
    parser.add_argument("archives", nargs="+", metavar="ARCHIVE", help="WARC or WACZ file")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where the rows go")
    parser.add_argument("--format", choices=FORMATS, default="parquet")
    parser.add_argument("--extractor", default="auto", metavar="NAME")
    parser.add_argument("--processes", type=int, metavar="N", help="default: one a processor")
    sites = parser.add_mutually_exclusive_group()
    sites.add_argument("--sites", metavar="STORE", help="apply the models of this site store")
    sites.add_argument("--learn", metavar="STORE", help="learn the sites first, into this store")
    return parser


def _show(report: ArchiveReport) -> None:
    shown = report.error or _counted(report.counts)
    if not report.is_new:
        shown = f"known; {shown}"
    print(f"{report.archive} ({report.seconds:g} s): {shown}", flush=True)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


if __name__ == "__main__":
    sys.exit(main())
