"""Extracts evidences from pages: the first half of the method (RAGonite, section 3).

In: a page with its content. Out: its evidences, and facts of the page. :mod:`.extract` runs the steps, and
:mod:`.budget` limits their work:

1. :mod:`.storage_format` parses the content into a :mod:`.tree`, in which :mod:`.mentions` and :mod:`.tasks` are named.
2. :mod:`.reader` reads the tree into :mod:`.blocks`: headings (also those that are only bold), lists and tables
   (:mod:`.lists_and_tables`), and running text. :mod:`.inline` reads that into a :mod:`.line`, with the names of
   :mod:`.images`, the titles of :mod:`.links`, and :mod:`.superscripts`.
3. :mod:`.groups` cuts the blocks into pieces below their :mod:`.headings`: :mod:`.tables` finds the headers of a table,
   :mod:`.linearise` writes its rows as text, and :mod:`.split` cuts long text.
4. :mod:`.make_evidences` adds the context to each piece, and its address (:mod:`.anchors`). :mod:`.contextualise` joins
   the context with the text for an index.
5. :mod:`.comments_and_files` (:mod:`.comments`) and :mod:`.other_pages` (:mod:`.inclusions` and :mod:`.reports`, whose
   :mod:`.macros` are found in the tree) follow likewise.
6. :mod:`.facts` makes the evidence about the page itself.
"""
