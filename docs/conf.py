"""How Sphinx builds these pages: ``python -m sphinx -W -b html docs build/docs``."""

import re
from typing import Any

from sphinx.application import Sphinx

from scrapy_boilerplate import __version__

project = "scrapy_boilerplate"
author = "The scrapy_boilerplate contributors"
project_copyright = author
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns: list[str] = []
html_theme = "furo"
html_title = f"{project} {version}"
html_static_path = ["_static"]
html_css_files = ["narrow.css"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3  # so that links to headings work as on a code host

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True

linkcheck_ignore = [r"https?://(127\.0\.0\.1|example\.com|flink\.apache\.org|issues\.apache\.org)"]
linkcheck_timeout = 20


def let_code_break(app: Sphinx, page: str, template: str, context: dict[str, Any], *_: Any) -> None:
    """Let long names in the text break after a sign, so that a narrow table breaks no word."""
    context["body"] = re.sub(
        r'(?<=<span class="pre">)[^<]{9,}(?=</span>)',
        lambda name: re.sub(r"(?<=[\w\])}])(?:[/_.,:=]|&gt;)(?=[\w\[({&])", r"\g<0><wbr>", name[0]),
        context.get("body", ""),
    )


def setup(app: Sphinx) -> None:
    """Have Sphinx call it for each page."""
    app.connect("html-page-context", let_code_break)
