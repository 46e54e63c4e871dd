"""Switches of content that every output honours, whatever the method."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from scrapy_boilerplate.core.page.unseen import HiddenChoice, check_hidden


@dataclass(frozen=True, slots=True)
class Switches:
    """Switches for the parts of the main content that an answer has."""

    comments: bool | None = None
    """Whether the text of an article includes the comments of its readers; ``None``: as the method
    has it."""
    tables: bool = True
    """Whether tables of data are kept."""
    images: bool = True
    """Whether images are kept."""
    links: bool = True
    """Whether links are kept; their words are in any case."""
    formatting: bool = True
    """Whether emphasis and other marks inside a line are kept; their words are in any case."""
    blocked: bool = True
    """Whether pages that seem blocked have no text; ``False`` reads them like any other."""
    hidden: HiddenChoice = "keep"
    """Whether text stays that a browser hides by attributes; tabs hold theirs so, too."""
    max_words: int | None = None
    """The number of words that a section has at most; ``None``: no bound."""

    @classmethod
    def merged(cls, levels: Iterable[Mapping[str, Any]]) -> Switches:
        """Return the switches that several levels set; the first one that sets a switch decides."""
        return cls(**ChainMap(*map(dict, levels)))


SWITCHES = tuple(each.name for each in fields(Switches))  # names of the switches


def split(options: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, object]]:
    """Divide what a user wrote into switches and the options of an extractor."""
    switches: dict[str, Any] = {}
    others: dict[str, object] = {}
    for name, value in options.items():
        if name not in SWITCHES:
            others[name] = value
        elif name == "hidden":
            switches[name] = check_hidden(value)
        elif name == "max_words":
            if value is not None and (type(value) is not int or value < 1):
                raise ValueError(f"'max_words' must be a whole number, 1 or more, not {value!r}")
            switches[name] = value
        elif isinstance(value, bool):
            switches[name] = value
        else:
            raise ValueError(f"{name!r} must be True or False, not {value!r}")
    return switches, others
