"""The chart shows what stands in the tables."""

from __future__ import annotations

from lxml import etree

from benchmarks import chart


def test_the_chart_is_drawn_from_the_tables_as_they_are() -> None:
    pages = (chart.ROOT / "README.md", chart.ROOT / "docs" / "benchmarks.md")
    points = chart.read_points(*(page.read_text(encoding="utf-8") for page in pages))
    names = [point.name for point in points]
    assert {"auto", "mss", "trafilatura", "resiliparse"} < set(names)
    assert not next(point for point in points if point.name == "resiliparse").is_ours
    drawn = chart.OUTPUT.read_text(encoding="utf-8")
    assert chart.draw(points) == drawn, "run python -m benchmarks.chart"
    shown = etree.fromstring(drawn.encode()).xpath("//*[local-name()='circle']")
    assert len(shown) == len(names)
