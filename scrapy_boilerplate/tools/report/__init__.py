"""The report of a crawl: what was found on each site, what was learned, which pages to look at."""
