"""Reads what no single piece of a page says: whole tables and lists, such as how many rows there are, and facts.

Read in this order: :mod:`relation` puts tables and lists together again; :mod:`plan` binds the words of a question to
one of them; :mod:`compute` answers from its rows. Beside these, :mod:`page_question` recognises questions about a page
itself, and :mod:`facts` answers them. :mod:`sources` adds what this needs to the sources.
"""
