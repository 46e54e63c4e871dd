"""Views of a page instead of its text: methods side by side, and the reason for each block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from scrapy_boilerplate.core.answer.extraction import Explanation, Extraction
from scrapy_boilerplate.core.answer.overlay import shortened
from scrapy_boilerplate.core.compare import Comparison
from scrapy_boilerplate.tools.tables import table

_LONGEST_TEXT = 60
"""Characters of a block's text that a line shows."""


def comparison_table(comparison: Comparison) -> str:
    """Return a row for each method: how much it kept, and how far it agrees with each other one."""
    head = ("method", "words", "mean", *comparison.names)
    rows = [
        (
            name,
            str(len(extraction.text.split())),
            f"{mean:.2f}",
            *(f"{value:.2f}" for value in agreement),
        )
        for name, extraction, mean, agreement in _methods(comparison)
    ]
    return table([head, *rows], right=range(1, len(head)))


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """Return what :func:`comparison_table` shows as JSON types, with the texts."""
    return {
        name: {
            "text": extraction.text,
            "confidence": extraction.confidence,
            "mean_agreement": mean,
            "agreement": dict(zip(comparison.names, agreement, strict=True)),
        }
        for name, extraction, mean, agreement in _methods(comparison)
    }


def _methods(
    comparison: Comparison,
) -> Iterator[tuple[str, Extraction, float, tuple[float, ...]]]:
    """Yield each method's name, answer, mean agreement, and agreement with each method."""
    return zip(
        comparison.names,
        comparison.extractions,
        comparison.mean_agreement,
        comparison.agreement,
        strict=True,
    )


def explanation_lines(explanations: Sequence[Explanation]) -> str:
    """Return a line for each block: ``+`` or ``-``, score, beginning of the text, reason, XPath."""
    rows = [
        (
            "+" if each.kept else "-",
            f"{each.score:.2f}",
            shortened(each.text, _LONGEST_TEXT),
            each.reason,
            each.xpath,
        )
        for each in explanations
    ]
    return table(rows, right=[1]) if rows else ""


def explanation_record(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return the explanations as JSON types."""
    return [asdict(each) for each in explanations]
