"""The names of the crawl's statistics, with what they count."""

from __future__ import annotations

__all__ = ["STATS"]

STATS: dict[str, str] = {
    "boilerplate/pages": "Pages read: one for a response, however many items it has.",
    "boilerplate/bytes_in": "Bytes of the bodies of these pages.",
    "boilerplate/truncated": "Pages of which the parser dropped a part that is missing.",
    "boilerplate/over_budget": "Pages with more than `BOILERPLATE_MAX_NODES` tags, of which only "
    "the beginning was read.",
    "boilerplate/garbled": "Pages that were decoded wrongly, as far as their characters show it.",
    "boilerplate/encoding_disagrees": "Pages that are UTF-8, and that Scrapy decodes as something "
    "else because a `meta` says so.",
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
    "boilerplate/skipped/not_asked": "Default fields that a dict did not get, as it lacks them and "
    "its page holds no article.",
    "boilerplate/skipped/filled": "Items whose fields had values already.",
    "boilerplate/skipped/no_page": "Items without a response and without HTML in a field.",
    "boilerplate/skipped/too_large": "Items whose page is larger than `BOILERPLATE_MAX_BODY`.",
    "boilerplate/skipped/not_an_item": "Objects that itemadapter does not know as items.",
    "boilerplate/sites/known": "Sites that the store knew when the spider opened.",
    "boilerplate/sites/held": "Pages whose items were held until their site was learned.",
    "boilerplate/sites/released": "Held items that went on: each exactly once.",
    "boilerplate/sites/not_held": "Items that would not come back from disk, and went on at once.",
    "boilerplate/sites/holding/items": "Items that are held at this moment.",
    "boilerplate/sites/holding/sites": "The first sites that they are of, with their numbers.",
    "boilerplate/sites/holding/until": "When they go on at the latest; `None` if none is held.",
    "boilerplate/sites/repeated": "Items that came again after a kill, equal to one that had gone "
    "on in this run; they did not go on twice.",
    "boilerplate/sites/unreadable": "Held items that could not be read back: they are lost.",
    "boilerplate/sites/in_doubt": "Items that were on their way when the last run was killed, "
    "and go again: if they had arrived they come twice.",
    "boilerplate/sites/frozen": "Sites that were learned.",
    "boilerplate/sites/learned_elsewhere": "Sites that another worker has learned meanwhile.",
    "boilerplate/sites/relearning": "Sites that had changed, and are learned anew.",
    "boilerplate/sites/learning": "Sites that were still being learned when the spider closed.",
    "boilerplate/sites/applied": "Extractions with a site's model.",
    "boilerplate/sites/no_article": "Pages of which a site's model says that they hold no article.",
    "boilerplate/sites/evicted": "Sites that had to leave memory; the store has them.",
    "boilerplate/sites/not_saved": "Sites whose state could not be written to the store.",
    "boilerplate/sites/errors": "Errors in learning, holding or a store; the item went on.",
    "boilerplate/sites/errors/<exception>": "Errors of this type.",
    "boilerplate/sites/seconds": "Seconds spent in learning and applying, extraction included.",
    "boilerplate/strip/kept": "HTML responses that keep them, since code may read them.",
    "boilerplate/strip/responses": "HTML responses that were searched for scripts and styles.",
    "boilerplate/strip/bytes_in": "Bytes of the bodies of these responses.",
    "boilerplate/strip/bytes_removed": "Bytes of scripts and styles that were cut from them.",
    "boilerplate/strip/errors": "Errors in this; the response went on as it was.",
    "boilerplate/strip/errors/<exception>": "Errors of this type.",
}
"""Every statistic by its name; a part in angle brackets stands for what it names."""
