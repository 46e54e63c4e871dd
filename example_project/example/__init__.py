"""An example project: crawl a site, get clean text in a feed."""
