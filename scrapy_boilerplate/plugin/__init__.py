"""Everything that knows Scrapy: add-on, settings, middlewares, pipeline, extension."""
