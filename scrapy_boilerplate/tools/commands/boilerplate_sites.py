"""``scrapy boilerplate-sites``: show and forget what was learned about sites."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from scrapy_boilerplate.core.answer.overlay import shortened
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.rule_files import dump_models
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.stores import SiteStore, StoreError, shown_address
from scrapy_boilerplate.plugin.settings import read, store_address
from scrapy_boilerplate.tools.commands.project import ProjectCommand
from scrapy_boilerplate.tools.tables import counted, table

__all__ = ["Command"]

LONGEST_SHOWN_SELECTOR = 60  # that the list shows


class Command(ProjectCommand):
    usage = "list | show [SITE ...] | forget SITE ...|--all [options]"
    about = "Show and forget what scrapy_boilerplate has learned about sites"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        store = "file, or redis://host:port/database (default: the project's store)"
        parser.add_argument("--store", metavar="STORE", help=store)
        parser.add_argument("--all", action="store_true", help="forget all sites")

    def work(self, args: list[str], opts: Namespace, settings: BaseSettings) -> int:
        action, *names = args or [""]
        unknown = [name for name in names if name.startswith("-")]
        takes_sites = action == "show" or (action == "forget" and not opts.all)
        what = ""
        if action not in ("list", "show", "forget"):
            what = f"unknown subcommand {action!r}" if action else "no subcommand given"
        elif unknown:
            what = f"unknown option {unknown[0]}"
        elif opts.all and action != "forget":
            what = "--all needs forget"
        elif (names and not takes_sites) or (action == "forget" and not names and not opts.all):
            what = f"{action} takes no site" if names else "forget needs a site, or --all"
        if what:
            raise UsageError(f"{what}; usage: scrapy boilerplate-sites {self.usage}")
        return self._do(action, names, opts, settings)

    def _do(self, action: str, names: list[str], opts: Namespace, settings: BaseSettings) -> int:
        address = store_address(settings) if opts.store is None else opts.store
        pages = read(settings, "BOILERPLATE_SITE_FREEZE_PAGES")
        try:
            store = SiteStore.open(address, pages)
        except StoreError as error:
            missing = str(error).startswith("no site store")
            raise StoreError(f"{error}; name another with --store" if missing else error) from error
        with store:
            if action == "forget":
                _forget(store, names or list(store.sites()))
            elif action == "show":
                models = [_known(store, site, pages)[0] for site in names or store.sites()]
                print(dump_models(models))
            elif not _list(store, pages):
                raise StoreError(f"there are no sites in {shown_address(address)}")
        return 0


def _list(store: SiteStore, pages: int) -> bool:
    rows = [("site", "state", "pages", "container")]
    for site in store.sites():
        try:
            model, state = _known(store, site, pages)
        except StoreError:
            model, state = SiteModel(site), "damaged"
        rows.append((site, state, str(model.pages), _container(model)))
    if len(rows) > 1:
        print(table(rows, right=[2]), end="")
    return len(rows) > 1


def _known(store: SiteStore, site: str, pages: int) -> tuple[SiteModel, str]:
    data = store.load(site)
    if data is None:
        raise StoreError(
            f"the state of {site!r} is damaged; forget it"
            if site in store.sites()
            else f"{site!r} is unknown; see: scrapy boilerplate-sites list"
        )
    state = SiteState.from_bytes(data, pages)
    model = state.learn(site, LearningOptions(freeze_pages=pages))
    return model, "learned" if state.frozen else "learning"


def _forget(store: SiteStore, names: list[str]) -> None:
    missing = [site for site in names if not store.forget(site)]
    if len(missing) < len(names):
        print(f"{counted(len(names) - len(missing), 'site')} forgotten")
    if missing:
        raise StoreError(f"not known: {', '.join(missing)}")


def _container(model: SiteModel) -> str:
    selectors = [vote.name for vote in model.containers] or model.all_sources
    if not selectors:
        return "-"
    more = f" (+{len(selectors) - 1})" if len(selectors) > 1 else ""
    return shortened(selectors[0], LONGEST_SHOWN_SELECTOR) + more
