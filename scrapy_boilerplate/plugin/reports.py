"""Errors that stop nothing: all are counted, the first of each kind is logged."""

from __future__ import annotations

from logging import Logger

from scrapy.crawler import Crawler

MAX_LOGGED = 1000  # messages that a component logs once each; later ones are only counted


class Reports:
    """Counts what one component does and what goes wrong; *outcome* says what that does."""

    def __init__(self, crawler: Crawler, prefix: str, logger: Logger, outcome: str) -> None:
        stats = crawler.stats
        assert stats is not None
        self._add = stats.inc_value  # looking it up is dear
        self._prefix = prefix
        self._logger = logger
        self._outcome = outcome
        self._logged: set[tuple[str, ...]] = set()

    def count(self, name: str, by: float = 1) -> None:
        self._add(f"{self._prefix}/{name}", by)  # type: ignore[arg-type]

    def error(self, error: BaseException, what: str, url: str | None = None) -> None:
        """Count an error, and log the first of its kind with its page and traceback."""
        kind = type(error).__name__
        self.count("errors")
        self.count(f"errors/{kind}")
        if self.first_time(what, kind):
            self._logger.error(
                "%s failed%s: %s: %s (%s; further errors of this kind are only counted)",
                *(what, f" on {url}" if url is not None else "", kind, error, self._outcome),
                exc_info=error,
            )

    def first_time(self, *message: str) -> bool:
        """Return whether that message comes for the first time, and remember it."""
        if message in self._logged or len(self._logged) >= MAX_LOGGED:
            return False
        self._logged.add(message)
        return True
