"""Follow a site's links and yield one item a page; the plugin fills in the text."""

from urllib.parse import urlsplit

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class ArticlesSpider(CrawlSpider):
    """``scrapy crawl articles -a url=https://example.com/ -O articles.jsonl``"""

    name = "articles"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, url: str, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = url.split(",")
        self.allowed_domains = [urlsplit(address).hostname for address in self.start_urls]

    def parse_page(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
