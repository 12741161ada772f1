"""Keeps the store and the indexes up to date with the wiki.

:mod:`synchroniser` syncs whole spaces from their :mod:`listing`; :mod:`page_refresh` updates one page after a webhook.
Both use :mod:`page_reader` (page to evidences) and :mod:`indexer` (evidences to store and indexes, in an order that
survives crashes). :mod:`report` has the result of a sync.
"""
