"""Opposites: words that stand in the same sentences and are alike by meaning, but say something else.

"The reception opens at 08:00" matches "When does the reception close?" by all but one word, and token vectors of
opposites are as near as those of synonyms.
"""

from __future__ import annotations

from core.wording.word_matches import list_vocabulary

_PAIRS = (
    ("open opens opened", "close closes closed"),
    ("start starts started begin begins began", "end ends ended finish finishes stop stops"),
    ("arrive arrives arrival", "leave leaves departure"),
    ("enable enabled enables", "disable disabled disables"),
    ("lock locks locked", "unlock unlocks unlocked"),
    ("buy buys bought", "sell sells sold"),
    ("earliest", "latest"),
    ("minimum", "maximum"),
    ("import imports imported", "export exports exported"),
    ("increase increases", "decrease decreases"),
    ("öffnet öffnen geöffnet offen", "schließt schließen geschlossen"),
    ("beginnt beginnen anfang beginn", "endet enden ende schluss"),
    ("ankunft", "abfahrt abreise"),
    ("einschalten eingeschaltet", "ausschalten ausgeschaltet"),
    ("kaufen gekauft", "verkaufen verkauft"),
    ("frühestens", "spätestens"),
    ("mindestens minimum", "höchstens maximum"),
)
_OPPOSITES: dict[str, frozenset[str]] = {}
for _first, _second in _PAIRS:
    for _words, _others in ((_first, _second), (_second, _first)):
        for _word in _words.split():
            _OPPOSITES[_word] = _OPPOSITES.get(_word, frozenset()) | frozenset(_others.split())


def has_opposite(word: str, text: str) -> bool:
    """Whether a text has an opposite of a word, which is in lower case."""
    return word in _OPPOSITES and not _OPPOSITES[word].isdisjoint(list_vocabulary(text))
