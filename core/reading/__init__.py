"""Reads what no single piece of a page says: whole tables and lists, such as how many rows there are, and facts.

Read in this order: :mod:`relation` puts tables and lists together again; :mod:`question` says what is asked of rows;
:mod:`binding` makes a :mod:`plan` of it by binding the words to one of them (:mod:`conditions`, :mod:`measure`,
:mod:`refine`); :mod:`safety` declines what is not sure; :mod:`compute` answers, with :mod:`arithmetic` and
:mod:`checking`. :mod:`values` reads cells. Beside these, :mod:`page_question` recognises questions about a page
itself, and :mod:`facts` answers them. :mod:`sources` adds what this needs to the sources.
"""
