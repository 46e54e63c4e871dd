"""How Sphinx builds these pages: ``python -m sphinx -W -b html docs build/docs``."""

from scrapy_boilerplate import __version__

project = "scrapy_boilerplate"
author = "The scrapy_boilerplate contributors"
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
