"""The events of which a document is made."""

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Int32

WHOLE: int
"""A part of it may not be read by itself: code or a formula."""
NOTE: int
NOTES: int
"""It stands right around notes."""
TABLE: int
"""A table of data."""
IN_TABLE: int
NODE: int
"""Its attributes or parts are read."""
HEADING: int
LIST: int
PART: int
"""A part of a table."""
BELONGS: int
"""A block only inside of the block that it belongs in."""
STYLE: int
MARKED: int
"""The page draws marks around it."""
LINK: int
EMBEDS: int
SHOWS: int
"""It shows an image."""
CALLOUT: int
"""It may be a callout."""
FORMULA: int
"""It may be a formula."""
LINE: int
"""It may be a line of code."""
VALUE: int
"""It says how it counts."""
DIVISION: int
"""It may hold lines of code."""
RULE: int
CHECKBOX: int

def events(
    root: etree._Element,
    elements: Int32,
    texts: Int32,
    is_read: NDArray[np.uint8],
    keep: NDArray[np.uint8],
    tags: Int32,
    classes: Int32,
    may_draw: bool,
) -> tuple[Int32, dict[int, etree._Element], dict[int, str], bool, bool]: ...
