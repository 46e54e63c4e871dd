"""Wrapper induction: what the pages of a site have in common, step by step.

The blocks of all pages stand in one table (:mod:`.table`). From it follow the texts that repeat
(:mod:`.repeats`), which template paths and pages hold good text (:mod:`.goodtext`), the containers
for which the pages vote (:mod:`.containers`), what inside them is content (:mod:`.inner`), where
articles begin (:mod:`.titles`) and end (:mod:`.cuts`), and whether a page without container has no
article (:mod:`.trust`). Each step is a function of the ones before.
"""
