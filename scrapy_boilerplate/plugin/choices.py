"""Choices of what an item gets: by request, field, callback, spider and settings, in this order."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, partialmethod
from types import FunctionType, MethodType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.settings import BaseSettings
from scrapy.spiders import CrawlSpider

from scrapy_boilerplate.core.answer.document.switches import SWITCHES, Switches, split
from scrapy_boilerplate.core.answer.extraction import OUTPUTS, check_output
from scrapy_boilerplate.core.methods import Extractor, get_extractor, switched
from scrapy_boilerplate.core.names import nearest, unknown
from scrapy_boilerplate.plugin.records import value_of
from scrapy_boilerplate.plugin.settings import SETTINGS, SWITCHED, read_valid
from scrapy_boilerplate.plugin.zyte import fields_of

# Key of request meta and field metadata, attribute of spiders, item classes and callbacks
KEY = "boilerplate"

# Keys for the downloader middleware, and for items that get all pages of their article.
STRIP, PAGES = "strip", "pages"

MOST_KEPT = 256  # methods with options, and callbacks of an item class, that are remembered

_OF_SPIDER = "spider attribute 'boilerplate'"


@dataclass(frozen=True, slots=True)
class Choice:
    """What one place says. The next place decides what it leaves open."""

    place: str = ""  # for messages
    active: bool | None = None  # None if the place says nothing at all
    extractor: str | Extractor | None = None
    # Options of the extractor that this place or a later one names.
    options: Mapping[str, object] = field(default_factory=dict)
    fields: Mapping[str, str] | None = None  # item field: output
    # Parts of the content that are wanted or not, whatever the extractor.
    switches: Mapping[str, object] = field(default_factory=dict)
    pages: bool | None = None  # all pages of the article; None if it does not say

    @classmethod
    def read(cls, value: object, place: str = "") -> Choice:
        """Read what a user wrote: a name, an extractor, a dict, ``False``, ``True`` or ``None``.

        Raises :exc:`ValueError` for anything else, for unknown outputs, and for switches and
        ``pages`` that are not a bool.

        >>> Choice.read({"extractor": "mss", "tag_score": -1}).options
        {'tag_score': -1}
        """
        if value is None or isinstance(value, bool):
            return cls(place, active=value)
        if not isinstance(value, Mapping):
            return cls(place, True, extractor=value)  # type: ignore[arg-type]  # checked when built
        switches, options = split(value)
        extractor: Any = options.pop("extractor", None)
        fields = options.pop("fields", None)
        targets = None if fields is None else _read_fields(fields)
        pages = _pop_flag(options, PAGES)
        return cls(place, True, extractor, options, targets, switches, pages)


NOTHING = Choice()
# Keys of choices that are no options of an extractor.
NAMED_BY_US = ("extractor", "fields", "output", STRIP, PAGES, *SWITCHES)


class FieldRequest(NamedTuple):
    """One field of an item to fill in."""

    field: str
    output: str
    extractor: Extractor
    switches: Switches = Switches()  # parts of the content
    asked: bool = True  # else it is the one that is filled by default


class FieldPlan(NamedTuple):
    """What items of a class get."""

    fields: list[FieldRequest]
    complaints: list[str]  # mistakes, in whose stead the next place decides
    pages: bool = False  # of the whole article
    lacking: str = ""  # names of the fields that would be filled, if the class has none of them

    def empty_in(self, adapter: ItemAdapter) -> list[FieldRequest]:
        return [each for each in self.fields if is_empty(value_of(adapter, each.field))]


class ItemChoices(NamedTuple):
    name: str
    names: frozenset[str] | None  # fields that it can hold; None: any
    fields: dict[str, Choice]  # each with its output, or not active: never fill this field
    active: bool
    mistakes: tuple[str, ...]


class Chooser:
    """Finds what the fields of an item are filled with, and mistakes where they are written."""

    def __init__(self, settings: BaseSettings, spider: Spider | None = None) -> None:
        self._spider = spider
        self._extractors: dict[tuple[str, str], Extractor] = {}
        self._items: WeakKeyDictionary[type, ItemChoices] = WeakKeyDictionary()
        # By item class and the mark of a callback, which is kept so that its identity is its own.
        self._usual: WeakKeyDictionary[type, dict[int, tuple[object, FieldPlan]]] = (
            WeakKeyDictionary()
        )
        self._at_start: list[str] = []
        project = _choices_of_settings(settings, self._at_start)
        self._fields_by_default = project[-1]
        self._asks_for_fields = settings.get("BOILERPLATE_FIELDS") is not None
        by_spider = _read(_OF_SPIDER, self._own_choice(), self._at_start)
        self._general, wrong = self._drop_invalid((by_spider, *project), ())
        self._at_start += wrong

    # -- at start ----------------------------------------------------------------------------

    def mistakes(self) -> Iterator[str]:
        """Yield those of the settings, the spider, its callbacks and its module's items."""
        yield from self._at_start
        if self._spider is None:
            return
        for name, mark in _marked_callbacks(self._spider):
            complaints: list[str] = []
            choice = _read(f"callback {name!r}", mark, complaints)
            yield from complaints + self._drop_invalid((choice,), self._general)[1]
        try:
            read_strip(self._own_choice())
        except ValueError as error:
            message = f"{_OF_SPIDER}: {error}"
            if message not in self._at_start:
                yield message
        for item_class in _item_classes(type(self._spider)):
            with suppress(Exception):  # a class that raises is reported when an item of it comes
                yield from self._choices_of(item_class).mistakes

    def _own_choice(self) -> object:
        """Return what the spider says, of which an error is a mistake for us."""
        try:
            return getattr(self._spider, KEY, None)
        except Exception as error:
            self._at_start.append(f"{_OF_SPIDER}: {type(error).__name__}: {error}")
            return None

    def _mistakes_of_field(self, own: Choice) -> list[str]:
        """Return the mistakes in a field's choice, whose extractor any callback may name."""
        found = self._drop_invalid((own,), self._general)[1]
        if own.extractor is not None or self._spider is None:
            return found
        for name, mark in _marked_callbacks(self._spider):
            callback = _read(name, mark, [])
            sound, wrong = self._drop_invalid((callback,), self._general)
            if wrong and callback.extractor is not None:
                return []  # nobody knows what is right on top of it
            found = min(found, self._drop_invalid((own,), sound)[1], key=len)
        return found

    def _drop_invalid(
        self, choices: Iterable[Choice], later: Sequence[Choice]
    ) -> tuple[Sequence[Choice], list[str]]:
        """Return the choices that are right, on top of the *later* ones, and what is wrong."""
        wrong: list[str] = []
        for choice in reversed(tuple(choices)):
            chain = (choice, *later)
            builds = choice.extractor is not None or choice.options
            problem = self._problem(chain) if builds else None
            if problem is None:
                later = chain
            else:
                wrong.insert(0, problem)
        return later, wrong

    def _problem(self, chain: Sequence[Choice]) -> str | None:
        """Return why the choices give no extractor; nothing is wrong if none names one."""
        if all(choice.extractor is None for choice in chain):
            return None
        try:
            self._extractor(chain)
        except Exception as error:  # other packages may raise anything
            hints = {_hint(option, str(error)) for option in chain[0].options}
            return f"{chain[0].place}: {error}{''.join(sorted(hints))}"
        return None

    # -- for an item -------------------------------------------------------------------------

    def plan(self, item_class: type, request: Request | None = None) -> FieldPlan:
        """Return what to fill in for an item of that class from an answer to *request*."""
        if request is not None and request.meta.get(KEY) is not None:
            return self._choose(item_class, request)
        mark = _mark(self._callback(request))
        usual = self._usual.setdefault(item_class, {})
        known = usual.get(id(mark))
        if known is None:
            if len(usual) >= MOST_KEPT:
                usual.clear()
            chosen = self._choose(item_class, None if mark is None else request)
            known = usual[id(mark)] = (mark, chosen)
        return known[1]

    def plan_of_page(self, request: Request | None) -> FieldPlan:
        """Return how a page is extracted that no item asks for, as one field without a name."""
        complaints: list[str] = []
        specific = self._of_request(request, complaints)
        _, extractor, switches = self._resolve(specific, complaints)
        wanted = FieldRequest("", "text", extractor, switches)
        return FieldPlan([wanted], complaints, _wants_pages((*specific, *self._general)))

    def _choose(self, item_class: type, request: Request | None) -> FieldPlan:
        plan = self._choices_of(item_class)
        complaints = list(plan.mistakes)
        if not plan.active:
            return FieldPlan([], complaints)
        meta, callback = self._of_request(request, complaints)
        chain = (meta, callback, *self._general)
        source = next(choice for choice in chain if choice.fields is not None)
        asked = self._asks_for_fields or source is not self._fields_by_default
        asked = asked or bool(meta.active or callback.active)
        field_requests = []
        targets = self._targets(plan, source, source is meta, complaints)
        for name, output in targets.items():
            own = plan.fields.get(name, NOTHING)
            active, extractor, switches = self._resolve((meta, own, callback), complaints)
            if active:
                field_requests.append(FieldRequest(name, output, extractor, switches, asked))
        active = next(choice.active for choice in chain if choice.active is not None)
        lacking = set(source.fields or ()) - (plan.names or set()) if active else ()
        return FieldPlan(
            *(field_requests, complaints, _wants_pages(chain)),
            lacking="" if targets else ", ".join(sorted(lacking)),
        )

    def _of_request(self, request: Request | None, complaints: list[str]) -> tuple[Choice, Choice]:
        if request is None:
            return NOTHING, NOTHING
        meta = _read("request meta 'boilerplate'", request.meta.get(KEY), complaints)
        callback = self._callback(request)
        named = callback if isinstance(callback, (FunctionType, MethodType)) else type(callback)
        return meta, _read(f"callback {named.__name__!r}", _mark(callback), complaints)

    def _resolve(
        self, specific: tuple[Choice, ...], complaints: list[str]
    ) -> tuple[bool, Extractor, Switches]:
        """Return whether to extract, by what, and which parts: the most specific choice wins."""
        sound, wrong = self._drop_invalid(specific, self._general)
        complaints += [each for each in wrong if each not in complaints]
        chain = (*specific, *self._general)
        active = next(choice.active for choice in chain if choice.active is not None)
        switches = Switches.merged(choice.switches for choice in chain)
        return active, switched(self._extractor(sound), switches), switches

    def _targets(
        self, plan: ItemChoices, source: Choice, by_request: bool, complaints: list[str]
    ) -> dict[str, str]:
        """Return item field: output, from *source* and the item class."""
        targets: dict[str, str] = {}
        for name, output in (source.fields or {}).items():
            if plan.names is None or name in plan.names:
                targets[name] = output
            elif source is not self._fields_by_default:
                what = unknown(f"field of {plan.name}:", name, sorted(plan.names))
                complaints.append(f"{source.place}: {what}")
        for name, own in plan.fields.items():
            if own.fields is None:
                targets.pop(name, None)
            elif not (by_request and name in targets):
                targets.update(own.fields)
        return targets

    def _extractor(self, chain: Sequence[Choice]) -> Extractor:
        options: dict[str, object] = {}
        for choice in chain:
            options = {**choice.options, **options}
            if choice.extractor is not None:
                break
        name = choice.extractor
        if not isinstance(name, str):
            return get_extractor(name, **options)  # type: ignore[arg-type]
        key = (name, repr(sorted(options.items())))
        if key not in self._extractors:
            if len(self._extractors) >= MOST_KEPT:
                self._extractors.clear()
            self._extractors[key] = get_extractor(name, **options)
        return self._extractors[key]

    # -- callbacks ---------------------------------------------------------------------------

    def _callback(self, request: Request | None) -> Any:
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

    def _choices_of(self, item_class: type) -> ItemChoices:
        plan = self._items.get(item_class)
        if plan is None:
            plan = self._items[item_class] = self._read_item_class(item_class)
        return plan

    def _read_item_class(self, item_class: type) -> ItemChoices:
        names = ItemAdapter.get_field_names_from_class(item_class)
        fields: dict[str, Choice] = {}
        mistakes: list[str] = []
        known = fields_of(item_class)
        for name in names or ():
            meta = ItemAdapter.get_field_meta_from_class(item_class, name)
            extra = meta.get("json_schema_extra")  # where pydantic lets users write what they like
            value = meta.get(KEY, extra.get(KEY) if isinstance(extra, dict) else None)
            if value is None:
                if name in known:
                    fields[name] = Choice(active=True, fields={name: known[name]})
                continue
            place = f"field {name!r} of {item_class.__name__}"
            try:
                fields[name] = _read_field(name, value, place)
            except ValueError as error:
                mistakes.append(f"{place}: {error}")
                continue
            mistakes += self._mistakes_of_field(fields[name])
        return ItemChoices(
            name=item_class.__name__,
            names=None if names is None else frozenset(names),
            fields=fields,
            active=KEY in (names or ()) or getattr(item_class, KEY, None) is not False,
            mistakes=tuple(mistakes),
        )


def _choices_of_settings(settings: BaseSettings, complaints: list[str]) -> tuple[Choice, ...]:
    """Return what the settings say, each by itself, so that a mistake has the setting's name."""
    wanted = Choice("BOILERPLATE_OPTIONS")
    try:
        switches, options = split(read_valid(settings, "BOILERPLATE_OPTIONS"))
        pages = _pop_flag(options, PAGES)
        for name in {"extractor", "fields", STRIP} & options.keys():
            raise ValueError(f"{name!r} has its own setting, BOILERPLATE_{name.upper()}")
        wanted = replace(wanted, options=options, switches=switches, pages=pages)
    except ValueError as error:
        complaints.append(f"{wanted.place}: {error}")
    extractor = read_valid(settings, "BOILERPLATE_EXTRACTOR")
    asked = {"fields": read_valid(settings, "BOILERPLATE_FIELDS")}
    fields = _read("BOILERPLATE_FIELDS", asked, complaints).fields
    if fields is None:
        fields = _read_fields(SETTINGS["BOILERPLATE_FIELDS"].default)
    return (
        wanted,
        Choice("BOILERPLATE_EXTRACTOR", active=True, extractor=extractor),
        Choice("BOILERPLATE_FIELDS", fields=fields),
    )


def _hint(option: str, message: str) -> str:
    """Return what else an unknown option may have meant, for which *message* has no advice."""
    if option == "output" or option in OUTPUTS:
        return " (name outputs in 'fields')"
    meant = nearest(option, NAMED_BY_US)
    known = meant is None or f"mean {meant!r}" in message or f"use {meant}=" in message
    return "" if known else f" (or the key {meant!r}?)"


def _wants_pages(chain: Iterable[Choice]) -> bool:
    return next((choice.pages for choice in chain if choice.pages is not None), False)


def _pop_flag(options: dict[str, object], name: str) -> bool | None:
    value = options.pop(name, None)
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"{name!r} must be True or False, not {value!r}")


def read_strip(value: object) -> bool | None:
    """Return what a request or spider says of stripping, if anything; raise :exc:`ValueError`."""
    value = _parsed(value)
    if isinstance(value, Mapping):
        return _pop_flag(dict(value), STRIP)
    return False if value is False else None


def _parsed(value: object) -> object:
    """Return a choice; ``-a boilerplate=…`` gives a bool or an object of JSON as a text."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return SWITCHED.get(value.lower(), value) if isinstance(value, str) else value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is not valid JSON: {error}") from None


def _read_fields(fields: object) -> dict[str, str]:
    """Return a mapping of item fields to outputs; raise :exc:`ValueError` with all wrong ones."""
    if not isinstance(fields, Mapping):
        raise ValueError(f"'fields' must map item fields to outputs, not {fields!r}")
    wrong = [
        unknown("output", output, OUTPUTS)
        for output in fields.values()
        if not isinstance(output, str) or output not in OUTPUTS
    ]
    wrong += [
        f"{name!r} is not the name of an item field"
        for name in fields
        if not isinstance(name, str) or not name
    ]
    if wrong:
        raise ValueError("; ".join(wrong))
    return dict(fields)


def _read(place: str, value: object, complaints: list[str]) -> Choice:
    """Return the choice in *value*; one that says nothing, and a complaint, if it is wrong."""
    try:
        value = _parsed(value)
        if isinstance(value, Mapping) and STRIP in value:  # which is not for the items
            value = {key: value[key] for key in value if key != STRIP} or None
        return Choice.read(value, place)
    except ValueError as error:
        complaints.append(f"{place}: {error}")
        return Choice(place)


def _read_field(name: str, value: object, place: str) -> Choice:
    """Read a field's metadata: an output, a dict, ``False``, or ``True`` for its own name."""
    if value is False:
        return Choice(place, active=False)
    if not isinstance(value, Mapping):
        output = check_output(name if value is True else value)
        return Choice(place, active=True, fields={name: output})
    options = dict(value)
    output = check_output(options.pop("output", name if name in OUTPUTS else "text"))
    if "fields" in options:
        raise ValueError("a field takes 'output', not 'fields'")
    if PAGES in options:
        raise ValueError(
            f"{PAGES!r} applies to all fields: set it for a request, callback or spider, "
            "or in the settings"
        )
    return replace(Choice.read(options, place), fields={name: output})


def _mark(callback: Any) -> object:
    """Return what ``extract_with`` wrote on a callback or what that wraps; ask nothing else."""
    for _ in range(50):  # some wrap themselves
        own = getattr(callback, "__dict__", None) or {}
        if own.get(KEY) is not None:
            return own[KEY]
        inner = next((name for name, kinds in _INNER if issubclass(type(callback), kinds)), None)
        callback = own.get("__wrapped__") if inner is None else getattr(callback, inner)
        if callback is None:
            break
    return None


_INNER = ("func", (partial, partialmethod)), ("__func__", (MethodType, classmethod, staticmethod))


def _marked_callbacks(spider: Spider) -> Iterator[tuple[str, object]]:
    """Yield name and mark of the spider's methods and of the functions in its rules."""
    members = [item for base in type(spider).__mro__ for item in vars(base).items()]
    if isinstance(spider, CrawlSpider):
        members += ((str(rule.callback), rule.callback) for rule in spider.rules)
    for name, member in members:
        kinds = (classmethod, staticmethod, partialmethod)
        is_function = callable(member) or isinstance(member, kinds)
        if is_function and not isinstance(member, type) and (mark := _mark(member)) is not None:
            yield name, mark


def _item_classes(spider_class: type) -> Iterator[type]:
    """Yield the item classes that the spider's module defines or imports."""
    seen: set[type] = set()
    for base in spider_class.__mro__:
        module = sys.modules.get(base.__module__)
        for namespace in (vars(base), vars(module) if module else {}):
            for value in list(namespace.values()):
                # In Python 3.10 list[int] is an instance of type, too.
                if issubclass(type(value), type) and value not in seen:
                    seen.add(value)
                    with suppress(Exception):  # of its metaclass
                        if ItemAdapter.is_item_class(value):
                            yield value


def is_empty(value: object) -> bool:
    return value is None or (isinstance(value, (str, bytes, list, tuple, dict)) and not value)
