"""Learning on real sites, where the development data is there."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from statistics import fmean

import pytest
from generated_sites import f1

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.learn import SiteLearner

METHOD = get_extractor("mss-tuned")


@pytest.mark.parametrize("site", ["aviarypl", "buildbroken", "hexo-docs-ru", "limour", "ouseful"])
def test_learning_helps_and_never_harms(shared_data: Path, site: str) -> None:
    folder = shared_data / "sites" / site
    labels = (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in labels]
    random.Random(1).shuffle(rows)
    learner = SiteLearner(key=lambda url: site)
    for row in rows[:10]:
        page = Page.parse(gzip.decompress((folder / row["file"]).read_bytes()), url=row["url"])
        learner.observe(page, METHOD.extract(page))
    state, model = learner.state(site), learner.model(site)
    assert state is not None
    assert len(state) <= 16 * 1024
    assert len(model.to_bytes()) <= 4 * 1024
    alone, learned = [], []
    for row in [row for row in rows[10:] if row["kind"] == "article"][:12]:
        page = Page.parse(gzip.decompress((folder / row["file"]).read_bytes()), url=row["url"])
        alone.append(f1(METHOD.extract(page).text, row["text"]))
        learned.append(f1(model.apply(page, METHOD).text, row["text"]))
    assert fmean(learned) > fmean(alone)
    assert fmean(learned) > 0.9
