"""Applies a site's model to a page: what it says of each block, weighed against the method."""
