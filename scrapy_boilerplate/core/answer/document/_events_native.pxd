"""What a document is read from: events in the order of a tree, and what is known of elements."""

cpdef enum:
    ENTER, LEAVE, PASS, HIDDEN, TEXT, SPACE  # kinds of events, …

cpdef enum:
    KIND, NUMBER, NEXT, BITS  # … and the numbers that each has
    EVENT_WIDTH

cpdef enum:
    # What name, class, attributes and contents say of an element, as in `document.marks`.
    WHOLE = 1
    NOTE = 2
    NOTES = 4
    TABLE = 8
    IN_TABLE = 16
    NODE = 32
    HEADING = 64
    LIST = 128
    PART = 256
    BELONGS = 512
    STYLE = 1024
    MARKED = 2048
    LINK = 4096
    EMBEDS = 8192
    SHOWS = 16384
    CALLOUT = 32768
    FORMULA = 65536
    LINE = 131072
    VALUE = 262144
    DIVISION = 524288
    RULE = 1048576
    CHECKBOX = 2097152
