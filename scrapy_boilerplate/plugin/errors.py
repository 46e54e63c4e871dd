"""The error that stops a crawl before it begins, shown as a message without a traceback."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cache, partial

from scrapy.exceptions import UsageError
from scrapy.utils.log import get_scrapy_root_handler
from twisted.logger import LogEvent, globalLogBeginner, globalLogPublisher

__all__ = ["ConfigurationError", "stop"]


class ConfigurationError(UsageError, ValueError):
    """The crawl cannot begin. The message lists every mistake that was found.

    Scrapy's commands show only the message of a :exc:`~scrapy.exceptions.UsageError`. If a crawl
    raises this error and nothing catches it, the log shows the message without a traceback.
    """


def stop(mistakes: Iterable[str]) -> None:
    """If there are mistakes, raise one :exc:`ConfigurationError` that lists them."""
    lines = [f"- {mistake}" for mistake in mistakes]
    if lines:
        _show_without_traceback()
        raise ConfigurationError("\n".join(["scrapy_boilerplate cannot start:", *lines]))


@cache
def _show_without_traceback() -> None:
    for name in ("asyncio", "twisted"):  # who log them, by the kind of Scrapy's process
        logging.getLogger(name).addFilter(_message_only)
    # Twisted also writes them to stderr until it is told where to; Scrapy never tells it.
    early = getattr(globalLogBeginner, "_temporaryObserver", None)
    if early is not None and get_scrapy_root_handler() is not None:
        globalLogPublisher.removeObserver(early)
        globalLogPublisher.addObserver(partial(_pass_others_on, early))  # type: ignore[arg-type]


def _message_only(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, ConfigurationError):
        record.name = "scrapy_boilerplate"
        record.msg, record.args = str(error), ()
        record.exc_info = record.exc_text = None
    return True


def _pass_others_on(observer: Callable[[LogEvent], None], event: LogEvent) -> None:
    if not isinstance(getattr(event.get("log_failure"), "value", None), ConfigurationError):
        observer(event)
