"""Loops over the tags of a page in UTF-8, or in another encoding that has ASCII's bytes.

A byte object ends with a zero that is no part of it, so what looks a byte ahead need not ask
whether there is one. A position of −1 is none.
"""

from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp, memcpy

cdef enum:
    # What a name means: an element of plain text, svg or math, HTML again within these unless it
    # holds only text, a tag that ends them, and what makes all that follows text.
    PLAIN_TEXT = 1
    FOREIGN = 2
    INTEGRATION = 4
    BREAKOUT = 8
    PLAINTEXT = 16

cdef enum:
    LONGEST = 15  # letters of a name
    LETTERS = 26
    ALIKE = 16  # names with one first letter
    MOST_ATTRIBUTES = 500  # of a tag; libxml2 takes a time that grows with the square of them

cdef struct Name:
    char[LONGEST + 1] text
    int size
    int meaning
    bint is_script

cdef struct Names:
    # By first letter; behind the last of them one without a size. Made of zeros.
    Name[LETTERS][ALIKE] by_letter

cdef struct Page:
    const uint8_t* bytes
    Py_ssize_t size

cdef struct Event:
    Py_ssize_t start
    Py_ssize_t end  # of the name
    const Name* name  # NULL for a comment that is none
    bint is_end  # tag

cdef struct Tag:
    Py_ssize_t end
    bint is_closed
    bint is_empty  # written ``/>``
    Py_ssize_t surplus  # where the first attribute too many begins


# -- characters ------------------------------------------------------------------------------

cdef inline bint is_space(uint8_t byte) noexcept nogil:
    return byte <= 32 and (byte == 32 or byte == 9 or byte == 10 or byte == 12 or byte == 13)


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return <uint8_t>((byte | 32) - 97) < LETTERS


cdef inline bint ends_name(uint8_t byte) noexcept nogil:
    return byte <= c">" and (is_space(byte) or byte == c"/" or byte == c">")


cdef inline Py_ssize_t find(Page page, int byte, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return where *byte* comes first in ``[start, stop)``."""
    if start >= stop:
        return -1
    cdef const uint8_t* found = <const uint8_t*>memchr(page.bytes + start, byte, stop - start)
    return -1 if found is NULL else found - page.bytes


cdef inline bint begins(Page page, Py_ssize_t at, const char* text, Py_ssize_t size) noexcept nogil:
    return at + size <= page.size and memcmp(page.bytes + at, text, size) == 0


# -- names -----------------------------------------------------------------------------------

cdef inline bint is_named(const uint8_t* at, const Name* name) noexcept nogil:
    """Tell whether a name stands there, in any case, and ends there."""
    cdef int i
    for i in range(name.size):
        if at[i] != name.text[i] and (
            (at[i] | 32) != name.text[i] or not is_letter(name.text[i])
        ):
            return False
    return ends_name(at[name.size])


cdef inline const Name* name_at(const Names* names, const uint8_t* at) noexcept nogil:
    cdef uint8_t letter = (at[0] | 32) - 97
    if letter >= LETTERS:
        return NULL
    cdef const Name* name = names.by_letter[letter]
    while name.size:
        if is_named(at, name):
            return name
        name += 1
    return NULL


# -- tags and comments -----------------------------------------------------------------------

cdef Py_ssize_t end_of_value(Page page, Py_ssize_t at) noexcept nogil:
    """Return the end of an attribute's value, which may be missing."""
    cdef uint8_t first = page.bytes[at]
    cdef Py_ssize_t end
    if at >= page.size or first == c">":
        return at
    if first == c'"' or first == c"'":
        end = find(page, first, at + 1, page.size)
        return page.size if end < 0 else end + 1
    while at < page.size and not is_space(page.bytes[at]) and page.bytes[at] != c">":
        at += 1
    return at


cdef Tag end_of_tag(Page page, Py_ssize_t at) noexcept nogil:
    """Return where the tag ends, of which *at* is behind the name."""
    cdef uint8_t byte
    cdef Py_ssize_t behind
    cdef Py_ssize_t surplus = -1
    cdef int attributes = 0
    while at < page.size:
        byte = page.bytes[at]
        if byte == c">":
            return Tag(at + 1, True, False, surplus)
        if byte == c"/" and page.bytes[at + 1] == c">":
            return Tag(at + 2, True, True, surplus)
        at += 1
        if byte == c"/" or is_space(byte):
            continue
        attributes += 1
        if attributes == MOST_ATTRIBUTES + 1:
            surplus = at - 1
        # A name, which may begin with an equals sign.
        while page.bytes[at] > c">" or (  # as letters are
            at < page.size and page.bytes[at] != c"=" and not ends_name(page.bytes[at])
        ):
            at += 1
        behind = at
        while is_space(page.bytes[behind]):
            behind += 1
        if page.bytes[behind] == c"=":
            at = behind + 1
            while is_space(page.bytes[at]):
                at += 1
            at = end_of_value(page, at)
    return Tag(page.size, False, False, surplus)


cdef Py_ssize_t end_of_comment(Page page, Py_ssize_t start, bint in_foreign) noexcept nogil:
    """Return the end of a comment, doctype or the like; none if in doubt about it."""
    cdef Py_ssize_t end
    if begins(page, start, b"<!--", 4):
        end = find(page, c">", start + 4, page.size)
        if end == start + 4 or (end == start + 5 and page.bytes[start + 4] == c"-"):
            return end + 1  # <!--> and <!---> are whole comments
        while end >= 0:
            if end - 2 >= start + 4 and page.bytes[end - 2] == c"-" and (
                page.bytes[end - 1] == c"-" or (
                    page.bytes[end - 1] == c"!"
                    and end - 3 >= start + 4 and page.bytes[end - 3] == c"-"
                )
            ):
                return end + 1
            end = find(page, c">", end + 1, page.size)
        return -1
    end = find(page, c">", start + 2, page.size) + 1
    if end == 0:
        return -1
    if in_foreign and begins(page, start, b"<![CDATA[", 9):
        return end if end - 3 >= start + 9 and begins(page, end - 3, b"]]>", 3) else -1
    return end


# -- what is of interest ---------------------------------------------------------------------

cdef bint find_event(
    Page page, Py_ssize_t at, const Names* starts, const Names* ends, bint in_foreign, Event* event
) noexcept nogil:
    """Find the next tag that changes the state of the scan, or comment that is none."""
    cdef uint8_t byte
    cdef const Name* name
    while True:
        at = find(page, c"<", at, page.size)
        if at < 0:
            return False
        byte = page.bytes[at + 1]
        event.start, event.end, event.name, event.is_end = at, at, NULL, byte == c"/"
        if byte == c"!":
            if not begins(page, at, b"<!--", 4):
                return True
        elif byte == c"?":
            return True
        elif byte == c"/":
            byte = page.bytes[at + 2]
            if at + 2 < page.size and byte != c">" and not is_letter(byte):
                return True
            if in_foreign:
                event.name = name_at(ends, page.bytes + at + 2)
                if event.name is not NULL:
                    event.end = at + 2 + event.name.size
                    return True
        else:
            name = name_at(starts, page.bytes + at + 1)
            if name is not NULL and (
                in_foreign or name.meaning & (PLAIN_TEXT | FOREIGN | PLAINTEXT)
            ):
                event.name, event.end = name, at + 1 + name.size
                return True
        at += 1


cdef int note_surplus(Tag tag, list surplus) except -1:
    """Append the range of a tag's attributes that are too many."""
    if tag.surplus >= 0:
        surplus.append((tag.surplus, tag.end - tag.is_closed - tag.is_empty))
    return 0


cdef Py_ssize_t read_up_to(
    Page page, Py_ssize_t at, Py_ssize_t start, list surplus, bint has_raw_text=False
) except -2:
    """Return *start*, or the end of the markup around it; none if that has no end.

    Ranges of attributes that are too many go to *surplus*. With *has_raw_text*, no tags are read
    in script, style and the like.
    """
    cdef Py_ssize_t name
    cdef const Name* raw
    cdef uint8_t byte
    cdef Tag tag
    while at < start:
        at = find(page, c"<", at, start)
        if at < 0 or at + 1 >= start:
            return start
        byte = page.bytes[at + 1]
        name = at + 1 + (byte == c"/")
        if name < start and is_letter(page.bytes[name]):
            raw = name_at(&nesting, page.bytes + name) if has_raw_text and byte != c"/" else NULL
            name += 1
            while name < start and not ends_name(page.bytes[name]):
                name += 1
            tag = end_of_tag(page, name)
            note_surplus(tag, surplus)
            at = tag.end if tag.is_closed else -1
            if at >= 0 and raw is not NULL and raw.meaning == RAW:
                at = end_of_content(page, at, raw)
        elif byte == c"!" or byte == c"?" or (
            byte == c"/" and name < start and page.bytes[name] != c">"
        ):
            at = end_of_comment(page, at, False)
        else:
            at += 1
        if at < 0:
            return -1
    return at


# -- the end of an element -------------------------------------------------------------------

cdef Py_ssize_t end_of_raw_text(Page page, Py_ssize_t at, const Name* name) noexcept nogil:
    """Return where the end tag of that name begins."""
    while True:
        at = find(page, c"<", at, page.size)
        if at < 0 or (page.bytes[at + 1] == c"/" and is_named(page.bytes + at + 2, name)):
            return at
        at += 1


cdef Py_ssize_t end_of_script(Page page, Py_ssize_t at, const Name* script) noexcept nogil:
    """Return where the end tag begins, minding ``<!--`` and a ``<script>`` within."""
    cdef bint escaped = False
    cdef bint nested = False
    while True:
        if escaped:
            while at < page.size and page.bytes[at] != c"<" and not begins(page, at, b"-->", 3):
                at += 1
            if at >= page.size:
                return -1
        else:
            at = find(page, c"<", at, page.size)
            if at < 0:
                return -1
        if page.bytes[at] == c"-":
            escaped = nested = False
            at += 3
        elif page.bytes[at + 1] == c"/" and is_named(page.bytes + at + 2, script):
            if not nested:
                return at
            nested = False
            at += 2
        elif escaped and is_named(page.bytes + at + 1, script):
            nested = True
            at += 1
        elif not escaped and begins(page, at, b"<!--", 4):
            escaped = True
            at += 2  # these dashes may be those of "-->"
        else:
            at += 1


cdef bint is_plain(Page page, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Tell whether a content has no markup but one CDATA section."""
    cdef Py_ssize_t at = find(page, c"<", start, end)
    if at < 0:
        return True
    start = at + 9
    if start > end or not begins(page, at, b"<![CDATA[", 9) or find(page, c"<", start, end) >= 0:
        return False
    at = find(page, c">", start, end)
    while at >= 0 and not (at - 2 >= start and begins(page, at - 2, b"]]", 2)):
        at = find(page, c">", at + 1, end)
    return at >= 0


# -- the scan --------------------------------------------------------------------------------

cdef class Scan:
    """Finds elements; *meanings* are the names of plain text, foreign, integration, breakout."""

    cdef object element  # the type of what is found
    cdef Names starts
    cdef Names ends

    def __init__(self, element, meanings):
        self.element = element
        cdef int meaning = 1
        for names in (*meanings, ["plaintext"]):
            for name in names:
                if name[0] == "/":
                    add(&self.ends, name[1:].encode(), meaning)
                else:
                    add(&self.starts, name.encode(), meaning)
                    if meaning == FOREIGN:
                        add(&self.ends, name.encode(), meaning)
            meaning *= 2

    def elements(self, bytes page not None):
        """Return the elements of *page* that hold plain text, in order, until there is doubt."""
        found = []
        cdef bint is_sure = True
        self.find(Page(page, len(page)), found, [], &is_sure)
        return found

    def surplus(self, bytes page not None):
        """Return ranges of *page* that hold the attributes of a tag beyond the first 500.

        They are not in order and may overlap, since parsers disagree where tags are. Return also
        whether it is sure where the HTML standard has them.
        """
        found = []
        cdef bint is_sure = True
        cdef Py_ssize_t at = self.find(Page(page, len(page)), [], found, &is_sure)
        # What follows a doubt is read as if there were no elements that hold plain text.
        read_up_to(Page(page, len(page)), at, len(page), found)
        # To libxml2 script and style hold plain text in svg and math, too.
        read_up_to(Page(page, len(page)), 0, len(page), found, True)
        return found, bool(is_sure)

    cdef Py_ssize_t find(
        self, Page page, list found, list surplus, bint* is_sure
    ) except -1:
        """Find elements and attributes that are too many; return where the reading ended."""
        cdef Event event
        cdef Tag tag
        cdef Py_ssize_t at = 0
        cdef Py_ssize_t content_end, end
        cdef int depth = 0, size = 0  # open svg or math, and the size of that name
        is_sure[0] = True  # or perhaps they are closed: only a tree could tell
        cdef bint doubtful
        while find_event(page, at, &self.starts, &self.ends, depth > 0, &event):
            at = read_up_to(page, at, event.start, surplus)
            if at < 0:
                return page.size
            if at > event.start:
                continue
            if event.name is NULL:
                end = end_of_comment(page, event.start, depth > 0)
                if end < 0:
                    is_sure[0] &= depth == 0
                    return at + 1
                at = end
                continue
            tag = end_of_tag(page, event.end)
            note_surplus(tag, surplus)
            at = tag.end
            if not tag.is_closed or event.name.meaning & PLAINTEXT:
                return at  # all that follows is lost in the tag, or text
            if not event.name.meaning & PLAIN_TEXT:
                if event.name.meaning & FOREIGN and (not depth or event.name.size == size):
                    size = event.name.size
                    if is_sure[0] and not tag.is_empty:
                        depth += -1 if event.is_end else 1
                elif not (tag.is_empty or holds_only_text(page, at, event.name)):
                    is_sure[0] = False
                continue
            content_end = end = tag.end
            doubtful = False
            if not (tag.is_empty and depth and is_sure[0]):
                content_end = end_of_content(page, tag.end, event.name)
                if content_end < 0:
                    content_end = end = page.size
                else:
                    end = end_of_tag(page, content_end + 2 + event.name.size).end
                doubtful = tag.is_empty or (
                    depth > 0 and not is_plain(page, tag.end, content_end)
                )
            if doubtful and depth:
                is_sure[0] = False
                return at
            found.append(self.element(
                event.name.text[:event.name.size].decode(),
                event.start, tag.end, content_end, end, doubtful,
            ))
            at = end
        return at


cdef inline bint holds_only_text(Page page, Py_ssize_t at, const Name* name) noexcept nogil:
    """Tell whether the next tag is the end tag of an element in which HTML may stand again."""
    at = find(page, c"<", at, page.size)
    return name.meaning & INTEGRATION and at >= 0 and page.bytes[at + 1] == c"/" and (
        is_named(page.bytes + at + 2, name)
    )


cdef inline Py_ssize_t end_of_content(Page page, Py_ssize_t at, const Name* name) noexcept nogil:
    return end_of_script(page, at, name) if name.is_script else end_of_raw_text(page, at, name)


cdef int add(Names* names, bytes text, int meaning) except -1:
    cdef Name* name = names.by_letter[text[0] - 97]
    cdef int place = 0
    while name[place].size:
        place += 1
    if place + 1 >= ALIKE or len(text) > LONGEST:
        raise ValueError(f"no room for the name {text!r}")
    name[place].size = len(text)
    memcpy(name[place].text, <const char*>text, len(text))
    name[place].meaning = meaning
    name[place].is_script = text == b"script"
    return 0


# -- end tags that libxml2 passes over ---------------------------------------------------------

cdef enum:
    DEEPEST = 1024  # open elements that are followed
    DIV = 1
    TABLE = 2
    ROW = 3
    ITEM = 4
    TERM = 5
    RAW = 6  # what holds no tags, but for in svg and math
    HTML = 7
    NAMESPACE = 8
    FIRST_OTHER = 9  # of the other elements that end where their end tag stands
    FIRST_PART = 100  # of the other parts of a table

cdef Names nesting  # what their names mean is one of these


def _fill():
    named = {b"div": DIV, b"table": TABLE, b"tr": ROW, b"li": ITEM, b"dt": TERM, b"dd": TERM}
    named.update({b"html": HTML, b"svg": NAMESPACE, b"math": NAMESPACE})
    raw = b"script style textarea title iframe noembed noframes xmp"
    named.update(dict.fromkeys(raw.split(), RAW))
    others = (
        b"pre listing ul ol dl menu dir blockquote article section aside nav header footer main "
        b"figure figcaption details summary dialog fieldset center address search h1 h2 h3 h4 h5 h6"
    )
    named.update((name, FIRST_OTHER + n) for n, name in enumerate(others.split()))
    parts = b"td th tbody thead tfoot"
    named.update((name, FIRST_PART + n) for n, name in enumerate(parts.split()))
    for name, kind in named.items():
        add(&nesting, name, kind)

_fill()


cdef inline bint is_part(int kind) noexcept nogil:
    return kind == TABLE or kind == ROW or kind >= FIRST_PART


def read_ends(bytes source not None):
    """Return where ``</html`` stands, −1 without it, and two flags.

    They tell whether libxml2 passes over an end tag, as it does where a ``div`` is open in a list,
    a quotation, code or the like; and whether a tag may have attributes that are too many.
    """
    # It is followed which elements are open, up to the first end that is passed over.
    cdef Page page = Page(source, len(source))
    cdef Py_ssize_t html = -1
    cdef uint8_t[DEEPEST] opened
    cdef Py_ssize_t depth = 0, level, start, at = 0
    cdef const Name* name
    cdef Tag tag
    cdef int kind
    cdef bint is_end, above, is_crowded = False, in_doubt = False
    while True:
        at = find(page, c"<", at, page.size)
        if at < 0:
            return html, False, bool(is_crowded)
        start = at
        is_end = page.bytes[at + 1] == c"/"
        at += 1 + is_end
        if not is_letter(page.bytes[at]):
            if page.bytes[at] in (c"!", c"?") or (is_end and page.bytes[at] != c">"):
                is_crowded |= in_doubt and not begins(page, start, b"<!--", 4)
                at = end_of_comment(page, start, False)
                if at < 0:
                    return html, False, True
            continue
        name = name_at(&nesting, page.bytes + at)
        kind = 0 if name is NULL else name.meaning
        tag = end_of_tag(page, at if name is NULL else at + name.size)
        at = tag.end
        # Where svg or math may be open, only the whole scan tells where texts and comments end.
        is_crowded |= tag.surplus >= 0 or (in_doubt and kind == RAW)
        in_doubt |= kind == NAMESPACE
        if kind == RAW and not is_end:
            at = end_of_content(page, at, name)
            if at < 0:
                return html, False, True
        elif kind == HTML and is_end and html < 0:
            html = start
        if not kind or kind == RAW or kind == HTML or kind == NAMESPACE:
            continue
        level = depth - 1
        if is_end and not is_part(kind) and kind != DIV:
            above = False
            while level >= 0 and opened[level] != kind and not is_part(opened[level]):
                above |= opened[level] == DIV
                level -= 1
            if level >= 0 and opened[level] == kind:
                if above:
                    return html, True, True
                depth = level
        elif is_end:
            while level >= 0 and opened[level] != kind and not (
                opened[level] == TABLE or (kind == DIV and is_part(opened[level]))
            ):
                level -= 1
            if level >= 0 and opened[level] == kind:
                depth = level
        else:
            if kind == ITEM or kind == TERM:
                while level >= 0 and opened[level] == DIV:
                    level -= 1
                if level >= 0 and opened[level] == kind:
                    if level < depth - 1:
                        return html, True, True
                    depth = level
            elif is_part(kind) and kind != TABLE:
                while level >= 0 and opened[level] != TABLE and not (
                    opened[level] == ROW and kind >= FIRST_PART
                ):
                    level -= 1
                depth = level + 1 if level >= 0 else depth
            if depth < DEEPEST:
                opened[depth] = kind
                depth += 1
