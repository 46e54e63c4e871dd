"""Signals of the plugin, for extensions that watch what is found and learned."""

from __future__ import annotations

page_extracted = object()
"""Sent once a page, when its first method has run.

Receivers get ``url`` (str), ``extraction`` (:class:`~scrapy_boilerplate.Extraction`), ``alone``
(what the method found without the site's model, or ``None``) and ``model`` (the site's, or
``None``).
"""

boilerplate_site_changed = object()
"""Sent when a page has changed what is known of its site.

Receivers get ``url`` (str) and ``site`` (str) of the page, ``event`` and ``change``. The event is
``"frozen"`` (learned), ``"extended"`` (one template more), ``"relearning"`` (it has changed, and is
learned again) or ``"blocked"`` (it shows other pages in place of its own). With the last two comes
a :class:`~scrapy_boilerplate.learn.drift.SiteChange`, which says what has changed and since when.
"""
