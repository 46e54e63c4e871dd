"""Saves states into a store, a page at a time, in a process of its own."""

from __future__ import annotations

from multiprocessing.connection import Connection

from storing import SITE, states

from scrapy_boilerplate.learn.stores import open_store


def save(address: str, numbers: range, repeat: bool, told: Connection) -> None:
    """Save what is known after each page, once told to begin; again and again, to *repeat* it."""
    saved = states(numbers)
    told.send("ready")
    told.recv()
    store = open_store(address)
    while True:
        for data in saved:
            store.save(SITE, data)
            told.send("saved")
        if not repeat:
            break
    store.close()
