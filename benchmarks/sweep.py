r"""Try every combination of some options of a method, and say which one an honest choice gives.

Prints word F1, precision and recall of each combination, best first, then what choosing by F1
reaches on pages that had no part in the choice: in each of five folds, which split no group
(registered domain), the best combination of the other four is scored. For example::

    python -m benchmarks.sweep mss tag_score=-3.25,-1 symbol_score=0,1 \
        --data ../shared/data/wcxb-dev
"""

from __future__ import annotations

import argparse
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import LabelledPage, read
from benchmarks.metrics import paired_difference, word_score
from scrapy_boilerplate import Page, get_extractor

FOLDS = 5

Options = dict[str, Any]


def grid(settings: Iterable[str]) -> list[Options]:
    """Return every combination of settings such as ``p=1,2``; values are literals or plain words.

    >>> grid(["p=1,2.5", "metric=words"])
    [{'p': 1, 'metric': 'words'}, {'p': 2.5, 'metric': 'words'}]
    """
    named = [setting.partition("=")[::2] for setting in settings]
    values = [[(name, _value(text)) for text in texts.split(",")] for name, texts in named]
    return [dict(combination) for combination in product(*values)]


def _value(text: str) -> Any:
    try:
        return literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def measure(
    pages: Iterable[LabelledPage], name: str, combinations: Sequence[Options]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores, page × combination × (F1, precision, recall), and each page's fold."""
    extractors = [get_extractor(name, **options) for options in combinations]
    scores, folds = [], []
    for labelled in pages:
        page = Page.parse(labelled.html, url=labelled.url)
        texts = [extractor.extract(page).text for extractor in extractors]
        known = {text: word_score(text, labelled.gold) for text in set(texts)}
        scores.append([known[text] for text in texts])
        folds.append(crc32(labelled.group.encode()) % FOLDS)
    return np.array(scores), np.array(folds)


def choose(f1: NDArray[Any], folds: NDArray[Any]) -> tuple[NDArray[Any], Counter[int]]:
    """Return each page's F1 by the combination that is best outside its fold, and those chosen."""
    held_out = np.empty(len(f1))
    chosen: Counter[int] = Counter()
    for fold in np.unique(folds):
        best = int(f1[folds != fold].mean(axis=0).argmax())
        held_out[folds == fold] = f1[folds == fold, best]
        chosen[best] += 1
    return held_out, chosen


def report(name: str, combinations: Sequence[Options], scores: Any, folds: Any) -> Iterator[str]:
    """Yield the lines of a Markdown table, and below it what choosing reaches."""
    f1 = scores[:, :, 0]
    order = np.argsort(-f1.mean(axis=0), kind="stable").tolist()
    options = list(combinations[0])
    yield f"| {' | '.join(options)} | F1 | precision | recall | to the best |"
    yield "|---" * (len(options) + 4) + "|"
    for number in order:
        gap = paired_difference(f1[:, number].tolist(), f1[:, order[0]].tolist())
        cells = [str(value) for value in combinations[number].values()]
        cells += [f"{value:.4f}" for value in scores[:, number].mean(axis=0)]
        yield f"| {' | '.join(cells)} | {gap.mean:+.4f} ± {gap.standard_error:.4f} |"
    held_out, chosen = choose(f1, folds)
    yield f"\n{name}, {len(f1)} pages; chosen in {FOLDS} folds: F1 {held_out.mean():.4f}, by"
    for number, times in chosen.most_common():
        yield f"- {combinations[number]} in {times}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("extractor", help="a registered name")
    parser.add_argument("options", nargs="+", metavar="OPTION=VALUE,VALUE")
    parser.add_argument("--data", required=True, help="folder of a labelled page set")
    parser.add_argument("--every", type=int, default=1, help="take only every n-th page")
    given = parser.parse_args(arguments)
    combinations = grid(given.options)
    pages = (page for number, page in enumerate(read(given.data)) if number % given.every == 0)
    scores, folds = measure(pages, given.extractor, combinations)
    print("\n".join(report(given.extractor, combinations, scores, folds)))


if __name__ == "__main__":
    main()
