"""Main content of one page: page, methods, answer. Knows neither Scrapy nor settings."""

from importlib.util import find_spec

if find_spec("scrapy_boilerplate.core._memoryviews") is None:
    raise ImportError(
        "The compiled parts of scrapy_boilerplate are missing. Install it by pip, from a wheel or "
        "with a C compiler; in a checkout run: pip install -e ."
    )
