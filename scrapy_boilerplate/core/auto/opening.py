"""Keeps what an article opens with, its headline and lede, and drops labels of advertisements.

The longer an article, the less a headline and a line below it weigh in the expected F1, and the
more readily the model leaves them out. A reader misses nothing more than these.
"""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.core.answer.metadata.authors import names_in_byline
from scrapy_boilerplate.core.answer.posts.unit_signs import has_date, is_date_line
from scrapy_boilerplate.core.auto._features_native import (
    ABOVE,
    LEAST_OVERLAP,
    MOST_OF_CALLS,
    MOST_UNSURE,
    SURE,
    Features,
)
from scrapy_boilerplate.core.auto.features import bits_in
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._text_native import Phrases
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64

MOST_WORDS_BETWEEN = 120  # words that may stand between a headline and the text
LEAST_HEADLINE, LEAST_LEDE = 0.1, 0.2  # probability from which on a headline and a lede are kept
LEDE = 4  # words of a lede at least

_NO_LEDE = bits_in(ABOVE, "nav footer aside form button list cell figure code")
_NAMED_OTHERWISE = bits_in(NAMED, "comment related share side foot navigation author overlay")
_ADVERTISEMENTS = (
    "ad ads advert advertisement advertisements advertising sponsored anzeige anzeigen werbung "
    "publicité publicidad publicidade pubblicità publicitat reclame advertentie reklam reklama "
    "mainos annonse annonce annons реклама διαφήμιση 広告 スポンサーリンク 广告 廣告 광고 "
    "إعلان".split()
)
"""What labels of advertisements say, and nothing else stands in their block."""
_ANY_LABEL = Phrases(_ADVERTISEMENTS)
_CALLS = (
    "subscribe to|subscribe now|sign up for|sign up now|sign up today|to your inbox|"
    "in your inbox|follow us|follow me on|join our|download our app|share this|share on facebook|"
    "share on twitter|share on x|support our|donate now|donate today|become a member|"
    "become a subscriber|already a subscriber|to continue reading|about the author|"
    "abonnieren sie|newsletter an|folgen sie uns|jetzt abonnieren|jetzt anmelden|teilen auf|"
    "unterstützen sie uns|über den autor|über die autorin|abonnez-vous|inscrivez-vous|"
    "suivez-nous|partager sur|partager cet|à propos de l'auteur|suscríbete|suscríbase|síguenos|"
    "compartir en|sobre el autor|iscriviti|seguici su|condividi|abbonati|inscreva-se|siga-nos|"
    "compartilhe|sobre o autor|подпишитесь|подписывайтесь|поделиться|об авторе|podziel się|"
    "zapisz się|subskrybuj|schrijf je in|volg ons|prenumerera|abone ol|we use cookies|"
    "uses cookies|verwenden cookies|verwendet cookies|utilise des cookies|utilisons des cookies|"
    "utiliza cookies|utilizamos cookies|usamos cookies|utilizza i cookie|utilizziamo i cookie|"
    "файлы cookie|używa plików cookie|gebruikt cookies|gebruiken cookies|använder cookies|"
    "använder kakor|bruger cookies|bruker cookies|çerezler kullan"
).split("|")
_CALLS_UNSPACED = (
    "关注我们|订阅|分享到|メルマガ|구독하기|cookieを使用|使用cookie|쿠키를 사용".split("|")
)
"""What asks readers for something, or tells of cookies, where the model is not sure of it."""
_ANY_CALL = Phrases(_CALLS, _CALLS_UNSPACED)
_RARE = frozenset(max(call.split(), key=len) + end for call in _CALLS for end in ("", *".,:!?"))
"""A word of each, one of which is in a text that has any."""
ASIDE, BOX = bits_in(ABOVE, "aside"), bits_in(ABOVE, "nav")
NAMED_BOX = bits_in(NAMED, "form overlay")
"""Bits of elements and of names of what stands beside a text."""
_WORDS_OF_BOXES, _MOST_IN_BOXES = 80, 0.4
"""Words of all boxes of a page, and share of those that are kept; more are text."""
_WORDS_OF_BOX, _MOST_CALLS = 60, 8
_LIKELY_BESIDE, _LEAST_BESIDE = 0.95, 2 / 3
"""Probability of a block beside which a call stands, and least share of the words that stay."""
_HEADING, _CODE = bits_in(ABOVE, "heading"), bits_in(ABOVE, "code")
_WORDS_OF_LINE, _MOST_LINES = 12, 8
"""Words of a line with the date above a text, or beside that, and number of these lines."""
_LINE_OF_DATE = re.compile(r"\A\D*\d.*[^.!?…。！？।؟”\"»)]\Z", re.DOTALL)
"""A line with a number that is no sentence, such as that of the writer and the date."""


def add_opening(
    page: Page, features: Features, keep: Bool, content: Float, opening: tuple[int, int, int]
) -> Bool:
    """Return which blocks are kept with the headline and the lede of those that *keep* flags.

    The *opening* is the heading right above them that says what the page's title does, the last
    ``h1`` before the first long block that is kept, and that block. The lede is prose between them
    that is neither linked nor named as anything else.
    """
    title, headline, first = opening
    if title >= 0:
        keep = keep.copy()
        keep[title] = True
    if headline < 0:
        return keep
    words = features.words
    between = np.arange(headline + 1, first)
    if words[between].sum() > MOST_WORDS_BETWEEN or content[headline] < LEAST_HEADLINE:
        return keep
    kept: Bool = keep.copy()
    kept[headline] = True
    kept[_ledes(page, features, content, between[~keep[between]])] = True
    return kept


def _ledes(page: Page, features: Features, content: Float, blocks: Int64) -> Int64:
    """Return which of some *blocks* above a text may be its lede."""
    words = features.words[blocks]
    may_be = (
        (words >= LEDE)
        & (content[blocks] >= LEAST_LEDE)
        & (page.linked[blocks] < 0.3 * words)
        & (features.bits[blocks] & _NO_LEDE == 0)
        & (features.named[blocks] & _NAMED_OTHERWISE == 0)
    )
    rows = blocks[may_be]
    said = (page.lay_out(*row).strip() for row in page.blocks[rows].tolist())
    return rows[[not _says_who_or_when(each) for each in said]]


def _says_who_or_when(line: str) -> bool:
    return bool(_LINE_OF_DATE.match(line) or _says_when(line) or names_in_byline(line))


def _says_when(line: str) -> bool:
    return has_date(line) and is_date_line(line)


def drop_dates(page: Page, features: Features, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept without the line of the date, which the text begins with.

    What stands beside it in short lines, such as the writer and the time to read, goes with it, and
    a lede stays.
    """
    others = (features.bits & _HEADING == 0).nonzero()[0]
    kept = others[keep[others]]
    if (features.words[kept[:2]] > _WORDS_OF_LINE).all():
        return keep  # at once, as nearly all texts that a paragraph begins
    if kept.size > 2 and _ledes(page, features, content, kept[:1]).size:
        kept = kept[1:]
    if kept.size < 2 or features.words[kept[0]] > _WORDS_OF_LINE:
        return keep
    if features.bits[kept[0]] & _CODE:
        return keep
    first, stop = page.blocks[kept[0]].tolist()
    around = int(page.text_parent[first])
    while around > 0 and page.last_text[around] <= stop:
        around = int(page.parent[around])
    begin, end = page.blocks[others, 0].searchsorted(
        [page.first_text[max(around, 0)], page.last_text[max(around, 0)]]
    )
    beside = others[begin:end]
    if beside.size > _MOST_LINES or features.words[beside].max() > _WORDS_OF_LINE:
        beside = kept[:1]
    lines = (page.lay_out(*page.blocks[block].tolist()).strip() for block in beside.tolist())
    if not any(map(_says_when, lines)):
        return keep
    found: Bool = keep.copy()
    found[beside[features.title_overlap[beside] <= LEAST_OVERLAP]] = False
    found[_ledes(page, features, content, beside[keep[beside]])] = True
    return found if np.count_nonzero(found[kept]) else keep


def drop_labels(page: Page, words: Float, keep: Bool) -> Bool:
    """Return which blocks are kept without labels of advertisements, which stand within the text.

    >>> page = Page.parse("<p>It rained.<div>Advertisement</div><p>It went on.")
    >>> drop_labels(page, np.array([2.0, 1, 3]), np.ones(3, dtype=bool)).tolist()
    [True, False, True]
    """
    short = (keep & (words <= 1)).nonzero()[0]
    if not short.size:
        return keep
    if not _says_any(_ANY_LABEL, page, short):
        return keep
    said = (text.strip(" \n.:-–—[]()").casefold() for text in page.written(short))
    labels = [text in _ADVERTISEMENTS for text in said]
    if not any(labels):
        return keep
    kept: Bool = keep.copy()
    kept[short[labels]] = False
    return kept


def drop_calls(page: Page, words: Float, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept without boxes that call to subscribe, share or give.

    A call that stands in the text itself stays, unless in ``aside``: a writer may want that, too.

    >>> page = Page.parse("<p>It rained.<div><h3>News</h3><p>Sign up for our newsletter!</div>")
    >>> drop_calls(page, np.array([90.0, 1, 5]), np.ones(3, dtype=bool), np.array([1, 0.8, 0.7]))
    array([ True, False, False])
    """
    aside = page.blocks_inside(page.has_tag(("aside",)))
    may_be = keep & ((content < SURE) | aside) & (words > 1) & (words <= MOST_OF_CALLS)
    rows = may_be.nonzero()[0]
    if not 0 < rows.size <= MOST_UNSURE:  # of more, it is a list or a shop
        return keep
    if not _says_any(_ANY_CALL, page, rows):
        return keep
    texts = [text.lower() for text in page.written(rows)]
    said = "\n".join(texts)
    calls = () if said.isascii() else [call for call in _CALLS_UNSPACED if call in said]
    if not _RARE.isdisjoint(said.split()):
        calls = [*calls, *(call for call in _CALLS if call in said)]
    if not calls:
        return keep
    is_call = [any(call in text for call in calls) for text in texts]
    if sum(is_call) > _MOST_CALLS:  # the page is about them
        return keep
    dropped = np.zeros_like(keep)
    total, likely = cumulative(words), cumulative(keep & (content >= _LIKELY_BESIDE))
    for block in rows[is_call].tolist():
        around = int(page.text_parent[page.block_starts[block]])
        start, stop = _box_around(page, block, block + 1, around, total, likely)
        if stop - start > 1 or aside[block]:
            dropped[start:stop] = True
    kept: Bool = keep & ~dropped
    return kept if words[kept].sum() >= _LEAST_BESIDE * words[keep].sum() else keep


def _says_any(phrases: Phrases, page: Page, blocks: Int64) -> bool:
    """Tell whether one of *blocks* has one of *phrases*."""
    first, after = page.blocks[blocks].T
    slices = page.text_start[first], page.text_stop[after - 1]
    return bool(phrases.groups_in_slices(page.buffer, *slices, len(page.buffer)))


def drop_forms(page: Page, words: Float, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept without boxes with a field for the reader's address of mail.

    >>> page = Page.parse("<p>It rained.<div><p>Our news<input type=email></div><p>It went on.")
    >>> drop_forms(page, np.array([90.0, 2, 90]), np.ones(3, dtype=bool), np.array([1, 0.8, 1]))
    array([ True, False,  True])
    """
    fields = (page.with_sign("email") & page.has_tag(("input",))).nonzero()[0]
    if fields.size > _MOST_CALLS:
        return keep
    total, likely = cumulative(words), cumulative(keep & (content >= _LIKELY_BESIDE))
    kept: Bool = keep.copy()
    for field in fields.tolist():
        start, stop = _box_around(page, 0, 0, field, total, likely)
        kept[start:stop] = False
    return kept if words[kept].sum() >= _LEAST_BESIDE * words[keep].sum() else keep


def drop_boxes(features: Features, keep: Bool) -> Bool:
    """Return which blocks are kept without the few words of menus, letters and the like."""
    is_box = keep & ((features.bits & BOX > 0) | (features.named & NAMED_BOX > 0))
    size, words = features.words[is_box].sum(), features.words[keep].sum()
    return keep & ~is_box if size <= min(_WORDS_OF_BOXES, _MOST_IN_BOXES * words) else keep


def _box_around(
    page: Page, start: int, stop: int, around: int, total: Float, likely: Int64
) -> tuple[int, int]:
    """Return the blocks of the largest element of few words *around* some, none of them likely.

    *total* and *likely* are sums before each block: of words, and of blocks that are.
    """
    while around > 0:
        first, after = map(int, page.blocks_in(around))
        if total[after] - total[first] > _WORDS_OF_BOX or likely[after] > likely[first]:
            break
        start, stop = (min(first, start), max(after, stop)) if start < stop else (first, after)
        around = int(page.parent[around])
    return start, stop
