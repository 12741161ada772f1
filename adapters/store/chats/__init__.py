"""What conversations store: turns, posts, messages and feedback; and what of it is erased with a page or a person.

:mod:`.turn_erasure` removes the text of a page, :mod:`.personal_data` and :mod:`.mentions` remove a person.
"""
