"""Reading: answers computed from whole tables and lists, and from the facts of pages.

In: a question and its ranked evidences. Out: a computed answer with its rows as citations, or None: the question is
then answered from sentences. In this order, and each package imports only those before it:

1. :mod:`.words` and :mod:`.values` read words, numbers, dates and versions.
2. :mod:`.relations` makes rows of named cells of tables and lists.
3. :mod:`.questions` finds what is asked of rows.
4. :mod:`.plans` binds the question to the relations, and declines what it does not account for.
5. :mod:`.results` applies a plan. :mod:`.pages` needs none: it answers what is asked about a page itself.
6. :mod:`.ways` has the ways to answer a question, in their order.
7. :mod:`.compute` tries them by letters, by translated words and by meaning.

Beside it, :mod:`.lookup` finds in a table what a quoted sentence leaves out, and :mod:`.lists` completes lists that are
quoted. :mod:`core.gathering` adds the evidences that all of them need to the retrieved ones.
"""
