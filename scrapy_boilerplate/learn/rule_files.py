"""Models as files that a person reads and edits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from errno import EINVAL
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.learn.selectors import compile_selector
from scrapy_boilerplate.learn.site_model import SiteModel

if TYPE_CHECKING:
    from scrapy_boilerplate.core.page import Page


def dump_models(models: Iterable[SiteModel]) -> str:
    """Write models as JSON."""
    return json.dumps([model.to_dict() for model in models], indent=2, ensure_ascii=False)


def load_models(text: str) -> dict[str, SiteModel]:
    """Read what :func:`dump_models` or a person wrote: one rule or a list of them, by site.

    Raises :exc:`ValueError`, which names the mistake.

    >>> load_models('[{"site": "a.example", "containers": ["div.story"], "drop": [".share"]}]')[
    ...     "a.example"].rule.drop
    ('.share',)
    """
    try:
        forms = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the rules are not valid JSON: {error}") from error
    if isinstance(forms, Mapping):
        forms = [forms]
    if not isinstance(forms, list):
        raise ValueError("rules must be a list of mappings with the key 'site'")
    models = [SiteModel.from_dict(form) for form in forms]
    return {model.site: model for model in models}


def load_rules(path: str) -> dict[str, SiteModel]:
    """Read a file of rules, by site.

    Raises :exc:`ValueError`, which says what to do, if the file cannot be read or holds no rules.
    """
    try:
        file = Path(path)
        if file.exists() and not (file.is_file() or file.is_fifo()):
            raise OSError(EINVAL, "it is no file")
        return load_models(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(
            f"cannot read {path} ({error.strerror}); pass the path of a file of rules, or omit it"
        ) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


class RuleUse:
    """Records which selectors of manual rules have matched nothing so far."""

    def __init__(self, rules: Mapping[str, SiteModel]) -> None:
        self._left = {site: set(model.rule.selectors()) for site, model in rules.items()}
        self._pages: Counter[str] = Counter()

    def see(self, site: str, page: Page) -> None:
        """Check a page of *site*. Selectors that have matched once are not checked again."""
        left = self._left.get(site)
        if left is None:
            return
        self._pages[site] += 1
        left -= {
            (kind, selector) for kind, selector in left if compile_selector(selector)(page.root)
        }

    def unmatched(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield site, kind and selector of each rule that matched nothing, and the site's pages."""
        for site, pages in sorted(self._pages.items()):
            for kind, selector in sorted(self._left[site]):
                yield site, kind, selector, pages

    def unseen(self) -> Iterator[str]:
        """Yield the sites that have rules but had no pages."""
        yield from sorted(self._left.keys() - self._pages.keys())
