"""Wrapper induction: what the pages of a site have in common, step by step.

The blocks of all pages stand in one table (:mod:`.blocks`). From it follow the texts that repeat
and the good text, the containers for which the pages vote (:mod:`.containers`), what belongs to the
article inside them and before them (:mod:`.inside`), where articles end (:mod:`.ends`), and whether
a page without container has no article (:mod:`.trust`).
"""
