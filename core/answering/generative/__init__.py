"""Answers by a language model, each statement of which is checked against the sources.

Read in this order: :mod:`answerer` runs the steps; :mod:`cleaning` makes plain text of what the model wrote;
:mod:`statements` parses it; :mod:`checking` finds the sources of each statement and cites them.
"""
