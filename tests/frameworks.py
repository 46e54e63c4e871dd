"""Pages that real frameworks built; ``fixtures/frameworks/README.md`` says how."""

from __future__ import annotations

from pathlib import Path

PAGES = Path(__file__).parent / "fixtures" / "frameworks"
SOURCES = {
    "next-static": "",
    "next-client": "#__NEXT_DATA__: props.pageProps.post.body",
    "next-stream": "__next_f: *.*.d.r.*.children.*.*.post.html",
    "nuxt-static": "",
    "nuxt-client": "#__NUXT_DATA__: *",
    "sveltekit-static": "",
    "sveltekit-client": "application/json: body.html",
    "astro-static": "",
    "astro-client": "template",
    "blogger-static": "",
    "blogger-client": "script#post-template",
}
BEGINNINGS = (
    "In the winter of 1874",
    "The granite came",
    "Work went on",
    "When the last block",
    "Today the wall is listed",
)
