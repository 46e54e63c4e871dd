"""Images as they stand in a tree."""

from collections.abc import Mapping

from lxml import etree

class Seen:
    said: Mapping[str, str]
    key: int
    stands_alone: bool | None
    picture_beside: Seen | None
    above: list[Seen]
    sources: list[Mapping[str, str]]
    link_key: int
    href: str
    shares: bool
    stands_beside: bool
    shows_again: bool
    def __init__(self, node: etree._Element) -> None: ...
