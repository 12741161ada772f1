"""The verdict "no" of a sentence that only denies, if it is rated as the answer: in other words than the question.

"No production release on Fridays" answers "can I ship on a Friday?". Other verdicts account for each word of the
question by letters or single words by meaning. Here the rating says that the sentence answers, and its only negation
what. An affirmation says less: a sentence that answers "does it run on Linux?" may be about Windows.
"""

from __future__ import annotations

import re

from core.answering.extractive.units import ScoredUnit, is_code
from core.answering.extractive.verdicts.needed_words import TextWords, UnitVerdict
from core.answering.extractive.verdicts.yes_no_question import CONDITIONS, DOUBTS, NEGATIONS, YesNoQuestion
from core.wording.list_markers import strip_marker

_RATED = 6.0
"""In log-odds. Of 18 denials rated so high in 300 questions on 14 wikis, 15 were the answer no.

The others had a second clause or an exception, which are left out below.
"""
_DENYING = NEGATIONS - {"longer", "neither", "nor", "nothing", "nichts", "ohne", "weder", "without"}
_LIMITING = CONDITIONS | (DOUBTS - {"some"}) | frozenset(
    """but however although though except exception exceptions excluding other besides because since past long
    aber sondern jedoch obwohl ausnahme ausnahmen ausgenommen weil denn vergangenheit""".split()
)  # fmt: skip
_SECOND_CLAUSE = re.compile(r"(?i)[,;] ?(?:and|or|und|oder)\b|[.!?:;] +\S")
_LABEL = re.compile(r"(?i)^(?:info|important|note|tip|warning|achtung|hinweis|wichtig):? (?=\S)")
_AGAINST = re.compile(
    r"(?i)\b(?:forbid\w*|prohibit\w*|banned|avoid\w*|skip\w*|refus\w*|prevent\w*|stops?|fail\w*|los(?:e|es|t)|ignor\w*"
    r"|missing|impossible|unable|disabled?|verboten|untersagt|verhinder\w*|verzicht\w*|fehl\w*|unmöglich|ablehnen)\b"
)
"""Words of a question to which a denial may mean yes."""


def read_denial(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return no if a sentence denies by one word, without limits, exceptions and other clauses; else None."""
    text = _LABEL.sub("", strip_marker(unit.text).strip())
    if unit.cells or is_code(text) or unit.rating < _RATED or _SECOND_CLAUSE.search(text):
        return None
    if yes_no_question.is_opposite or _AGAINST.search(yes_no_question.text):
        return None
    words = TextWords.of(text)
    denied = [word.folded for word in words.words if word.folded in NEGATIONS - {"nor"}]
    is_limited = bool(words.folded & _LIMITING - yes_no_question.folded)
    if len(denied) != 1 or denied[0] not in _DENYING or is_limited:
        return None
    return UnitVerdict(False, text, unit, (), text)
