"""The names and meanings of the crawl's statistics."""

from __future__ import annotations

STATS: dict[str, str] = {
    "boilerplate/pages": "Pages read. A response counts once, however many items it has.",
    "boilerplate/bytes_in": "Bytes of the bodies of these pages.",
    "boilerplate/truncated": "Pages that lost a part because the parser dropped it.",
    "boilerplate/over_budget": "Pages with more than `BOILERPLATE_MAX_NODES` tags. Only their "
    "beginning was read.",
    "boilerplate/garbled": "Pages that were decoded wrongly, judged by their characters.",
    "boilerplate/encoding_disagrees": "UTF-8 pages that Scrapy decodes as something else because a "
    "`meta` says so.",
    "boilerplate/reparsed": "Pages that an HTML5 parser read again because lxml dropped a part.",
    "boilerplate/extractions": "Extractions: one for each page and extractor.",
    "boilerplate/extractor/<name>": "Extractions by this extractor.",
    "boilerplate/kind/<kind>": "Extractions that found a page of this kind.",
    "boilerplate/chars_in": "Visible characters of the pages, without white space, counted for "
    "each extraction.",
    "boilerplate/chars_out": "Characters of the text that was kept, counted in the same way.",
    "boilerplate/seconds": "Total seconds spent reading pages and extracting.",
    "boilerplate/items": "Items that got a value in at least one field.",
    "boilerplate/errors": "Errors. The item went on; the log says what happened.",
    "boilerplate/errors/<exception>": "Errors of this type. `choice` stands for a wrong name or "
    "option.",
    "boilerplate/skipped/off": "Items that a choice leaves alone, or whose class has none of the "
    "fields.",
    "boilerplate/skipped/not_asked": "Default fields that a dict did not get, because it lacks "
    "them and its page holds no article.",
    "boilerplate/skipped/filled": "Items whose fields already had values.",
    "boilerplate/skipped/no_page": "Items without a response and without HTML in a field.",
    "boilerplate/skipped/too_large": "Items whose page is larger than `BOILERPLATE_MAX_BODY`.",
    "boilerplate/skipped/not_an_item": "Objects that itemadapter does not recognise as items.",
    "boilerplate/sites/known": "Sites that the store knew when the spider opened.",
    "boilerplate/sites/held": "Pages whose items were held until their site was learned.",
    "boilerplate/sites/released": "Held items that went on, each exactly once.",
    "boilerplate/sites/not_held": "Items that cannot be stored on disk and read back. They went on "
    "at once.",
    "boilerplate/sites/not_waited": "Items of sites' first pages that went on at once, since "
    "hardly any site had a second page in time.",
    "boilerplate/sites/holding/items": "Items held at this moment.",
    "boilerplate/sites/holding/sites": "The first sites with held items, and how many items each "
    "has.",
    "boilerplate/sites/holding/until": "When the held items go on at the latest; `None` if none is "
    "held.",
    "boilerplate/sites/repeated": "Items that came again after a kill, equal to one that had gone "
    "on in this run. They did not go on twice.",
    "boilerplate/sites/unreadable": "Held items that could not be read back. They are lost.",
    "boilerplate/sites/not_removed": "Held items that have arrived and could not be removed from "
    "the job directory, because it could not be written: a later run sends them again.",
    "boilerplate/sites/in_doubt": "Items that were on their way when the last run was killed. They "
    "are sent again, so those that had arrived come twice.",
    "boilerplate/sites/frozen": "Sites that were learned.",
    "boilerplate/sites/learned_elsewhere": "Sites that another worker learned in the meantime.",
    "boilerplate/sites/extended": "Learned sites that got a further template, each time.",
    "boilerplate/sites/relearning": "Sites that changed and are learned again.",
    "boilerplate/sites/learning": "Sites that were still being learned when the spider closed.",
    "boilerplate/sites/applied": "Extractions with a site's model.",
    "boilerplate/sites/no_article": "Pages that hold no article, according to their site's model.",
    "boilerplate/sites/evicted": "Sites that left memory to make room. The store still has them.",
    "boilerplate/sites/not_saved": "Sites whose state could not be written to the store.",
    "boilerplate/sites/errors": "Errors in learning, holding or a store. The item went on.",
    "boilerplate/sites/errors/<exception>": "Errors of this type.",
    "boilerplate/sites/seconds": "Seconds spent learning and applying, including extraction.",
    "boilerplate/strip/responses": "HTML responses searched for scripts and styles.",
    "boilerplate/strip/bytes_in": "Bytes of the bodies of these responses.",
    "boilerplate/strip/bytes_removed": "Bytes of scripts and styles cut from them.",
    "boilerplate/strip/errors": "Errors while cutting. The response went on unchanged.",
    "boilerplate/strip/errors/<exception>": "Errors of this type.",
}
"""Every statistic by its name. A part in angle brackets is a placeholder."""
