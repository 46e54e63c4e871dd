"""Commands of ``scrapy``, known to it by the entry points ``scrapy.commands``."""
