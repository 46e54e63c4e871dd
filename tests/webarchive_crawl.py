r"""A crawl that scrapy-webarchive stores; it wrote ``fixtures/webarchive.wacz``.

scrapy-webarchive 0.5.3 needs Scrapy older than 2.12, and this package 2.14 or newer, so it runs in
an environment of its own:

    python -m venv build/webarchive
    build/webarchive/bin/pip install scrapy-webarchive 'w3lib<2.2' 'twisted<24' 'pyopenssl<25' \
        'service-identity<25'
    python tests/webarchive_crawl.py build/webarchive/bin/python tests/fixtures/webarchive.wacz
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ARTICLES = 6


def crawl(urls: list[str], output: str) -> None:
    """Crawl *urls*, and store all responses in the archive *output*. Runs beside the plugin."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Pages(scrapy.Spider):
        name = "pages"
        start_urls = urls

        def parse(self, response: scrapy.http.Response) -> None:
            """Find nothing: what counts is what is stored."""

    folder, _, name = output.rpartition("/")
    process = CrawlerProcess(
        {
            "EXTENSIONS": {"scrapy_webarchive.extensions.WaczExporter": 543},
            "SW_EXPORT_URI": f"{os.path.abspath(folder)}/{name}",
            "ROBOTSTXT_OBEY": False,
            "RETRY_ENABLED": False,
        }
    )
    process.crawl(Pages)
    process.start()


def main(python: str, output: str) -> None:
    """Serve a site, and have it crawled by another Python."""
    from generated_sites import Site
    from mockserver import MockServer

    made = Site(host="127.0.0.1").pages(ARTICLES)
    pages = {f"/{number}": each.html for number, each in enumerate(made)}
    with MockServer(pages) as server:
        urls = [server.url(path) for path in [*pages, "/gone"]]
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, __file__, "--crawl", output, *urls], check=True)


if __name__ == "__main__":
    if sys.argv[1] == "--crawl":
        crawl(sys.argv[3:], sys.argv[2])
    else:
        main(*sys.argv[1:])
