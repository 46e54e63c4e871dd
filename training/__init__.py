"""Programs that fit the models in ``scrapy_boilerplate/models``; not part of the package."""
