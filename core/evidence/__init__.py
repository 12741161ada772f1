"""Pages to evidences: the first half of the method (RAGonite, section 3).

The way of a page: :mod:`storage_format` parses it into a :mod:`tree`; :mod:`reader` reads this into :mod:`blocks`, with
:mod:`inline` and :mod:`lists_and_tables` for their kinds; :mod:`tables` finds the headers of a table and
:mod:`linearise` writes its rows as text; :mod:`extract` cuts everything into evidences with their context.
:mod:`budget` bounds the work that one page may cause.
"""
