"""Tables and lists of pages as relations: rows of named cells, each with the evidence that it is from.

:mod:`.relation` joins the pieces of a table or list, whose rows :mod:`.rows` reads, and finds each
:mod:`inline list <.inline_lists>`. Rows are completed from the ones above (:mod:`.as_above`), set aside
(:mod:`.totals`), arranged by thing (:mod:`.transposed`) or read from nested items (:mod:`.labelled_items`).
:mod:`.legend` explains columns and codes. :mod:`.marks` and :mod:`.people` tell what a cell says.
"""
