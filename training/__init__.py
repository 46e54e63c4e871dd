"""Programs that fit the models in ``scrapy_boilerplate/core/models``; not part of the package."""
