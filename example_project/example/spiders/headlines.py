"""Another method for some pages and fields: headlines and teasers of pages full of links."""

import scrapy

from example.items import LinkPage
from scrapy_boilerplate import extract_with


class HeadlinesSpider(scrapy.Spider):
    """``scrapy crawl headlines -a url=https://example.com/ -O headlines.jsonl``"""

    name = "headlines"

    def __init__(self, url: str, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = url.split(",")

    def parse(self, response):
        yield LinkPage(url=response.url)
        for link in response.css("a[href^='/posts/']"):
            yield response.follow(link, self.parse_listing)

    @extract_with("energy")
    def parse_listing(self, response):
        # `text` by the callback's choice, `teasers` by the field's own.
        yield LinkPage(url=response.url)
