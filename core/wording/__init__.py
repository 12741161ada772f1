"""How questions, pages and answers are worded, without any evidence of what is true.

:mod:`.focus` says what a question asks for, :mod:`.content_words` what a text is about, and :mod:`.word_matches` which
words two texts have in common. :mod:`.courtesy` removes greetings and thanks, :mod:`.defaults` writes "by default" for
other words that mean it, :mod:`.identifiers` finds names by their form, :mod:`.numbered_names` those that differ in a
number only, :mod:`.list_markers` reads how list items begin, :mod:`.opposites` knows words that are alike but say
something else, :mod:`.quotations` says how the wiki is quoted, and :mod:`.instructions` finds sentences that address a
language model.
"""
