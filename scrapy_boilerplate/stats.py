"""The names of the crawl's statistics, with what they count."""

from __future__ import annotations

__all__ = ["STATS"]

STATS: dict[str, str] = {
    "boilerplate/pages": "Pages read: one for a response, however many items it has.",
    "boilerplate/bytes_in": "Bytes of the bodies of these pages.",
    "boilerplate/truncated": "Pages of which the parser dropped a part that is missing.",
    "boilerplate/over_budget": "Pages with more than `BOILERPLATE_MAX_NODES` tags, of which only "
    "the beginning was read.",
    "boilerplate/reparsed": "Pages that an HTML5 parser has read, since lxml dropped a part.",
    "boilerplate/extractions": "Extractions: one for a page and extractor.",
    "boilerplate/extractor/<name>": "Extractions by this extractor.",
    "boilerplate/kind/<kind>": "Extractions that found a page of this kind.",
    "boilerplate/chars_in": "Characters of visible text, white space not counted, by extraction.",
    "boilerplate/chars_out": "Characters of the text that was kept, counted in the same way.",
    "boilerplate/seconds": "Seconds spent in reading pages and extracting, a sum.",
    "boilerplate/items": "Items of which at least one field was filled.",
    "boilerplate/errors": "Errors; the item went on, the log says what happened.",
    "boilerplate/errors/<exception>": "Errors of this type; `choice` is a wrong name or option.",
    "boilerplate/skipped/off": "Items to be left alone, or whose class has none of the fields.",
    "boilerplate/skipped/filled": "Items whose fields had values already.",
    "boilerplate/skipped/no_page": "Items without a response and without HTML in a field.",
    "boilerplate/skipped/too_large": "Items whose page is larger than `BOILERPLATE_MAX_BODY`.",
    "boilerplate/skipped/not_an_item": "Objects that itemadapter does not know as items.",
    "boilerplate/sites/held": "Pages whose items waited for their site to be learned.",
    "boilerplate/sites/released": "Items that were let go again: each goes on exactly once.",
    "boilerplate/sites/not_held": "Items that could not be written to disk, and went on at once.",
    "boilerplate/sites/in_doubt": "Items that were on their way when the last run was killed, "
    "and go again: if they had arrived they come twice.",
    "boilerplate/sites/frozen": "Sites that were learned.",
    "boilerplate/sites/learned_elsewhere": "Sites that another worker has learned meanwhile.",
    "boilerplate/sites/relearning": "Sites that had changed, and are learned anew.",
    "boilerplate/sites/learning": "Sites that were still being learned when the spider closed.",
    "boilerplate/sites/applied": "Extractions with a site's model.",
    "boilerplate/sites/no_article": "Pages of which a site's model says that they hold no article.",
    "boilerplate/sites/evicted": "Sites that had to leave memory; the store has them.",
    "boilerplate/sites/errors": "Errors in learning or in the store; the item went on without.",
    "boilerplate/sites/seconds": "Seconds spent in learning and applying, extraction included.",
    "boilerplate/strip/kept": "HTML responses that keep them, since code may read them.",
    "boilerplate/strip/responses": "HTML responses that were searched for scripts and styles.",
    "boilerplate/strip/bytes_in": "Bytes of the bodies of these responses.",
    "boilerplate/strip/bytes_removed": "Bytes of scripts and styles that were cut from them.",
    "boilerplate/strip/errors": "Errors in this; the response went on as it was.",
}
"""Every statistic by its name; a part in angle brackets stands for what it names."""
