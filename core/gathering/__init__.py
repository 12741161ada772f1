"""Gathering: what an answer needs besides the evidences that retrieval found, loaded from the store within the scope.

In: a question and its ranked evidences. Out: these, followed by what was added. :mod:`.gather` adds in this order, and
each only if the question or its evidences need it:

1. the passages and lists of the first page that match nearly as well as those found there: the answer may stand in
   them, since retrieval returns few evidences of a page;
2. the tables and lists from which the answer can be computed, whole: nothing can be counted in some of their rows;
3. the facts of the page that the question is about: no search finds them, because they are in no index;
4. the sections of a page whose headings are asked for;
5. the other paragraphs of a section that are numbered by hand, since they are a list;
6. the tables of the first page with the column that a question asks for at an event ("Which firmware was it when …?");
7. the facts that have a month of the question which no evidence has: it may be the date of a page's last change;
8. the rest of lists that were found in part, and lists that a passage announces.

A language model reads more: in place of 1 and 8 it gets whole sections, tables and lists of the pages found, with the
order in which to read them (:mod:`.sections`). :mod:`.additional_evidences` adds 1, 2, 3 and 7. The others are added by
the modules of :mod:`core.reading` that answer from them.
"""
