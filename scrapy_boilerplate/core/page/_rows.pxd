"""Rows of the arrays that a page keeps of its elements and text nodes, as in ``page.walk``."""

cdef enum:
    TAG_ROW, PARENT_ROW, DEPTH_ROW, END_ROW, FIRST_TEXT_ROW, LAST_TEXT_ROW, CLASS_ROW, ID_ROW
    POSITION_ROW, ORDINAL_ROW, TOLD_ROW
    ELEMENT_ROWS

cdef enum:
    TEXT_PARENT_ROW, TEXT_AT_ROW, TEXT_START_ROW, TEXT_STOP_ROW, TEXT_ORDINAL_ROW
    TEXT_ROWS
