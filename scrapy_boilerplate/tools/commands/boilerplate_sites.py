"""``scrapy boilerplate-sites``: show and correct what was learned about sites."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.overlay import shortened
from scrapy_boilerplate.learn.keys import site_key
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.rule_files import dump_models, load_rules
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.stores import SiteStore, StoreError, open_store, shown_address
from scrapy_boilerplate.plugin.settings import read, store_address
from scrapy_boilerplate.tools.cli.inspecting import fetch_page
from scrapy_boilerplate.tools.commands.project import (
    ProjectCommand,
    project_method,
    project_overrides,
)
from scrapy_boilerplate.tools.tables import counted, explanation_lines, table

__all__ = ["Command"]

LONGEST_SELECTOR = 60
"""Characters of a selector that the list shows."""


class Command(ProjectCommand):
    """Looks into a site store: list, show, test, export, import, forget."""

    usage = (
        "list | show SITE | test URL|FILE | export [SITE ...] | import FILE | "
        "forget SITE ...|--all [options]"
    )
    about = "Show, edit and forget what scrapy_boilerplate has learned about sites"

    def add_options(self, parser: ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument(
            "--store",
            metavar="STORE",
            help="file, or redis://host:port/database (default: the project's store)",
        )
        parser.add_argument(
            "--format",
            choices=("json", "yaml"),
            help="format of show, export and import (default: by the file name, otherwise json)",
        )
        parser.add_argument("-o", "--output", metavar="FILE", help="output file of export")
        parser.add_argument(
            "--all", action="store_true", help="forget everything that was learned; rules stay"
        )
        parser.add_argument("--rules", action="store_true", help="forget the rules as well")
        parser.add_argument("--url", help="URL of the page that test reads from a file")

    def work(self, args: list[str], opts: Namespace, settings: BaseSettings) -> int:
        """Run the subcommand that the arguments name."""
        with ExitStack() as stack:
            try:
                _Session(settings, opts, stack).do(args)
            except UsageError as error:
                usage = f"scrapy boilerplate-sites {self.usage}"
                raise UsageError(f"{error}; usage: {usage}") from error
        return 0


class _Session:
    """One run of the command with its store."""

    def __init__(self, settings: BaseSettings, opts: Namespace, stack: ExitStack) -> None:
        self._settings, self._opts, self._stack = settings, opts, stack
        self._opened: SiteStore | None = None
        self._learning = LearningOptions(
            freeze_pages=read(settings, "BOILERPLATE_SITE_FREEZE_PAGES")
        )

    def do(self, args: list[str]) -> None:
        """Run the subcommand that the arguments name."""
        known: dict[str, tuple[Callable[[list[str]], None], int, int | None]] = {
            "list": (self._list, 0, 0),
            "show": (self._export, 1, 1),
            "test": (self._test, 1, 1),
            "export": (self._export, 0, None),
            "import": (self._import, 1, 1),
            "forget": (self._forget, not self._opts.all, None),
        }
        unknown = [arg for arg in args if arg.startswith("-")]
        if unknown:
            raise UsageError(f"unknown option {unknown[0]}")
        if not args or args[0] not in known:
            raise UsageError(f"unknown subcommand {args[0]!r}" if args else "no subcommand given")
        action, least, most = known[args[0]]
        names = args[1:]
        if len(names) < least or (most is not None and len(names) > most):
            raise UsageError(f"{args[0]} does not take {len(names)} arguments")
        if self._opts.output and args[0] != "export":
            raise UsageError(f"{args[0]} does not write a file; -o needs export")
        if self._opts.all and (args[0] != "forget" or names):
            raise UsageError("--all needs forget without names")
        if self._opts.rules and args[0] != "forget":
            raise UsageError("--rules needs forget")
        action(names)

    # -- subcommands -------------------------------------------------------------------------

    def _list(self, _: list[str]) -> None:
        rows = [("site", "state", "pages", "container")]
        rules = self._store().rules()
        for site in self._sites(rules):
            try:
                model, state = self._known(site, rules)
            except StoreError:
                model, state = SiteModel(site), "damaged"
            rows.append((site, state, str(model.pages), _container(model)))
        if len(rows) == 1:
            raise StoreError(f"there are no sites in {shown_address(self._address())}")
        print(table(rows, right=[2]), end="")

    def _test(self, names: list[str]) -> None:
        """Print what the site's model would make of a page, block by block."""
        stored = fetch_page(names[0], self._opts.url, project_overrides(self._settings))
        page, method = stored.read(), project_method(self._settings)
        site = site_key(read(self._settings, "BOILERPLATE_SITE_KEY"))(page.url or "")
        if not site:
            raise StoreError(f"the address of {names[0]} is unknown; use --url")
        model, state = self._known(site, self._store().rules())
        alone = method.extract(page)
        with_model = model.apply(page, method, alone)
        print(f"{site} ({state}); {method.name} alone keeps {_words(alone)} words of this page,")
        print(f"with the model {_words(with_model)} words: {with_model.kind}")
        print(explanation_lines(model.explain(page, method)), end="")

    def _export(self, names: list[str]) -> None:
        rules = self._store().rules()
        models = [self._known(site, rules)[0] for site in names or self._sites(rules)]
        text = dump_models(models, self._format(self._opts.output)).rstrip() + "\n"
        if self._opts.output is None:
            print(text, end="")
        else:
            Path(self._opts.output).write_text(text, encoding="utf-8")
            print(f"{counted(len(models), 'site')} written to {self._opts.output}")

    def _import(self, names: list[str]) -> None:
        (path,) = names
        rules = load_rules(path, self._opts.format)
        try:
            for site in rules:
                self._check_key(site)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        store = self._store(create=True)
        for rule in rules.values():
            store.save_rule(rule)
        print(f"{counted(len(rules), 'rule')} imported from {path}")

    def _forget(self, names: list[str]) -> None:
        store = self._store()
        if self._opts.all:
            names = self._sites(store.rules() if self._opts.rules else {})
        missing = [site for site in names if not store.forget(site)]
        if self._opts.rules:
            missing = [site for site in missing if not store.forget_rule(site)]
            for site in set(names).difference(missing):
                store.forget_rule(site)
        if len(missing) < len(names):
            print(f"{counted(len(names) - len(missing), 'site')} forgotten")
        if missing:
            raise StoreError(f"not known: {', '.join(missing)}")

    # -- the store ---------------------------------------------------------------------------

    def _address(self) -> str:
        address: str | None = self._opts.store
        return store_address(self._settings) if address is None else address

    def _store(self, create: bool = False) -> SiteStore:
        """Open the store. Subcommands that only read must not create a file."""
        address = self._address()
        file = address.removeprefix("sqlite://")
        if not create and "://" not in file and not Path(file).exists():
            raise StoreError(f"no site store at {shown_address(file)}; name another with --store")
        if self._opened is None:
            opened = open_store(address, self._learning.freeze_pages)
            self._opened = self._stack.enter_context(opened)
        return self._opened

    def _sites(self, rules: dict[str, SiteModel]) -> list[str]:
        return sorted({*self._store().sites(), *rules})

    def _known(self, site: str, rules: dict[str, SiteModel]) -> tuple[SiteModel, str]:
        """Return the model that a crawl would use, and how the site is known."""
        rule = rules.get(site)
        if rule is not None and rule.is_learned:
            return rule, "by hand"
        data = self._store().load(site)
        if data is None and rule is not None:
            return rule, "rule"
        if data is None:
            known = site in self._store().sites()
            raise StoreError(
                f"the state of {site!r} is damaged; forget it"
                if known
                else f"{site!r} is unknown; see: scrapy boilerplate-sites list"
            )
        state = SiteState.from_bytes(data, self._learning.freeze_pages)
        model, said = state.learn(site, self._learning), "learned" if state.frozen else "learning"
        if rule is None:
            return model, said
        return rule.added_to(model if model.useful else None), f"{said}, rule"

    def _format(self, path: str | None) -> str:
        named: str | None = self._opts.format
        return named or ("yaml" if path and path.endswith((".yaml", ".yml")) else "json")

    def _check_key(self, site: str) -> None:
        """Refuse a rule that no page can use, such as a rule for ``www.a.example``."""
        by = read(self._settings, "BOILERPLATE_SITE_KEY")
        if callable(by):  # whose keys may look like anything
            return
        key = site_key(by)(f"http://{site}/" if "://" not in site else site)
        if not key or key != site:
            raise ValueError(
                f"no page belongs to the site {site!r}: BOILERPLATE_SITE_KEY is {by!r}"
                + (f", write {key!r}" if key else "")
            )


def _container(model: SiteModel) -> str:
    containers = [*model.rule.containers, *(vote.name for vote in model.containers)]
    selectors = containers or model.all_sources
    if not selectors:
        return "-"
    more = f" (+{len(selectors) - 1})" if len(selectors) > 1 else ""
    return shortened(selectors[0], LONGEST_SELECTOR) + more


def _words(answer: Extraction) -> int:
    return len(answer.text.split())
