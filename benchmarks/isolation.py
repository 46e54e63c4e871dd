"""What a row of an archive costs, in this process and in one of its own, and what learning does.

python -m benchmarks.isolation --data ../shared/data/wcxb-dev
"""

from __future__ import annotations

from collections.abc import Callable
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter

from benchmarks.commands import a_folder, command
from benchmarks.data import read
from benchmarks.tables import table
from scrapy_boilerplate import get_extractor
from scrapy_boilerplate.tools.isolation import Isolated, Mapper
from scrapy_boilerplate.tools.page_fingerprints import PageFingerprints
from scrapy_boilerplate.tools.rows import InputPage, PageRows


def cpu_seconds() -> float:
    """Return the processor time of this process and of those it started that have ended."""
    usages = map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(make: Callable[[], Mapper], pages: list[InputPage]) -> tuple[float, float]:
    """Return milliseconds a page, of the clock and of the processor, without the start."""
    times = []
    list(make().map(pages[:1]))  # loads models
    for values in (pages[:3], pages[:3] + pages):
        cpu, began, pool = cpu_seconds(), perf_counter(), make()
        assert any(list(pool.map(values)))  # some pages teach nothing
        wall = perf_counter() - began
        if isinstance(pool, Isolated):
            pool.close()
        times.append((wall, cpu_seconds() - cpu))
    wall, cpu = (1000 * (long - short) / len(pages) for short, long in zip(*times, strict=True))
    return wall, cpu


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--data", nargs="+", type=a_folder, required=True)
    parser.add_argument("--pages", type=int, default=400, help="of a sample, about")
    parser.add_argument("--extractor", default="auto")
    given = parser.parse_args()
    rows = [page for folder in given.data for page in read(folder)]
    pages = [InputPage(row.html, row.url) for row in rows[:: max(1, len(rows) // given.pages)]]
    method = get_extractor(given.extractor)
    ways: dict[str, Callable[[], Mapper]] = {
        "in this process": lambda: Mapper(PageRows, method),
        "in another": lambda: Isolated(PageRows, method, seconds=60),
        "learning": lambda: Mapper(PageFingerprints, method),
    }
    shown = [[name, *(f"{ms:.2f}" for ms in measured(ways[name], pages))] for name in [*ways] * 2]
    print(table(["", "ms a page", "processor ms a page"], shown))


if __name__ == "__main__":
    main()
