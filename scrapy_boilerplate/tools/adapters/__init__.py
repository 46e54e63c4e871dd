"""Extractors for pipelines of other packages: a module for each, which imports that package."""
