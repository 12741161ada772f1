"""Answers with the evidences' own words, without a language model.

Read in this order: :mod:`units` scores sentences, list items and rows; :mod:`answerer` decides whether the best one
answers the question at all; :mod:`selection` chooses what to show; :mod:`compose` makes the answer of it.
"""
