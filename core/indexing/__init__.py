"""Keeps the store and the indexes equal to the wiki.

Read in this order: :mod:`synchroniser` syncs whole spaces, by their :mod:`listing`; :mod:`page_refresh` updates one
page after a webhook. Both use :mod:`page_reader` (a page to its evidences) and :mod:`indexer` (evidences to the
indexes, in an order in which a crash does no harm). :mod:`report` has the result of a sync.
"""
