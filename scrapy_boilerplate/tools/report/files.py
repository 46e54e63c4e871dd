"""Files that keep the report of a crawl between and after its runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from scrapy_boilerplate.plugin.settings import read
from scrapy_boilerplate.tools.report.figures import CrawlFigures

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_FOLDER = "boilerplate"


def report_path(settings: BaseSettings, spider: str) -> Path:
    """Return the file of a spider's report: ``BOILERPLATE_REPORT`` or its default."""
    value: bool | str = read(settings, "BOILERPLATE_REPORT")
    if isinstance(value, str):
        return Path(value)
    folder = job_dir(settings)
    if folder is not None:
        return Path(folder, _FOLDER, "report.json")
    name = re.sub(r"[^\w.-]", "_", spider)
    return Path(data_path(_FOLDER, createdir=False), f"report-{name}.json")


def newest_report(settings: BaseSettings) -> Path | None:
    """Return the report that was written last of those where reports of the project are kept."""
    path = report_path(settings, "*")
    is_named = isinstance(read(settings, "BOILERPLATE_REPORT"), str) or job_dir(settings)
    found = [path] if is_named else path.parent.glob("report-*.json")
    existing = [each for each in found if each.exists()]
    return max(existing, key=lambda each: each.stat().st_mtime, default=None)


def read_report(path: Path) -> CrawlFigures:
    """Read a report; raise :exc:`ValueError` or :exc:`OSError` if that is not possible."""
    try:
        return CrawlFigures.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise ValueError(f"{path} is no report of a crawl ({error})") from error


def write_report(figures: CrawlFigures, path: Path) -> None:
    """Write a report in place of the one that is there, in one step; only its owner may read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.touch(mode=0o600)
    new.write_text(json.dumps(figures.to_dict(), ensure_ascii=False), encoding="utf-8")
    new.replace(path)
