"""Items say by themselves what they want of a page's text."""

import scrapy


class LinkPage(scrapy.Item):
    """A page that is read for its headlines and teasers."""

    url = scrapy.Field()
    title = scrapy.Field(boilerplate="title")
    text = scrapy.Field(boilerplate="text")
    teasers = scrapy.Field(boilerplate={"extractor": "links", "output": "segments"})
