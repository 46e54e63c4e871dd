"""Choices of what an item gets: by request, field, callback, spider and settings, in this order."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partialmethod
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.spiders import CrawlSpider

from scrapy_boilerplate.core.answer.document.switches import SWITCHES, Switches, split
from scrapy_boilerplate.core.answer.fields import OUTPUTS, check_output
from scrapy_boilerplate.core.methods import Extractor, get_extractor, with_comments
from scrapy_boilerplate.core.names import nearest, unknown
from scrapy_boilerplate.plugin.items import is_empty, value_of
from scrapy_boilerplate.plugin.settings import SETTINGS, is_set, read_valid
from scrapy_boilerplate.plugin.zyte import fields_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.settings import BaseSettings

KEY = "boilerplate"
"""Key of request meta and field metadata, attribute of spiders, item classes and callbacks."""

STRIP = "strip"
"""Key for the downloader middleware, in the choices of requests and spiders."""

MAX_EXTRACTORS = 256
"""Number of extractors with options that are kept, so that each is built once."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of one level. The next level decides what it leaves open."""

    active: bool | None = None
    """Whether to fill anything in; ``None`` if the level says nothing at all."""

    extractor: str | Extractor | None = None
    """The extractor, by name or as an instance."""

    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the extractor that this level or a later one names."""

    fields: Mapping[str, str] | None = None
    """Item field: output."""

    switches: Mapping[str, bool] = field(default_factory=dict)
    """Parts of the content that this level wants or not, whatever the extractor."""

    @classmethod
    def read(cls, value: object) -> Choice:
        """Read what a user wrote: a name, an extractor, a dict, ``False``, ``True`` or ``None``.

        Raises :exc:`ValueError` for anything else, for unknown outputs, and for switches that are
        not a bool.

        >>> Choice.read({"extractor": "mss", "tag_score": -1}).options
        {'tag_score': -1}
        """
        if value is None or isinstance(value, bool):
            return cls(active=value)
        if not isinstance(value, Mapping):
            return cls(active=True, extractor=value)  # type: ignore[arg-type]  # checked when built
        switches, options = split(value)
        extractor: Any = options.pop("extractor", None)
        fields = options.pop("fields", None)
        targets = None if fields is None else _read_fields(fields)
        return cls(True, extractor, options, targets, switches)


NOTHING = Choice()
NAMED_BY_US = ("extractor", "fields", "output", STRIP, *SWITCHES)
"""Keys of choices that are not options of an extractor."""


class Level(NamedTuple):
    """A choice and the place where it is written."""

    place: str
    choice: Choice


class FieldRequest(NamedTuple):
    """One field of an item to fill in."""

    field: str
    output: str
    extractor: Extractor
    switches: Switches = Switches()
    """Which parts of the content it has."""
    asked: bool = True
    """Whether the user asked for the field. If not, the add-on fills it by default."""


class FieldPlan(NamedTuple):
    """The choice in the metadata of one field of an item class."""

    output: str | None  # None: never fill this field
    choice: Choice


class ItemPlan(NamedTuple):
    """The choices that an item class makes."""

    name: str
    names: frozenset[str] | None  # fields that it can hold; None: any
    fields: dict[str, FieldPlan]
    active: bool
    mistakes: tuple[str, ...]

    def holds(self, name: str) -> bool:
        """Return whether the item can have a field of that name."""
        return self.names is None or name in self.names


class Chooser:
    """Finds what the fields of an item are filled with."""

    def __init__(self, settings: BaseSettings, spider: Spider | None = None) -> None:
        self._spider = spider
        self._extractors: dict[tuple[str, str], Extractor] = {}
        self._plans: WeakKeyDictionary[type, ItemPlan] = WeakKeyDictionary()
        self._usual: WeakKeyDictionary[type, tuple[list[FieldRequest], list[str]]] = (
            WeakKeyDictionary()
        )
        self._at_start: list[str] = []
        self._of_spider = Level("spider attribute 'boilerplate'", NOTHING)
        try:
            self._attribute = _parsed(getattr(spider, KEY, None))
        except ValueError as error:
            self._attribute = None
            self._at_start.append(f"{self._of_spider.place}: {error}")
        self._of_spider = _try(self._of_spider, _without_strip(self._attribute), self._at_start)
        self._project = _project_levels(settings, self._at_start)
        self._asks_for_fields = is_set(settings, "BOILERPLATE_FIELDS")

    # -- at start ----------------------------------------------------------------------------

    def mistakes(self) -> Iterator[str]:
        """Yield the mistakes in the settings, the spider, its callbacks and its items.

        The items are those of the classes that the spider's module defines or imports.
        """
        yield from self._at_start
        general = (self._of_spider, *self._project)
        for place, level in enumerate(general):
            yield from self._own_mistakes(level, general[place + 1 :])
        if self._spider is None:
            return
        for name, value in _marked_callbacks(self._spider):
            complaints: list[str] = []
            level = _try(Level(f"callback {name!r}", NOTHING), value, complaints)
            yield from complaints
            yield from self._own_mistakes(level, general)
        try:
            read_strip(self._attribute)
        except ValueError as error:
            yield f"{self._of_spider.place}: {error}"
        for item_class in _item_classes(type(self._spider)):
            yield from self._plan(item_class).mistakes

    def _own_mistakes(self, level: Level, later: Sequence[Level]) -> Iterator[str]:
        """Yield the mistakes in a level. One of the *later* levels may name its extractor.

        A wrong extractor there counts as a mistake of that level.
        """
        if level.choice.extractor is None and not level.choice.options:
            return
        named = next(each for each in (level, *later) if each.choice.extractor is not None)
        bare = named._replace(choice=Choice(extractor=named.choice.extractor))
        if named is level or not self._problem((bare,)):
            problem = self._problem((level, bare))
            if problem:
                yield problem

    def _mistakes_of_field(self, level: Level) -> list[str]:
        """Return the mistakes in a field's choice, whose extractor any callback may name."""
        general = (self._of_spider, *self._project)
        marks = _marked_callbacks(self._spider) if self._spider is not None else ()
        callbacks = [_try(Level("callback", NOTHING), value, []) for _, value in marks]
        found = [
            list(self._own_mistakes(level, later))
            for later in (general, *((callback, *general) for callback in callbacks))
        ]
        return min(found, key=len)

    def _problem(self, levels: Sequence[Level]) -> str | None:
        """Return why the levels give no extractor, blaming the first; ``None`` if they do."""
        try:
            self._extractor(levels)
        except Exception as error:  # other packages may raise anything
            hints = (nearest(option, NAMED_BY_US) for option in levels[0].choice.options)
            also = "".join(f" (or the key {hint!r}?)" for hint in hints if hint)
            return f"{levels[0].place}: {error}{also}"
        return None

    # -- for an item -------------------------------------------------------------------------

    def field_requests(
        self, item_class: type, request: Request | None = None
    ) -> tuple[list[FieldRequest], list[str]]:
        """Return what to fill in for an item of that class, and the mistakes in its choices.

        The next level replaces a wrong choice.
        """
        says_nothing = request is None or request.meta.get(KEY) is None
        if not says_nothing or _mark(self._callback(request)) is not None:
            return self._choose(item_class, request)
        usual = self._usual.get(item_class)
        if usual is None:
            usual = self._usual[item_class] = self._choose(item_class, None)
        return usual

    def first_extractor(self, item: object, request: Request | None) -> Extractor | None:
        """Return the extractor of the first field of *item* that would be filled, if any would."""
        if not ItemAdapter.is_item(item):
            return None
        adapter = ItemAdapter(item)
        asked, _ = self.field_requests(type(item), request)
        empty = (each for each in asked if is_empty(value_of(adapter, each.field)))
        return next((each.extractor for each in empty), None)

    def _choose(
        self, item_class: type, request: Request | None
    ) -> tuple[list[FieldRequest], list[str]]:
        plan = self._plan(item_class)
        complaints = list(plan.mistakes)
        if not plan.active:
            return [], complaints
        meta = _try(
            Level("request meta 'boilerplate'", NOTHING),
            _without_strip(request.meta.get(KEY)) if request is not None else None,
            complaints,
        )
        callback = self._callback_level(request, complaints)
        general = (callback, self._of_spider, *self._project)
        levels = (meta, *general)
        source = next(level for level in levels if level.choice.fields is not None)
        asked = self._asks_for_fields or source is not self._project[-1]
        asked = asked or bool(meta.choice.active or callback.choice.active)
        field_requests = []
        for name, output in self._targets(plan, source, source is meta, complaints).items():
            own = plan.fields.get(name)
            chain = [meta, *general]
            if own is not None:
                chain.insert(1, Level(f"field {name!r} of {plan.name}", own.choice))
            if next(level.choice.active for level in chain if level.choice.active is not None):
                extractor, complaint = self._resolve(chain)
                switches = Switches.merged(level.choice.switches for level in chain)
                extractor = with_comments(extractor, switches.comments)
                field_requests.append(FieldRequest(name, output, extractor, switches, asked))
                if complaint and complaint not in complaints:
                    complaints.append(complaint)
        return field_requests, complaints

    def of_request(self, request: Request | None) -> tuple[Extractor, Switches, list[str]]:
        """Return how a page is extracted that no item asks for, and the mistakes in the choices."""
        complaints: list[str] = []
        meta = _try(
            Level("request meta 'boilerplate'", NOTHING),
            _without_strip(request.meta.get(KEY)) if request is not None else None,
            complaints,
        )
        callback = self._callback_level(request, complaints)
        chain = [meta, callback, self._of_spider, *self._project]
        extractor, complaint = self._resolve(chain)
        switches = Switches.merged(level.choice.switches for level in chain)
        complaints += [complaint] if complaint else []
        return with_comments(extractor, switches.comments), switches, complaints

    def _targets(
        self, plan: ItemPlan, source: Level, by_request: bool, complaints: list[str]
    ) -> dict[str, str]:
        """Return item field: output, from *source* and the item class, before ``False`` counts."""
        targets: dict[str, str] = {}
        for name, output in (source.choice.fields or {}).items():
            if plan.holds(name):
                targets[name] = output
            elif source is not self._project[-1]:
                what = f"field of {plan.name}:"
                complaints.append(
                    f"{source.place}: {unknown(what, name, sorted(plan.names or ()))}"
                )
        for name, own in plan.fields.items():
            if own.output is None:
                targets.pop(name, None)
            elif not (by_request and name in targets):
                targets[name] = own.output
        return targets

    def _resolve(self, levels: Sequence[Level]) -> tuple[Extractor, str | None]:
        """Return the extractor that the levels ask for, and the mistakes before it."""
        complaint = None
        levels = [lv for lv in levels if lv.choice.extractor is not None or lv.choice.options]
        for start in range(len(levels) - 1):
            problem = self._problem(levels[start:])
            if problem is None:
                return self._extractor(levels[start:]), complaint
            complaint = complaint or problem
        return self._extractor(levels[-1:]), complaint  # checked before the crawl began

    def _extractor(self, levels: Sequence[Level]) -> Extractor:
        """Return the extractor of the first level that names one."""
        options: dict[str, object] = {}
        for level in levels:
            options = {**level.choice.options, **options}
            if level.choice.extractor is not None:
                break
        name = level.choice.extractor
        if not isinstance(name, str):
            return get_extractor(name, **options)  # type: ignore[arg-type]
        key = (name, repr(sorted(options.items())))
        if key not in self._extractors:
            if len(self._extractors) >= MAX_EXTRACTORS:
                self._extractors.clear()
            self._extractors[key] = get_extractor(name, **options)
        return self._extractors[key]

    # -- callbacks ---------------------------------------------------------------------------

    def _callback_level(self, request: Request | None, complaints: list[str]) -> Level:
        callback = self._callback(request)
        mark = _mark(callback)
        if mark is None:
            return Level("callback", NOTHING)
        name = getattr(callback, "__name__", None) or repr(callback)
        return _try(Level(f"callback {name!r}", NOTHING), mark, complaints)

    def _callback(self, request: Request | None) -> object:
        """Return the method that Scrapy, or a crawl spider's rule, calls with the response."""
        if request is None:
            return None
        spider = self._spider
        if not isinstance(spider, CrawlSpider):
            return request.callback or getattr(spider, "parse", None)
        if request.callback is None:
            return spider.parse_start_url
        function = getattr(request.callback, "__func__", request.callback)
        if function in vars(CrawlSpider).values() and "rule" in request.meta:
            callback = spider.rules[request.meta["rule"]].callback
            return getattr(spider, callback, None) if isinstance(callback, str) else callback
        return request.callback

    # -- item classes ------------------------------------------------------------------------

    def _plan(self, item_class: type) -> ItemPlan:
        plan = self._plans.get(item_class)
        if plan is None:
            plan = self._plans[item_class] = self._read_item_class(item_class)
        return plan

    def _read_item_class(self, item_class: type) -> ItemPlan:
        names = ItemAdapter.get_field_names_from_class(item_class)
        fields: dict[str, FieldPlan] = {}
        mistakes: list[str] = []
        known = fields_of(item_class)
        for name in names or ():
            meta = ItemAdapter.get_field_meta_from_class(item_class, name)
            extra = meta.get("json_schema_extra")  # where pydantic lets users write what they like
            value = meta.get(KEY, extra.get(KEY) if isinstance(extra, dict) else None)
            if value is None:
                if name in known:
                    fields[name] = FieldPlan(known[name], Choice(active=True))
                continue
            place = f"field {name!r} of {item_class.__name__}"
            try:
                fields[name] = own = _read_field(name, value)
            except ValueError as error:
                mistakes.append(f"{place}: {error}")
                continue
            mistakes += self._mistakes_of_field(Level(place, own.choice))
        return ItemPlan(
            name=item_class.__name__,
            names=None if names is None else frozenset(names),
            fields=fields,
            active=KEY in (names or ()) or getattr(item_class, KEY, None) is not False,
            mistakes=tuple(mistakes),
        )


def _project_levels(settings: BaseSettings, complaints: list[str]) -> tuple[Level, ...]:
    """Return the settings as levels, one each, so that a mistake has the setting's name."""
    wanted = Level("BOILERPLATE_OPTIONS", NOTHING)
    try:
        switches, options = split(read_valid(settings, "BOILERPLATE_OPTIONS"))
        wanted = wanted._replace(choice=Choice(options=options, switches=switches))
    except ValueError as error:
        complaints.append(f"{wanted.place}: {error}")
    default = SETTINGS["BOILERPLATE_FIELDS"].default
    return (
        wanted,
        Level(
            "BOILERPLATE_EXTRACTOR",
            Choice(active=True, extractor=read_valid(settings, "BOILERPLATE_EXTRACTOR")),
        ),
        _try(
            Level("BOILERPLATE_FIELDS", Choice(fields=_read_fields(default))),
            {"fields": read_valid(settings, "BOILERPLATE_FIELDS")},
            complaints,
        ),
    )


def read_strip(value: object) -> bool | None:
    """Return the choice of a request or spider about stripping; ``None`` if there is none.

    Raises :exc:`ValueError` for anything but ``True`` and ``False``.
    """
    value = _parsed(value)
    if value is False:
        return False
    if not isinstance(value, Mapping) or STRIP not in value:
        return None
    strip = value[STRIP]
    if not isinstance(strip, bool):
        raise ValueError(f"{STRIP!r} must be True or False, not {strip!r}")
    return strip


def _parsed(value: object) -> object:
    """Return a choice; a text in braces, as ``-a boilerplate='{…}'`` gives it, is read as JSON."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is not valid JSON: {error}") from None


def _read_fields(fields: object) -> dict[str, str]:
    """Return a mapping of item fields to outputs; raise :exc:`ValueError` with all wrong ones."""
    if not isinstance(fields, Mapping):
        raise ValueError(f"'fields' must map item fields to outputs, not {fields!r}")
    wrong = []
    for output in fields.values():
        try:
            check_output(output)
        except ValueError as error:  # noqa: PERF203 - all of them are wanted
            wrong.append(str(error))
    if wrong:
        raise ValueError("; ".join(wrong))
    return dict(fields)


def _try(level: Level, value: object, complaints: list[str]) -> Level:
    """Return *level* with the choice in *value*, or unchanged if that is not a choice."""
    if value is None:
        return level
    try:
        return level._replace(choice=Choice.read(value))
    except ValueError as error:
        complaints.append(f"{level.place}: {error}")
        return level


def _without_strip(value: object) -> object:
    """Return a choice without the part for the downloader middleware."""
    if not isinstance(value, Mapping) or STRIP not in value:
        return value
    return {key: value[key] for key in value if key != STRIP} or None


def _read_field(name: str, value: object) -> FieldPlan:
    """Read a field's metadata: an output, a dict, ``False``, or ``True`` for its own name."""
    if value is False:
        return FieldPlan(None, NOTHING)
    if value is True:
        return FieldPlan(check_output(name), Choice(active=True))
    if not isinstance(value, Mapping):
        return FieldPlan(check_output(value), Choice(active=True))
    options = dict(value)
    output = options.pop("output", name if name in OUTPUTS else "text")
    if "fields" in options:
        raise ValueError("a field has an 'output', not 'fields'")
    return FieldPlan(check_output(output), Choice.read(options))


def _mark(callback: object) -> object:
    """Return what :func:`extract_with` has written on a callback or on what it wraps."""
    while callback is not None:
        mark = getattr(callback, KEY, None)
        if mark is not None:
            return mark
        callback = getattr(callback, "func", None) or getattr(callback, "__wrapped__", None)
    return None


def _marked_callbacks(spider: Spider) -> Iterator[tuple[str, object]]:
    """Yield name and mark of the spider's methods and of the functions in its rules."""
    members: Iterable[tuple[str, object]] = (
        (name, member)
        for base in type(spider).__mro__
        for name, member in vars(base).items()
        if callable(member) or isinstance(member, (classmethod, staticmethod, partialmethod))
    )
    rules = getattr(spider, "rules", ())
    functions = ((str(rule.callback), rule.callback) for rule in rules if callable(rule.callback))
    for name, member in (*members, *functions):
        if not isinstance(member, type) and (mark := _mark(member)) is not None:
            yield name, mark


def _item_classes(spider_class: type) -> Iterator[type]:
    """Yield the item classes that the spider's module defines or imports."""
    seen: set[type] = set()
    for base in spider_class.__mro__:
        module = sys.modules.get(base.__module__)
        for namespace in (vars(base), vars(module) if module else {}):
            for value in list(namespace.values()):
                if isinstance(value, type) and value not in seen:
                    seen.add(value)
                    if ItemAdapter.is_item_class(value):
                        yield value
