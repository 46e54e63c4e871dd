"""Which of the dates, names and entities on a page are the page's own."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from scrapy_boilerplate import Page, extract, get_extractor
from scrapy_boilerplate.core.answer.metadata import Metadata, page_metadata, read_metadata
from scrapy_boilerplate.core.answer.metadata._evidence_native import Words
from scrapy_boilerplate.tools.testing import assert_linear

TEXT = (
    "<p>The council met on Tuesday to talk about the bridge that links harbour and market.</p>" * 4
)
URL = "https://town.example/bridge"


def read(html: str, url: str = URL) -> Metadata:
    return read_metadata(Page.parse(html, url=url))


def page(line: str = "", head: str = "", lang: str = "en", foot: str = "") -> str:
    return (
        f"<html lang={lang}><head><title>The bridge</title>{head}</head><body><article>"
        f"<h1>The bridge</h1>{line}{TEXT}</article>{foot}</body></html>"
    )


def json_ld(*values: object) -> str:
    return "".join(f"<script type=application/ld+json>{json.dumps(v)}</script>" for v in values)


# -- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "By Ada Berg, edited by Bob Miller | 4 May 2025",
        "Reviewed by Bob Miller, 4 May 2025",
        "4 May 2025, second edition, revised",
        "Ada Berg, updates editor · 4 May 2025",
        "They stand, 4 May 2025",
    ],
)
def test_a_word_for_a_change_labels_only_the_date_next_to_it(line: str) -> None:
    found = read(page(f"<p>{line}</p>"))
    assert (found.date_published, found.date_modified) == ("2025-05-04", "")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "This page was last edited on 4 May 2025, at 12:00."),
        ("en", "Last modified by Ada Berg on 4 May 2025"),
        ("en", "Updated: Sunday, May 4, 2025"),
        ("de", "Zuletzt geändert von Ada Berg am 4. Mai 2025"),
        ("de", "Stand: 4. Mai 2025"),
        ("de", "Diese Seite wurde zuletzt am 4. Mai 2025 um 12:00 Uhr bearbeitet."),
        ("fr", "La dernière modification de cette page a été faite le 4 mai 2025 à 12:00."),
        ("fr", "Mis à jour le 4 mai 2025"),
        ("es", "Esta página se editó por última vez el 4 may 2025 a las 12:00."),
        ("it", "Questa pagina è stata modificata per l'ultima volta il 4 mag 2025 alle 12:00."),
        ("pt", "Atualizado em 4 de maio de 2025"),
        ("nl", "Deze pagina is voor het laatst bewerkt op 4 mei 2025 om 12:00."),
        ("pl", "Tę stronę ostatnio edytowano 4 maj 2025, 12:00."),
        ("cs", "Stránka byla naposledy editována 4. května 2025 v 12:00."),
        ("sv", "Sidan redigerades senast den 4 maj 2025 kl. 12.00."),
        ("fi", "Sivua on viimeksi muutettu 4. toukokuuta 2025 kello 12.00."),
        ("hu", "A lap utolsó módosítása: 2025. május 4., 12:00"),
        ("tr", "Son güncelleme: 4 Mayıs 2025"),
        ("ru", "Эта страница в последний раз была отредактирована 4 мая 2025 в 12:00."),
        ("uk", "Останнє оновлення: 4 травня 2025"),
        ("el", "Τελευταία ενημέρωση: 4 Μαΐου 2025"),
        ("vi", "Trang này được sửa đổi lần cuối vào ngày 4 tháng 5 năm 2025 lúc 12:00."),
        ("id", "Halaman ini terakhir diubah pada 4 Mei 2025, pukul 12.00."),
        ("he", "דף זה נערך לאחרונה ב 4 במאי 2025"),
        ("zh", "本页面最后编辑于2025年5月4日 (星期日) 12:00。"),
        ("ja", "最終更新 2025年5月4日 (日) 12:00"),
        ("ko", "이 문서는 2025년 5월 4일 (일) 12:00에 마지막으로 편집되었습니다."),
    ],
)
def test_the_foot_of_a_page_says_when_it_changed(language: str, line: str) -> None:
    found = read(page(lang=language, foot=f"<footer><ul><li>{line}</ul></footer>"))
    assert (found.date_published, found.date_modified[:10]) == ("", "2025-05-04")
    assert found.sources["date_modified"] == "text"


def test_comments_have_no_date_of_the_page() -> None:
    comment = "<li class=comment><cite>Ada</cite> Updated 6 May 2025<p>So it was.</p></li>"
    found = read(page("<p>4 May 2025</p>", foot=f"<ol class=comments>{comment * 2}</ol>"))
    assert (found.date_published, found.date_modified) == ("2025-05-04", "")


def test_a_label_inside_of_a_time() -> None:
    times = (
        "<time datetime=2025-05-04T10:00Z>Publié le 4 mai 2025</time>"
        "<time datetime=2025-05-06T10:00Z>Mis à jour le 6 mai 2025</time>"
    )
    found = read(page(times, lang="fr"))
    assert (found.date_published[:10], found.date_modified[:10]) == ("2025-05-04", "2025-05-06")


def test_of_several_changes_the_last_one_counts() -> None:
    foot = "<p>Data of the package database · Last update: 2025-02-17</p>"
    foot += "<footer><p>This page was last edited on 1 March 2025.</footer>"
    assert read(page(foot=foot)).date_modified == "2025-03-01"


def test_the_last_update_posted_is_a_change() -> None:
    lines = "<p>First Posted: November 19, 2018</p><p>Last Update Posted: November 21, 2018</p>"
    found = read(page(lines))
    assert (found.date_published, found.date_modified) == ("2018-11-19", "2018-11-21")


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("pt", "Publicado em 04/05/2025 às 10h15 | Atualizado em 06/05/2025 às 11h00", "pt"),
        ("fi", "Julkaistu 4.5.2025, päivitetty 6.5.2025", ""),
        ("el", "Δημοσιεύτηκε: Μάιος 4 2025 20:01 Ενημερώθηκε: Μάιος 6 2025 21:08", ""),
        ("ja", "公開日：2025年5月4日　更新日：2025年5月6日", ""),
        ("ja", "投稿日: 5月 4, 2025 更新日: 5月 6, 2025", ""),
        ("ko", "입력 2025.05.04 10:15 수정 2025.05.06 11:00", ""),
    ],
)
def test_both_dates_in_a_line(language: str, line: str, text: str) -> None:
    own = (
        "<p>A câmara reuniu-se na terça-feira para falar da ponte que liga o porto ao mercado.</p>"
    )
    html = page(f"<p>{line}</p>", lang=language)
    found = read(html.replace(TEXT, own * 4) if text else html)
    assert (found.date_published[:10], found.date_modified[:10]) == ("2025-05-04", "2025-05-06")


def test_a_labelled_date_counts_in_a_column_of_its_own() -> None:
    column = "<aside class=sidebar><p>Published</p><p>4 May 2025</p></aside>"
    assert read(page(f"<p>A lead of the text.</p>{column}")).date_published == "2025-05-04"


# -- forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("element", "date"),
    [
        ("<abbr class=published title=2016-03-31T03:55:00-07:00>3:55 AM</abbr>", "T03:55:00-07:00"),
        ("<time title='March 31, 2016, 3:55 a.m.'>long ago</time>", "T03:55:00"),
        ("<local-time datetime=2016-03-31T03:55:00Z>long ago</local-time>", "T03:55:00+00:00"),
        ("<span class=when title='Mar 31, 2016 3:55 PM'>long ago</span>", "T15:55:00"),
        ("<span property='dc:date' content='2016-03-31'></span>", ""),
        ("<b itemprop=datePublished content='20160331T035500Z'>then</b>", "T03:55:00+00:00"),
        ("<div class=meta>By Ada Berg <time datetime='2016-03-31T03:55+0200'>Mar 31</time></div>",
         "T03:55:00+02:00"),
        ("<p>31 Mar '16</p>", ""),
    ],
)  # fmt: skip
def test_dates_in_attributes(element: str, date: str) -> None:
    assert read(page(element)).date_published == "2016-03-31" + date


@pytest.mark.parametrize(
    "text",
    [
        "Thu Sep 04 2025 10:15:30 GMT+0200 (Central European Summer Time)",
        "Thu, 4 Sep 2025 10:15:30 +0200",
        "Thu Sep  4 10:15:30 CEST 2025",
        "2025-09-04T10:15:30.000+02:00",
        "20250904T101530+0200",
    ],
)
def test_stamps_that_are_declared(text: str) -> None:
    head = json_ld({"@type": "NewsArticle", "datePublished": text})
    assert read(page(head=head)).date_published == "2025-09-04T10:15:30+02:00"


def test_one_time_with_the_class_of_a_change_is_the_publication() -> None:
    time = "<time class='entry-date published updated' datetime=2025-05-04>4 May 2025</time>"
    assert read(page(time)).date_modified == ""
    assert read(page(time.replace("published ", ""))).date_published == "2025-05-04"
    both = time + "<time class=updated datetime=2025-05-06>6 May 2025</time>"
    assert read(page(both)).date_modified == "2025-05-06"


# -- what is no date of the page -------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "<p>Ada Berg, born on 28 January 1996 in the harbour, is the mayor since the election.</p>",
        "<p>Born: 28 January 1996</p>",
        "<p>28 January 1975</p>",
        "<p>Member since 4 May 2015</p>",
        "<p>© 4 May 2025 The Town</p>",
        "<p>Today: 4 May 2025</p>",
        "<pre><code>2025-05-04</code></pre>",
        "<p>" + "".join(f"<p>{31 - n}m - May {21 - n}, 2025</p><p>Talk {n}</p>" for n in range(9)),
        "<figure><img src=a.png><figcaption>The bridge on 4 May 2025</figcaption></figure>",
    ],
)
def test_other_dates(line: str) -> None:
    assert read(page(line)).date_published == ""


@pytest.mark.parametrize("url", ["/2023/11/11-rules-for-tea/", "/2023/11/tea", "/20231111-tea/"])
def test_a_slug_that_begins_with_a_number(url: str) -> None:
    assert read(page(), f"https://town.example{url}").date_published == ""


def test_lists_have_no_date_of_their_entries() -> None:
    teaser = (
        "<h2><a href=/{0}>The news of the day {0}</a></h2><time datetime=2025-05-{0}>day</time>"
    )
    teasers = "".join(teaser.format(day) for day in (11, 10))
    found = read(f"<title>News</title><h1>News</h1>{teasers}", "https://town.example/news")
    assert found.date_published == ""
    links = "".join(
        f"<p><time datetime=2025-05-{day}>May {day}</time> <a href=/{day}>News of the day</a></p>"
        for day in (14, 13, 12, 11)
    )
    found = read(f"<title>2025</title><h1>2025</h1>{links}", "https://town.example/2025/")
    assert found.date_published == ""


def test_a_thread_has_the_date_and_the_author_of_its_first_post() -> None:
    post = (
        "<div class=comment><b class=comment-username>{0}</b>"
        "<ul class=comment-date><li title='May {1}, 2025, 9 a.m.'>{1} May</li></ul><p>{2}</p></div>"
    )
    posts = (post.format("ada_b", 4, "How long? " * 30), post.format("bob", 5, "Not long. " * 30))
    found = read(f"<title>How long?</title><h1>How long?</h1><div class=comments>{''.join(posts)}")
    assert (found.date_published, found.authors) == ("2025-05-04T09:00:00", ("ada_b",))


# -- whose entity ----------------------------------------------------------------------------

CLIP = {"@type": "VideoObject", "name": "A clip", "uploadDate": "2015-01-16", "author": "Cy Dahl"}


@pytest.mark.parametrize("kind", "VideoObject AudioObject Clip PodcastEpisode Review".split())
@pytest.mark.parametrize("name", ["A clip", "The bridge"])
def test_what_a_page_embeds_does_not_speak_for_it(kind: str, name: str) -> None:
    head = json_ld({**CLIP, "@type": kind, "name": name, "datePublished": "2015-01-16"})
    head += "<meta property=article:published_time content=2024-05-06>"
    found = read(page("<p>By Ada Berg</p>", head))
    assert (found.date_published, found.authors) == ("2024-05-06", ("Ada Berg",))


def test_the_page_of_a_film_has_its_date() -> None:
    assert read(page(head=json_ld({**CLIP, "name": "The bridge"}))).date_published == "2015-01-16"


@pytest.mark.parametrize("key", ["url", "@id", "mainEntityOfPage"])
def test_the_entity_with_the_address_of_the_page(key: str) -> None:
    other = {"@type": "NewsArticle", "datePublished": "2020-01-01", key: "https://town.example/x"}
    own = {"@type": "Article", "datePublished": "2024-05-06", key: URL.replace("//", "//www.")}
    assert read(page(head=json_ld([[other, own]]))).date_published == "2024-05-06"
    assert read(page(head=json_ld(other))).date_published == ""


def test_many_articles_are_teasers() -> None:
    articles = [{"@type": "Article", "headline": f"No {n}", "datePublished": "2020-01-01"}
                for n in range(4)]  # fmt: skip
    assert read(page(head=json_ld(articles))).date_published == ""


# -- authors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("By Ada Berg, Harbour Master, and Grace King, Head of Nets", ("Ada Berg", "Grace King")),
        ("By Ada Berg, mayor of the town", ("Ada Berg",)),
        ("Автор: Иван Петров, 4 марта 2026", ("Иван Петров",)),
        ("Autorin: Ada Berg, 4. Mai 2025", ("Ada Berg",)),
        ("Text: Ada Berg", ("Ada Berg",)),
        ("By<a href=/x>Ada Berg</a>", ("Ada Berg",)),
        ("By <b>Ada Berg</b><i>Follow</i>", ("Ada Berg",)),
        ("By Ada Berg<br>The Town Daily News", ("Ada Berg",)),
        ("By Ada Berg, Candidate of the Committee on Bridges", ("Ada Berg",)),
        ("By Ada Berg, Product Manager, Bridges of Town", ("Ada Berg",)),
        ("By: Ada Berg, Bob Lund, The Associated Press", ("Ada Berg", "Bob Lund")),
        ("By Ada Berg Political Reporter", ("Ada Berg",)),
        ("Ada Berg — 4 May 2025", ("Ada Berg",)),
        ("Татьяна ЛОГИНОВА — 17.01.2012 14:06", ("Татьяна ЛОГИНОВА",)),
        *((f"{place}, 4 May 2025", ()) for place in ("London", "San Francisco", "North Bay")),
        *((f"{words} — 4 May 2025", ()) for words in ("Press Release", "Monday Morning")),
        ("By Staff Writer", ()),
        ("Posted by ada7 at 4 May 2025 08:59 PM", ("ada7",)),
        ("（记者 刘涛 通讯员 石岩）为了防止", ("刘涛",)),
        ("文/記者汪萬里", ("汪萬里",)),
        ("[田中宏昌，Town Media]", ("田中宏昌",)),
        ("Tác giả: Nguyễn Văn An", ("Nguyễn Văn An",)),
        ("홍길동 기자", ("홍길동",)),
        ("text: required", ()),
        ("<span class=user>max99</span>", ()),
        ("<h3 class=author>Original Authors</h3>", ()),
        ("<h3 id=contributors>Contributors</h3>", ()),
    ],
)
def test_names_in_lines(line: str, authors: tuple[str, ...]) -> None:
    assert read(page(f"<p>{line}</p>", lang="")).authors == authors


@pytest.mark.parametrize(
    ("content", "authors"),
    [
        ("Dr Ada Berg - https://ada.example/", ("Dr Ada Berg",)),
        ("Ada Berg (ada@berg.example)", ("Ada Berg",)),
        ("max99", ("max99",)),
        *((hole, ()) for hole in ("{{author}}", "%author%", "{{ page.author }}", "${author}")),
    ],
)
def test_declared_names(content: str, authors: tuple[str, ...]) -> None:
    assert read(page(head=f"<meta name=author content='{content}'>")).authors == authors


@pytest.mark.parametrize(
    "line",
    [
        "By <a rel=author href=/a>Ada Berg</a> and <a rel=author href=/b>Bob Lund</a>",
        "<a href=/a>Ada Berg</a> , <a href=/b>Bob Lund</a>",
        "By Ada Berg and Bob Lund | 4 May 2025",
    ],
)
def test_the_by_line_names_more_than_what_is_declared(line: str) -> None:
    head = json_ld({"@type": "Article", "author": {"@type": "Person", "name": "Ada Berg"}})
    assert read(page(f"<p>{line}</p>", head)).authors == ("Ada Berg", "Bob Lund")


@pytest.mark.parametrize("publisher", ["Town Newspapers Online", "TOWN-TV"])
def test_a_by_line_comes_before_a_publisher_that_only_meta_names(publisher: str) -> None:
    head = f"<meta name=author content='{publisher}'>"
    assert read(page("<p>By Ada Berg</p>", head)).authors == ("Ada Berg",)
    assert read(page("", head)).authors == (publisher,)


# -- titles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "title",
    [
        "The new bridge is open - The Town Daily",
        "The Town Daily: The new bridge is open",
        "The new bridge is open :: The Town Daily :: A new view of the town",
    ],
)
def test_a_line_of_the_page_says_which_part_of_the_title_is_its_own(title: str) -> None:
    found = read(f"<title>{title}</title><p>The new bridge is open</p><p>4 May 2025</p>{TEXT}")
    assert (found.title, found.date_published) == ("The new bridge is open", "2025-05-04")


@pytest.mark.parametrize("separator", ["｜", "_", "-", "："])
def test_separators_of_chinese_titles(separator: str) -> None:
    title = separator.join(("新的大桥今天正式开放通车", "城市新闻", "某某新闻网"))
    text = "<p>市议会周二讨论了连接港口和市场的大桥，并决定在三年内建成。</p>" * 4
    assert read(f"<title>{title}</title><h1>新的大桥今天正式开放通车</h1>{text}").title == (
        "新的大桥今天正式开放通车"
    )


# -- only what is asked for ------------------------------------------------------------------


def test_the_title_reads_no_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_metadata, "page_dates", None)
    source = Page.parse(page("<p>4 May 2025</p>", lang="en"), url=URL)
    metadata = get_extractor("mss").extract(source).metadata
    assert (metadata.title, metadata.canonical_url) == ("The bridge", "")
    with pytest.raises(TypeError):
        _ = metadata.date_published


def test_metadata_outlive_their_page() -> None:
    answer = extract(page("<p>By Ada Berg, 4 May 2025</p>"), url=URL)
    assert answer.metadata.title == "The bridge"
    again = pickle.loads(pickle.dumps(answer.metadata))
    assert again == answer.metadata
    assert hash(again) == hash(answer.metadata)
    assert (again.authors, again.date_published) == (("Ada Berg",), "2025-05-04")
    assert "Ada Berg" in repr(again)
    with pytest.raises(AttributeError):
        again.title = ""
    with pytest.raises(TypeError, match="heading"):
        Metadata(heading="")


def test_a_view_of_a_page_has_metadata_of_its_own() -> None:
    source = Page.parse("<title>One</title><h1>One</h1><h2>By Ada Berg</h2><p>Text of the page.")
    answer = get_extractor("mss").extract(source)
    assert answer.metadata.authors == ("Ada Berg",)
    rest = source.restricted(source.text_parent > source.text_parent[1])
    assert rest.notebook == {}


# -- nothing that hurts ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java\u200bscript:alert(1)",
        "data:text/html,x",
    ],
)
def test_a_licence_is_no_program(address: str) -> None:
    value = json_ld({"@type": "Article", "license": address})
    for head in (
        value,
        f'<link rel=license href="{address}">',
        f'<meta name=dc.rights content="{address}">',
    ):
        found = read(page(head=head)).license.replace("\u200b", "").lower()
        assert not found.startswith(("javascript:", "data:"))


@pytest.mark.parametrize(
    "place", ["breadcrumb", "author", "license", "publisher", "mainEntity", "image"]
)
def test_references_take_linear_time(place: str) -> None:
    def make(size: int) -> Page:
        things = [{"@type": "I", "name": ""}] * size
        one = {
            "@id": "b",
            "@type": "X",
            "itemListElement": things,
            "name": [""] * size,
            "url": things,
        }
        return Page.parse(json_ld([{"@type": "Article", place: [{"@id": "b"}] * size}, one]))

    assert_linear(make, read_metadata, 1000)


def test_many_lines_that_begin_like_the_title_take_linear_time() -> None:
    def make(size: int) -> Page:
        lines = "<p>The bridge of the town is one of many bridges</p>" * size
        return Page.parse(f"<title>The bridge of the town - Daily</title>{lines}")

    assert_linear(make, read_metadata, 1000)


def test_offers_in_offers_take_linear_time() -> None:
    def make(size: int) -> Page:
        offers = [{"@id": "o"}] * size
        return Page.parse(json_ld([
            {"@type": "Product", "offers": offers},
            {"@id": "o", "@type": "Offer", "offers": offers, "price": [""] * size},
        ]))  # fmt: skip

    assert_linear(make, read_metadata, 1000)


@pytest.mark.parametrize(
    ("line", "may_say"),
    [
        ("By Ada Berg", True),
        ("Text: Ada Berg", True),
        ("4 May 25", True),
        ("4 May ’5", True),
        ("It isn’t – “so” …", False),
        ("文╱王小明", True),
        ("מאת עדה ברג", True),
        ("A standby engine of 9 parts, bygone", False),
        ("İby", False),
    ],
)
def test_lines_that_may_say_who_or_when_are_told_by_words_digits_and_signs(
    line: str, may_say: bool
) -> None:
    words = Words({"by": 1})
    starts, stops = (np.array([number], dtype=np.int32) for number in (0, len(line)))
    assert words.evident(line, starts, stops, np.array([[0, 1]])) == [may_say]


def test_words_are_divided_where_text_nodes_are() -> None:
    words, edges = Words({"by": 1}), np.array([0, 5, 7], dtype=np.int32)
    assert words.evident("standby", edges[:2], edges[1:], np.array([[0, 1], [0, 2]])) == [
        False,
        True,
    ]


def test_the_parts_of_names_have_bits_one_alone_or_with_the_next() -> None:
    words = Words({"author": 1, "box": 2, "author-box": 8, "author-date": 0, "date": 4})
    names = ["", "post-Author", "author-box", "author_box", "entry date", "author-date", "DATE–é"]
    assert words.of_names(names).tolist() == [0, 1, 9, 3, 4, 1, 0]


@pytest.mark.parametrize("stop", [6, -1])
def test_slices_that_leave_the_text_are_refused(stop: int) -> None:
    one = np.array([0], dtype=np.int32), np.array([stop], dtype=np.int32)
    with pytest.raises(IndexError):
        Words({}).evident("abc", *one, np.array([[0, 1]]))
    with pytest.raises(IndexError):
        Words({}).evident("abc", one[0], one[0], np.array([[0, 2]]))
