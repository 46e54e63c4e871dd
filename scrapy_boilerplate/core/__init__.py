"""Main content of one page: page, methods, answer. Knows neither Scrapy nor settings."""
