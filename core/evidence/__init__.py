"""Extracts evidences from pages: the first half of the method (RAGonite, section 3).

The stages of a page: :mod:`storage_format` parses it into a :mod:`tree`. :mod:`reader` reads the tree into
:mod:`blocks`, with :mod:`inline` for running text and :mod:`lists_and_tables`. :mod:`tables` finds the headers of a
table, and :mod:`linearise` writes its rows as text. :mod:`extract` cuts the blocks into evidences with context.
:mod:`budget` limits the work per page.
"""
