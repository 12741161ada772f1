"""How questions, pages and answers are worded, without any evidence of what is true.

:mod:`.focus` finds the content words of a question, and how far texts have them; :mod:`.courtesy` removes greetings and
thanks, and :mod:`.identifiers` finds names by their form. :mod:`.list_markers` reads how list items begin,
:mod:`.quotations` how the wiki is quoted.
"""
