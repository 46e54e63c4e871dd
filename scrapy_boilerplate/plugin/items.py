"""Values of item fields, whatever the class of the item."""

from __future__ import annotations

from itemadapter import ItemAdapter


def value_of(adapter: ItemAdapter, name: str) -> object:
    """Return a field's value; ``None`` without a value or without that field."""
    try:
        return adapter[name]
    except (KeyError, AttributeError):  # the latter where a class leaves a field without a value
        return None


def is_empty(value: object) -> bool:
    """Return whether a field is empty: no value, or a value without content."""
    return value is None or (isinstance(value, (str, bytes, list, tuple, dict)) and not value)
