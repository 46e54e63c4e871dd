"""Follow a site's links and yield one item a page; the plugin fills in the text."""

import re

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class ArticlesSpider(CrawlSpider):
    """``scrapy crawl articles -a url=https://example.com/ -O articles.jsonl``"""

    name = "articles"

    def __init__(self, url: str, **kwargs):
        self.start_urls = url.split(",")
        below = LinkExtractor(allow=[re.escape(address) for address in self.start_urls])
        self.rules = [Rule(below, callback="parse_page", follow=True)]
        super().__init__(**kwargs)

    def parse_page(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
