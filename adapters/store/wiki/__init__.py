"""What syncs store: spaces, pages with their evidences and readers, the people they name, and the state of the indexes.

:mod:`.pages` writes pages, :mod:`.evidences` reads what a scope admits. :mod:`.titles`, :mod:`.page_queries` and
:mod:`.inclusions` store which pages each page refers to, so that it is extracted again when these change.
"""
