"""A method that ends its process, hangs or fails on pages that say so."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scrapy_boilerplate import Extractor, Page, Verdict


@dataclass(frozen=True)
class Hostile(Extractor):
    """Keeps everything, and ends the process on pages that say so."""

    name: ClassVar[str] = "hostile"

    def judge(self, page: Page) -> Verdict:
        if "crash here" in page.buffer:
            os.abort()
        if "raise here" in page.buffer:
            raise ValueError("no")
        while "hang here" in page.buffer:
            pass
        spans = np.array([[0, page.text_at.size]])
        return Verdict(spans, np.array([True]), np.array([1.0]), lambda _: "")
