"""Threads as forums of many makes lay them out, and pages that only look like threads."""

from __future__ import annotations

import re
from random import Random

import pytest

from scrapy_boilerplate import extract

TEXTS = {
    "en": (
        "I bought the same pump last year and it still runs without any trouble.|"
        "Did you check the fuse behind the panel before you opened the housing?|"
        "Mine makes that noise only in winter, when the oil is thick.|"
        "We had this problem twice and both times it was the cable.|Thanks a lot, that solved it!|"
        "I would not touch the valve unless you have a spare one at home.|"
        "It depends on how old the house is and who did the wiring.|"
        "Has anybody tried the newer model from the other maker?|"
        "I called their support and they sent me a new part for free.|"
        "After three weeks of waiting I gave up and repaired it myself with a bit of glue.|"
        "Sorry for the late answer, I was away over the holidays.|"
        "I measured twelve volts on the first pin and nothing on the second."
    ),
    "de": (
        "Ich habe die gleiche Pumpe letztes Jahr gekauft, und sie läuft noch immer.|"
        "Hast du die Sicherung hinter der Blende geprüft, bevor du das Gehäuse geöffnet hast?|"
        "Meine macht das Geräusch nur im Winter, wenn das Öl zäh ist.|"
        "Wir hatten das zweimal, und beide Male war es das Kabel.|Vielen Dank, das war die Lösung!|"
        "Ich würde das Ventil nicht anfassen, wenn du kein zweites zu Hause hast.|"
        "Das hängt davon ab, wie alt das Haus ist und wer die Leitungen gelegt hat.|"
        "Hat jemand das neuere Modell vom anderen Hersteller probiert?|"
        "Ich habe dort angerufen, und sie haben mir ein neues Teil umsonst geschickt.|"
        "Nach drei Wochen habe ich aufgegeben und es selbst mit etwas Kleber repariert.|"
        "Entschuldige die späte Antwort, ich war über die Feiertage weg.|"
        "Am ersten Stift habe ich zwölf Volt gemessen und am zweiten nichts."
    ),
}
NAMES = ["Ada", "kettle_77", "MrBrown", "jo-anne", "Tom W", "redfox", "oldhand", "pixel"]
LABELS = {
    "en": ["Home", "Forums", "Members", "Help", "Sign in", "Reply", "Like", "Report"],
    "de": ["Start", "Foren", "Mitglieder", "Hilfe", "Anmelden", "Antworten", "Mag ich", "Melden"],
}

FORUMS = {
    "authors and a paragraph each": "<div class=post><p class=author>{name}</p>{text}</div>",
    "Discourse, to crawlers": (
        "<div class='topic-body crawler-post' id=post_{n}><div class=crawler-post-meta>"
        "<span class=creator><a href=/u><span>{name}</span></a></span> <time>{date}</time></div>"
        "<div class=post itemprop=text>{text}</div><div class=post-likes>2 {like}</div></div>"
    ),
    "Flarum, from the server": (
        "<article><div class=PostUser><h3 class=PostUser-name>{name}</h3></div>"
        "<div class=Post-body>{text}</div></article><hr>"
    ),
    "parents": (
        "<div class=sc-a1><div><img src=a.png><div><span>{name}</span><span>{date}</span></div>"
        "</div><div class=sc-e>{text}</div><div><button>{reply}</button><button>{like}</button>"
        "</div></div>"
    ),
    "an application": (
        "<div class=css-k2><div><a href=/u><div>{letter}</div></a></div><div><div>"
        "<a href=/u>{name}</a><span>·</span><span>{date}</span></div><div><div>{text}</div></div>"
        "<div><button>{n}</button><button>{reply}</button><button>{report}</button></div></div>"
        "</div>"
    ),
    "NodeBB": (
        "<li component=post data-index={n}><div><a href=/u><img src=a.png></a><div>"
        "<a class=fw-bold href=/u>{name}</a><span class=timeago>{date}</span></div></div>"
        "<div class=content>{text}</div><div><a href=#>{reply}</a><a href=#>{like}</a></div></li>"
    ),
    "phpBB": (
        "<div id=p{n} class='post bg2'><dl class=postprofile><dt><a class=username>{name}</a></dt>"
        "<dd>{n}</dd></dl><div class=postbody><p class=author><a>{name}</a> » {date}</p>"
        "<div class=content>{text}</div></div></div>"
    ),
    "vBulletin": (
        "<table id=post{n}><tr><td>{date}</td><td>#{n}</td></tr><tr><td><a class=bigusername>{name}"
        "</a><div>Member</div></td><td><div id=post_message_{n}>{text}</div></td></tr></table>"
    ),
    "XenForo": (
        "<article class='message message--post' id=js-post-{n}><h4><a class=username>{name}</a>"
        "</h4><div><header><time>{date}</time> <a>#{n}</a></header><div class=bbWrapper>{text}"
        "</div><footer><a href=#>{like}</a> <a href=#>{reply}</a></footer></div></article>"
    ),
    "questions": (
        "<article><header><span>{name}</span> <time>{date}</time></header><div>{text}</div>"
        "<footer><button>{like} ({n})</button></footer></article>"
    ),
}
OTHERS = {
    "features": "<div class=card><img src=x.png><h3>{title}</h3>{text}</div>",
    "teasers": (
        "<article class=post><h2><a href=/p/{n}>{title}</a></h2><p class=meta>{date} · {name}</p>"
        "{text}<a href=/p/{n}>{report}</a></article>"
    ),
    "frequent questions": "<div class=item><h3>{title}?</h3><div>{text}</div></div>",
    "team": "<div class=person><img src=x.jpg><h3>{name}</h3><span>{like}</span>{text}</div>",
    "sections": "<section><h2>{title}</h2>{text}</section>",
    "changes": "<section><h2>1.{n}.0</h2><time>{date}</time>{text}</section>",
    "results": "<div class=g><a href=/x><h3>{title}</h3></a><cite>x.example</cite>{text}</div>",
}


def page(unit: str, units: int, language: str) -> tuple[str, list[str]]:
    """Return a page with so many units between a menu, a sidebar and a footer, and their texts."""
    random, texts = Random(f"{unit}{units}"), TEXTS[language].split("|")
    labels = LABELS[language]
    menu = "".join(f"<li><a href=/{n}>{label}</a></li>" for n, label in enumerate(labels))
    similar = "".join(f"<li><a href=/x/{n}>{text}</a></li>" for n, text in enumerate(texts[:5]))
    said = [
        [f"{_place(random)}: {text}" for text in random.sample(texts, random.randint(1, 5))]
        for _ in range(units)
    ]
    body = "".join(
        unit.format(
            n=n,
            name=(name := random.choice(NAMES)),
            letter=name[0],
            date=f"2024-05-{n % 28 + 1:02}",
            title=random.choice(texts)[:30],
            text="".join(f"<p>{text}</p>" for text in each),
            reply=labels[5],
            like=labels[6],
            report=labels[7],
        )
        for n, each in enumerate(said, start=1)
    )
    return (
        f"<html lang={language}><title>The pump in the cold</title><header><ul>{menu}</ul></header>"
        f"<main><h1>The pump in the cold</h1>{body}</main><aside><h3>{labels[1]}</h3>"
        f"<ul>{similar}</ul></aside><footer><p>© 2024 Example</p><ul>{menu}</ul></footer>"
    ), [" ".join(each) for each in said]


def _place(random: Random) -> str:
    """Return a name that no other sentence has."""
    return "".join(random.choice("bdklmnrst") + random.choice("aeiou") for _ in range(4)).title()


def bare(html: str) -> str:
    return re.sub(r"\s(?:class|id|component|itemprop)=(?:'[^']*'|[^\s>]+)", "", html)


PLAIN = ("authors and a paragraph each", "Flarum, from the server")
"""Forums whose posts hold nothing but a name and a text."""


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("units", [5, 20])
@pytest.mark.parametrize("forum", FORUMS)
def test_threads_of_forums(forum: str, units: int, language: str) -> None:
    html, texts = page(FORUMS[forum], units, language)
    is_clear = units == 20 and forum not in PLAIN  # else it may be anything without an address
    for url in ["https://example.com/forum/12-pump", None][: 1 + is_clear]:
        for each in (html, bare(html)):
            found = extract(each, url=url)
            assert found.kind == "thread"
            assert [" ".join(post.text.split()) for post in found.posts] == texts


@pytest.mark.parametrize("units", [3, 8, 20])
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_no_thread(other: str, units: int) -> None:
    html, _ = page(OTHERS[other], units, "en")
    for url in ("https://example.com/about/12-pump", None):
        for each in (html, bare(html)):
            assert extract(each, url=url).kind != "thread"
