"""Keeps notes with their marks."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.record import Rule
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.notes import texts_of_note

NOTES = Rule("notes", "note to which the text refers")

_MOST_WORDS_OF_NOTES, _MOST_SHARE = 500, 0.5
"""Words of notes, and their share of those kept, above which they are small print."""


def with_notes(page: Page, keep: Bool) -> Bool:
    """Return which blocks are kept with the notes to which those that *keep* flags refer."""
    notes = page.notes
    if not notes.notes:
        return keep
    marks = [(page.first_text[element], n) for element, (n, _) in notes.references.items()]
    marks += [(text, n) for text, places in notes.inside.items() for *_, n in places]
    blocks = page.block_of([text for text, _ in marks])
    referred = {n for (_, n), is_kept in zip(marks, keep[blocks], strict=True) if is_kept}
    found: Bool = keep.copy()
    for note, number in notes.notes.items():
        if number in referred:
            found[blocks_of_note(page, note)] = True
    words = page.per_block(page.words)
    added, kept = words[found & ~keep].sum(), words[keep].sum()
    return keep if added > max(_MOST_WORDS_OF_NOTES, _MOST_SHARE * kept) else found


def texts_with_notes(page: Page, keep: Bool) -> Bool:
    """Return the same for text nodes; *keep* itself if nothing is added."""
    if not page.notes.notes:
        return keep
    blocks = page.per_block(keep) > 0
    more = with_notes(page, blocks) & ~blocks
    if not more.any():
        return keep
    return keep | page.per_text(more)


def blocks_of_note(page: Page, note: int) -> slice:
    """Return the blocks in which a note has text: an element, or a line from a text node on."""
    start, stop = texts_of_note(page, note)
    first, after = page.block_starts.searchsorted([start + 1, stop])
    return slice(int(first) - 1, int(after))
