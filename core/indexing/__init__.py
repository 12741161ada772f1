"""Keeps the store and the indexes up to date with the wiki.

1. :mod:`.listing` tells what has changed in a space. :mod:`.narrowing` applies new restrictions at once.
2. :mod:`.page_reader` makes the evidences of a page, with its :mod:`.people`, :mod:`.files` and :mod:`.inclusions`.
3. :mod:`.index_entries` makes their index entries: their words with their context, and who may read them.
   :mod:`.embedding` makes their vectors. :mod:`.indexer` stores and indexes them, in an order that survives crashes.

:mod:`.synchroniser` runs these steps for whole spaces, as a :mod:`.pipeline`; :mod:`.page_refresh` for one page after a
webhook. Afterwards, :mod:`.renaming` updates names of people and included text on stored pages, and
:mod:`.unclear_references` reads pages again whose references the store cannot explain. :mod:`.report` has the result of
a sync.
"""
