"""Measurements of quality and cost, each a module to run: ``python -m benchmarks.quality``."""
