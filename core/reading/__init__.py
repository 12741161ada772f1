"""Reads whole tables and lists: what no single piece of a page says, such as how many rows there are.

Read in this order: :mod:`relation` puts tables and lists together again; :mod:`plan` binds the words of a question to
one of them; :mod:`compute` answers from its rows; :mod:`sources` adds the pieces that this needs to the sources.
"""
