"""``python -m scrapy_boilerplate``, the same as the command ``scrapy-boilerplate``."""

from __future__ import annotations

import sys

from scrapy_boilerplate.tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
