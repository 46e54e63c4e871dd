"""Images: which are content, and the best address of each, read from libxml2's nodes."""

cimport lxml.includes.etreepublic as cetree
from libc.string cimport strlen, strspn
from lxml.includes cimport tree

import re
from operator import itemgetter

from scrapy_boilerplate.core.page._nodes cimport (
    LONGEST,
    attribute_of,
    following,
    has_word,
    holds,
    is_named,
    is_text,
    said_by,
    value_of,
)
from scrapy_boilerplate.core.page._strings cimport decoded

cetree.import_lxml__etree()

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object text) except NULL

IMAGES = ("img", "amp-img", "amp-anim")
"""Elements that show an image."""

# Where scripts find the address for ``src``, which holds a smaller image or none until then.
cdef tuple LAZY = (
    *("data-full-src", "data-orig-file", "data-original", "data-lazy-src", "data-src"),
    *("data-lazy", "data-lazyload", "data-echo", "data-hi-res-src"),
)
cdef tuple SETS = ("srcset", "data-srcset", "data-lazy-srcset")
cdef frozenset BESIDE = frozenset("nav footer aside form".split())
TINY = frozenset(("0", "1", "2", "0px", "1px", "2px"))
FORMAT = r"\.(?:avif|gif|jpe?g|png|svg|webp)"

cdef enum:
    LONGEST_SET = 40_000
    LONGEST_ADDRESS = 2000
    LARGEST_ICON = 32  # pixels
    MOST_AROUND = 8  # elements around an image that say what it is
    LEVELS = 4  # elements around one that say whether it is a fallback or shows again
    MOST_SOURCES = 32
    MOST_IN_PICTURE = 256

cdef object find_spacer = re.compile(  # begins with a letter by which a search is fast
    r"/(?:(?:lazy|img|image|gr[ae]y|white|default)[_-])?"
    r"(?:spacer|blank|pixel|clear|transparent|trans|empty|dummy|1x1|gr[ae]y|white|"
    rf"lazy(?:[_-]?load(?:ing|er)?)?|(?:pre)?load(?:ing|er)?|place-?holder){FORMAT}(?:\?|$)",
    re.IGNORECASE,
).search
cdef object find_avatars = re.compile("//[^/]{0,80}/avatar/", re.IGNORECASE).search
cdef object find_address = re.compile(r"[./]").search
cdef object match_picture = re.compile(
    rf"[^\s{{}}<>]{{1,1000}}{FORMAT}(?:[?#]\S{{0,1000}})?\Z", re.IGNORECASE
).match
cdef object find_lazy = re.compile("lazy|lozad|unveil", re.IGNORECASE).search

cdef str CLASS = r"(?i)(?:^|[\s_-])(?:{})(?=$|[\s_-])"
cdef object find_avatar = re.compile(CLASS.format("avatar|gravatar")).search
cdef object find_sharing = re.compile(CLASS.format("share|sharing|social|payments?")).search
cdef object find_showing_again = re.compile(CLASS.format("lightbox|modal|overlay")).search
# A part of each class in which they find something.
cdef const char* MAY_SHARE[4]
cdef const char* MAY_SHOW_AGAIN[4]
cdef const char* MAY_BE_SPACER[15]
MAY_SHARE[:] = ["shar", "social", "payment", NULL]
MAY_SHOW_AGAIN[:] = ["lightbox", "modal", "overlay", NULL]
MAY_BE_SPACER[:] = [
    "spacer", "blank", "pixel", "clear", "trans", "empty", "dummy", "1x1", "gray", "grey", "white",
    "lazy", "load", "place", NULL,
]


cdef class Seen:
    """An image in a tree."""


cdef Seen see(tree.xmlNode* node, tree.xmlNode* outermost, Py_ssize_t element):
    """Return an image; *outermost* is the last element around it without text of the article."""
    cdef Seen seen = Seen.__new__(Seen)
    seen.node, seen.element, seen.said = node, element, attributes_of(node)
    for level in range(MOST_AROUND):
        if node is outermost:
            break
        node = node.parent
        if is_named(node, "a"):
            if seen.link is NULL and value_of(node, "href"):
                seen.link = node
        elif level < LEVELS and is_named(node, "noscript"):
            seen.fallback = node
        elif is_named(node, "amp-img"):
            seen.is_left_out = True
        else:
            seen.is_left_out = seen.is_left_out or class_says(node, MAY_SHARE, find_sharing)
            seen.is_beside = seen.is_beside or name_of(node) in BESIDE
    return seen


cdef bint is_blank(tree.xmlNode* node) noexcept nogil:
    """Return whether a node is white space."""
    cdef const char* said = <const char*>node.content
    return is_text(node) and (said is NULL or said[strspn(said, " \t\n\r\f")] == 0)


cdef Seen fallback_after(tree.xmlNode* outermost):
    """Return the image in the ``noscript`` right behind an element, which is read later."""
    cdef tree.xmlNode* node = outermost.next
    while node is not NULL and is_blank(node):
        node = node.next
    if node is NULL or not is_named(node, "noscript"):
        return None
    cdef tree.xmlNode* image = node.children
    while image is not NULL and is_blank(image):
        image = image.next
    return see(image, node, 0) if image is not NULL and is_named(image, "img") else None


cdef dict attributes_of(tree.xmlNode* node):
    cdef tree.xmlAttr* attribute = <tree.xmlAttr*>node.properties
    cdef dict said = {}
    while attribute is not NULL:
        if attribute.ns is NULL:
            said[name_of(<tree.xmlNode*>attribute)] = said_by(node, attribute)
        attribute = attribute.next
    return said


cdef bint class_says(tree.xmlNode* node, const char** words, find) except -1:
    """Return whether the class of an element, but a link, says one of some words."""
    cdef tree.xmlAttr* said = attribute_of(node, "class")
    if said is NULL or not holds(said, words) or is_named(node, "a"):
        return False
    return find(said_by(node, said)[:300]) is not None


cdef str name_of(tree.xmlNode* node):
    return decoded(<const char*>node.name, strlen(<const char*>node.name))


cdef tree.xmlNode* above(tree.xmlNode* node) noexcept nogil:
    """Return the element around a node, NULL without one."""
    if node is NULL or node.parent is NULL or node.parent.type != tree.XML_ELEMENT_NODE:
        return NULL
    return node.parent


# -- which are content -----------------------------------------------------------------------


cdef str link_of(Seen image):
    return "" if image.link is NULL else value_of(image.link, "href")


cdef bint stands_beside(Seen image) except -1:
    """Tell whether it is a logo, an icon or a banner, where all of the text is behind it."""
    if image.is_beside:
        return True
    for name in ("width", "height"):
        size = image.said.get(name, "").removesuffix("px")
        if size.isdecimal() and int(size[:6]) <= LARGEST_ICON:
            return True
    return image.link is not NULL and not match_picture(link_of(image))


cdef bint shows_again(Seen image) except -1:
    """Tell whether it opens above the page, where it is a copy of another one."""
    cdef tree.xmlNode* around = image.node
    for _ in range(LEVELS):
        around = above(around)
        if around is not NULL and class_says(around, MAY_SHOW_AGAIN, find_showing_again):
            return True
    return False


cdef bint counts(Seen image, str source) except -1:
    """Tell whether what is shown without scripts is a picture: beside a script it advertises."""
    cdef tree.xmlNode* around = image.node
    for _ in range(LEVELS):
        around = above(around)
        if around is not NULL and is_named(around, "figure"):
            return True
    return not follows_script(image) and match_picture(source) is not None


cdef bint follows_script(Seen image) noexcept nogil:
    cdef tree.xmlNode* before = image.fallback.prev
    while before is not NULL and is_text(before):
        before = before.prev
    return before is not NULL and is_named(before, "script")


cdef bint is_preview(Seen image, Seen after) noexcept nogil:
    """Tell whether an image stands beside the fallback that holds the image right after it."""
    cdef tree.xmlNode* around = image.node
    if image.fallback is not NULL or after.fallback is NULL or follows_script(after):
        return False
    for _ in range(MOST_AROUND):
        if around is NULL or around is after.fallback.parent:
            break
        around = above(around)
    return around is after.fallback.parent


cdef tuple picture_of(Seen image, Seen after, dict pictures):
    """Return the address and the alternative text of an image, an empty address where it is no
    content; the image right *after* it may be what it is a preview of.
    """
    cdef str source
    if after is not None and is_preview(image, after):
        source = source_of(after, pictures)
        if source:
            after.is_left_out = True
            return source, after.said.get("alt") or image.said.get("alt", "")
    source = source_of(image, pictures)
    if source and image.fallback is not NULL and not counts(image, source):
        source = ""
    return source, image.said.get("alt", "")


# -- addresses -------------------------------------------------------------------------------


cdef str source_of(Seen image, dict pictures):
    """Return the address of an image: the largest, also where a script would set it."""
    cdef dict said = image.said
    cdef str name = said.get("class", "")[:300], shown = said.get("src", ""), each
    if said.get("width") in TINY or said.get("height") in TINY or name and find_avatar(name):
        return ""
    size, largest, is_lazy = largest_of(image, pictures)
    if size > 0 or is_lazy:
        return largest
    for each in LAZY:
        if each in said and find_address(said[each]) and is_picture(said[each]):
            return said[each]
    cdef list later = [
        value
        for key, value in said.items()
        if key.startswith("data-") and "." in value and match_picture(value)
    ]
    if later and name and find_lazy(name):
        later.append(shown)
    else:
        later.insert(0, shown)
    for each in later:
        if is_picture(each):
            return each
    return largest


cdef tuple largest_of(Seen image, dict pictures):
    """Return the largest image in the sets of an image and those of the ``picture`` around it."""
    cdef dict said = image.said
    cdef tuple found, best = largest_in([(said[n], n != "srcset") for n in SETS if n in said])
    cdef tree.xmlNode* node = image.node
    for _ in range(MOST_SOURCES):  # which libxml2 nests
        node = above(node)
        if node is NULL or not (is_named(node, "source") or is_named(node, "picture")):
            break
        if <size_t>node not in pictures:
            pictures[<size_t>node] = largest_in(sets_in(node))
        found = pictures[<size_t>node]
        best = found if found[0] > best[0] else best
    return best


cdef list sets_in(tree.xmlNode* around):
    """Return the sets of a ``source``, or of a ``picture`` and the sources in it."""
    cdef tree.xmlNode* node = around
    cdef list sets = []
    cdef int number = 0
    while node is not NULL and number <= MOST_IN_PICTURE:
        if node is around or is_named(node, "source"):
            number += 1
            for name in (b"srcset", b"data-srcset"):
                if attribute_of(node, name) is not NULL:
                    sets.append((value_of(node, name), name != b"srcset"))
        node = following(node, around) if is_named(around, "picture") else NULL
    return sets


cdef tuple largest_in(list sets):
    """Return the largest image of some ``srcset`` attributes: its width, comparable, 0 where the
    set does not say it, its address, and whether a script sets it.
    """
    cdef list found = []
    cdef str token, width, joined
    for value, is_lazy in sets:
        tokens, joined = iter(value[:LONGEST_SET].split()), ""
        while token := joined or next(tokens, ""):
            width = "" if token.endswith(",") else next(tokens, "")
            width, _, joined = width.partition(",")  # the next address, without a space before it
            found.append((size_of(width), token.strip(","), is_lazy))
    found.sort(key=itemgetter(0), reverse=True)
    for each in found:
        if is_picture(each[1]):
            return each
    return -1.0, "", False


cdef double size_of(str descriptor) except -1:
    """Return the width or density in a descriptor, comparable: ``2x`` is two hundred wide."""
    cdef str number = descriptor[:-1][:8]
    if descriptor[-1:] not in ("w", "x") or not number.isascii():
        return 0.0
    if not number.replace(".", "", 1).isdecimal():
        return 0.0
    return float(number) * (100 if descriptor.endswith("x") else 1)


cdef bint is_picture(str address) except -1:
    """Return whether an address may be that of an image, and not of what stands in its place."""
    if not address or "{" in address or address.startswith(("data:", "blob:")):
        return False  # or a script fills in the width
    address = address[:LONGEST_ADDRESS]
    if len(address) > LONGEST or has_word(PyUnicode_AsUTF8(address), MAY_BE_SPACER):
        if find_spacer("/" + address):
            return False
    return find_avatars(address) is None
