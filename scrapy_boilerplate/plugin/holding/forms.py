"""Items and responses as text that a file can keep, and back.

Nothing is pickled. What would not come back unchanged is refused. A file must not hold secrets such
as cookies and passwords: they are left out of responses, and an item that has one is refused.
"""

from __future__ import annotations

import json
import marshal
import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeGuard

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Headers, Response


class CannotStoreError(ValueError):
    """An item or its request cannot be restored from disk unchanged."""


def _comes_back(value: Any) -> bool:
    """Return whether JSON gives an equal value back, of the same types all the way down."""
    try:
        back = json.loads(json.dumps(value))
        # marshal writes nothing but plain types, and tells them apart.
        return back == value and marshal.dumps(back, 0) == marshal.dumps(value, 0)
    except (TypeError, ValueError, RecursionError):
        return False


# A user and a password in front of a host, in JSON. It ends at the first slash, so that each "://"
# is looked at once: no backtracking beyond that.
_CREDENTIALS = re.compile(r'(?<=://)(?:[^/?#\s"\\]|\\u[0-9a-f]{4})*@')


# -- items: a class and fields of JSON types ------------------------------------------------------


def pack_item(item: object) -> str:
    """Return an item as JSON.

    Raises :exc:`CannotStoreError` if it would not come back equal in type and value.
    """
    kind = type(item)
    try:
        fields = _fields(item)
        form = json.dumps([kind.__module__, kind.__qualname__, fields])
        same = _comes_back(fields) and _is_same(unpack_item(form), item)
    except Exception as error:  # an item class may raise anything
        raise CannotStoreError(f"{kind.__name__}: {error}") from error
    if not same:
        raise CannotStoreError(f"{kind.__name__} cannot be restored unchanged from JSON")
    if _CREDENTIALS.search(form):
        raise CannotStoreError(f"{kind.__name__} holds an address with a password")
    return form


def _fields(item: object) -> dict[str, object]:
    """Return the fields that have a value; of a pydantic model those that were given one."""
    given = getattr(item, "model_fields_set", None)
    return {
        name: value for name, value in ItemAdapter(item).items() if given is None or name in given
    }


def _is_same(one: object, other: object) -> bool:
    if type(one) is not type(other) or (one != other and type(one).__eq__ is not object.__eq__):
        return False
    # What pickle would keep of them, but nothing is pickled: attributes and slots.
    return bool(one.__reduce_ex__(2)[2] == other.__reduce_ex__(2)[2])


def unpack_item(form: str) -> object:
    """Return the item; raises :exc:`CannotStoreError` if it does not name an item class."""
    module, name, fields = json.loads(form)
    # A file that was tampered with must not import what the project does not: that would run it.
    if module.partition(".")[0] not in sys.modules:
        raise CannotStoreError(f"{module} is not a module of this project")
    kind: object = import_module(module)
    for part in name.split("."):
        kind = getattr(kind, part)
    if not _is_item_class(kind):
        raise CannotStoreError(f"{module}.{name} is not an item class")
    return kind(**fields)


def _is_item_class(kind: object) -> TypeGuard[Callable[..., object]]:
    """Return whether itemadapter knows it; a class of dicts may keep more than its keys."""
    if not (isinstance(kind, type) and ItemAdapter.is_item_class(kind)):
        return False
    return kind is dict or not issubclass(kind, dict)


# -- responses: what item pipelines and listeners may look at -------------------------------------

_SECRET = frozenset(
    [b"Authorization", b"Proxy-Authorization", b"Cookie", b"Cookie2", b"Set-Cookie", b"Set-Cookie2"]
)
"""Headers that a file must not hold, as Scrapy spells them."""


def pack_response(response: Response, spider: Spider) -> str:
    """Return all of a response but its body as JSON, without secrets.

    Of meta and ``cb_kwargs`` what JSON knows is kept. Raises :exc:`CannotStoreError` if the
    request's callback is not a method of the spider, or its choice of an extractor is lost.
    """
    form = {
        "url": response.url,
        "status": response.status,
        "encoding": getattr(response, "encoding", None),
        "headers": _pack_headers(response.headers),
        "flags": list(map(str, response.flags)),
        "protocol": response.protocol,
        "request": _pack_request(response.request or Request(response.url), spider),
    }
    return _CREDENTIALS.sub("", json.dumps(form))


def unpack_response(form: str, body: bytes, spider: Spider) -> HtmlResponse:
    """Return a response; raises an exception of any kind if the spider has no such callback."""
    values = json.loads(form)
    return HtmlResponse(
        values["url"],
        status=values["status"],
        headers=_unpack_headers(values["headers"]),
        body=body,
        encoding=values["encoding"],
        flags=values["flags"],
        protocol=values["protocol"],
        request=_unpack_request(values["request"], spider),
    )


def _pack_request(request: Request, spider: Spider) -> dict[str, object]:
    try:
        values = request.to_dict(spider=spider)
    except Exception as error:  # it looks at all that the spider has
        raise CannotStoreError(str(error)) from error
    if not _comes_back(request.meta.get("boilerplate")):
        raise CannotStoreError("the choice in the request's meta is not made of JSON types")
    values["headers"] = _pack_headers(request.headers)
    values["body"] = request.body.decode("latin-1")
    for name in ("meta", "cb_kwargs"):
        values[name] = {key: value for key, value in values[name].items() if _comes_back(value)}
    del values["cookies"]
    return {name: value for name, value in values.items() if _comes_back(value)}


def _unpack_request(values: dict[str, Any], spider: Spider) -> Request:
    name = values.get("_class")
    if name is not None and name.partition(".")[0] not in sys.modules:
        raise CannotStoreError(f"{name} is not of a module of this project")
    if not issubclass(load_object(values.get("_class", Request)), Request):
        raise CannotStoreError(f"{values['_class']} is not a request class")
    values["headers"] = _unpack_headers(values["headers"])
    values["body"] = values["body"].encode("latin-1")
    return request_from_dict(values, spider=spider)


def _pack_headers(headers: Headers) -> list[list[object]]:
    return [
        [key.decode("latin-1"), [value.decode("latin-1") for value in values]]
        for key, values in headers.items()
        if key not in _SECRET
    ]


def _unpack_headers(rows: Iterable[tuple[str, list[str]]]) -> dict[bytes, list[bytes]]:
    return {
        key.encode("latin-1"): [value.encode("latin-1") for value in values] for key, values in rows
    }
