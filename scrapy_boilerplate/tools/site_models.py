"""The models that are applied to rows: of a site store, or of a table that Spark has learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache

from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.rule_files import dump_models, load_models, load_rules
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.places import is_folder, is_remote, is_store, local_copy, located

FindModel = Callable[[str], bytes | None] | None  # the model of a page's site by its address


def rules_text(path: str | None) -> str:
    """Return the rules of a file, for processes that cannot read it; none without one."""
    return dump_models(load_rules(path).values() if path else ())


@contextmanager
def site_models(
    place: str | None, key: str | KeyFunction = "host", rules: str = "[]"
) -> Iterator[FindModel]:
    """Give what finds models at the address of a store, or in a folder of Parquet files."""
    manual = load_models(rules)
    if place and not is_store(place) and is_folder(place):
        yield _table_models(place, key, rules)
    elif place:
        with local_copy(place) as path, closing(StoredModels(path, key, manual)) as models:
            yield models
    else:
        yield StoredModels(None, key, manual) if manual else None


class _TableModels(StoredModels):
    def __init__(self, place: str, key: str | KeyFunction, rules: str) -> None:
        import pyarrow.compute as pc
        from pyarrow.dataset import dataset

        super().__init__(None, key, load_models(rules))
        system, within = located(place) if is_remote(place) else (None, place)
        table = dataset(within, filesystem=system, format="parquet").to_table(
            columns=["site", "model"], filter=~pc.field("model").is_null()
        )
        self._rows = {site: number for number, site in enumerate(table["site"].to_pylist())}
        self._models = table["model"]

    def _read(self, site: str) -> SiteModel | None:
        row = self._rows.get(site)
        return None if row is None else SiteModel.from_bytes(self._models[row].as_py())


_table_models = lru_cache(1)(_TableModels)  # for the tasks of a worker, one after the other
