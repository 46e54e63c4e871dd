"""Saves states into a store, a page at a time: ``store_writer.py ADDRESS FIRST LAST REPEAT``."""

from __future__ import annotations

import sys

from storing import SITE, states

from scrapy_boilerplate.learn.stores import open_store

address, first, last, repeat = sys.argv[1], *map(int, sys.argv[2:])
saved = states(range(first, last))
print("ready", flush=True)
sys.stdin.readline()
store = open_store(address)
while True:
    for data in saved:
        store.save(SITE, data)
        print("saved", flush=True)
    if not repeat:
        break
store.close()
