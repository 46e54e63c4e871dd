"""Settings of the example project: the first one is all that the plugin needs."""

ADDONS = {"scrapy_boilerplate.Addon": 500}

# Item field: what the plugin puts into it. The default is {"text": "text"}.
BOILERPLATE_FIELDS = {"text": "text", "kind": "kind"}

BOT_NAME = "example"
SPIDER_MODULES = ["example.spiders"]
ROBOTSTXT_OBEY = True
FEED_EXPORT_ENCODING = "utf-8"
