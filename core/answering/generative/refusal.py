"""When a generated text says that the sources do not answer."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from core.answering.generative.statements import Statement
from core.model import NOT_FOUND
from core.text import words

_ALIKE = 0.8  # of the words in order: small models lose or change one
_OWN_WORDS = re.compile(
    r"""(?ix)
    \b(?:sources?|evidences?|information|context|documents?|text|pages?|wiki|quellen?|informationen?|dokumente?
    |seiten?|texte?)\b
    [^.]{0,80}
    \b(?:(?:does|do|did|is|are|can|could|was|were|has|have)\s*(?:not|n't|n’t)|cannot|can't|no\ (?:information
    |mention|details?)|
       nicht|kein(?:e|en|er)?)\b
    | \b(?:there\ is\ no|no|keine?)\ (?:information|mention|details?|angaben?|informationen|hinweise?)\b
    | \b(?:i|we|ich|wir)\b[^.]{0,20}\b(?:do\ not|don't|cannot|can't|could\ not|couldn't|kann|konnte|weiß)\b
      [^.]{0,30}\b(?:know|find|answer|nicht|keine)\b
    | \b(?:not|nicht)\b[^.]{0,30}\b(?:mentioned|specified|provided|stated|found|available|given|angegeben|erwähnt
    |enthalten|
       gefunden|zu\ finden|genannt)\b"""
)


def says_the_sentence(text: str) -> bool:
    """Whether a text is the sentence of :data:`core.model.NOT_FOUND`, as models write it."""
    ours, theirs = words(NOT_FOUND), words(text)
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _ALIKE


def refuses(statements: Sequence[Statement]) -> bool:
    """Whether the text refuses: it opens with the sentence, or its only statement says so in words of its own."""
    said = [statement for statement in statements if not statement.introduces]
    if not said:
        return False
    return says_the_sentence(said[0].text) or (len(said) == 1 and says_so(said[0]))


def says_so(statement: Statement) -> bool:
    """Whether a statement says, in words of its own, that the sources do not answer."""
    return not any(character.isdigit() for character in statement.text) and bool(_OWN_WORDS.search(statement.text))
