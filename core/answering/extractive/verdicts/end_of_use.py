"""Verdicts on whether something is still in use: "X is deprecated", "X was replaced by Y", "X is no longer maintained".

Such a sentence answers "Do we still use X?" with no, in none of the question's words but the name. The name has to be
what the sentence is about: its head ("Support for X", "X"), or the page or section if it begins with "This".
"""

from __future__ import annotations

import re

from core.answering.extractive.units import ScoredUnit, begins_with_reference
from core.answering.extractive.verdicts.needed_words import TextWords, UnitVerdict, is_same_word
from core.answering.extractive.verdicts.yes_no_question import CONDITIONS, DOUBTS, NEGATIONS, PREPOSITIONS, is_stated
from core.model import TEXT_KINDS
from core.reading.questions.yes_no import find_first_verb
from core.reading.words import Word, split_words
from core.text import split_subject
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker

_IN_USE = (
    "use|used|rely|support|supported|maintain|maintained|recommended|available|active|current|valid|in use|nutzen|nutzt"
    "|genutzt|verwenden|verwendet|benutzen|benutzt|einsetzen|eingesetzt|im einsatz|unterstützt|unterstützen|gepflegt"
    "|gewartet|empfohlen|verfügbar|aktiv|aktuell|gültig"
)
_ASKS = re.compile(rf"(?i)\b(?:{_IN_USE}|still|anymore|any more|noch|weiterhin)\b")
_UNSAID = re.compile(
    rf"(?i)\b(?:{_IN_USE}|still|anymore|any more|currently|today|noch|immer|weiterhin|derzeit|heute|for|für)\b"
)
_MAY_STILL = re.compile(
    r"(?i)^\W*(?:can|could|may|kann|können|darf|dürfen)\b|\b(?:supported|available|unterstützt|verfügbar)\b"
)
"""Questions to which "deprecated" is no answer: what is deprecated may still be there."""
_ENDED = (
    r"discontinued|decommissioned|retired|abandoned|unmaintained|end[- ]of[- ]life|abgekündigt|eingestellt|ausgemustert"
    r"|abgelöst|außer betrieb|(?:been|was|were|is|are) (?:replaced|removed|dropped|shut down|switched off|turned off)"
    r"|(?:wurde|wurden|ist|sind) [^,.;]{0,60}?\b(?:ersetzt|entfernt|abgeschaltet)"
    rf"|(?:no longer|nicht mehr|nicht länger) (?:\w+ )?(?:{_IN_USE})"
)
_OUTDATED = r"deprecated|obsolete|superseded|veraltet"
_SAYS = re.compile(rf"(?i)\b(?:(?P<outdated>{_OUTDATED})|{_ENDED})\b")
_BE = re.compile(r"(?i)\b(?:is|are|was|were|has|have|been|now|ist|sind|wurde|wurden|wird|werden|jetzt|inzwischen)\b")
_SUPPORT_FOR = re.compile(
    r"(?i)^\W*(?:the |die |der )?(?:support|use|usage|unterstützung|nutzung|verwendung) (?:for|of|für|von|des|der)\b"
)
_FUTURE = frozenset("will soon next eventually bald demnächst".split())
_LEFT_OPEN = (DOUBTS | CONDITIONS | _FUTURE) - frozenset(_OUTDATED.split("|"))
_KINDS = frozenset(
    """project tool page service server system feature module library option command version projekt werkzeug seite
    dienst system funktion modul bibliothek option befehl version""".split()
)
"""Words for what a name is the name of."""
_CLAUSES = re.compile(r"[;:()–—]|,(?!\d)|\s-\s|\.\s|\b(?:because|but|and|weil|aber|und)\b")


def read_end_of_use(focus: Focus, unit: ScoredUnit) -> UnitVerdict | None:
    """Return no if a question asks whether something is in use, and a sentence or item says that it ended."""
    text, _ = split_subject(focus.question)
    verb = find_first_verb(text, focus.language)
    said = strip_marker(unit.text).strip()
    if verb is None or not _ASKS.search(text, verb.end()) or unit.evidence.kind not in TEXT_KINDS or "?" in said:
        return None
    thing = [word for word in split_words(_UNSAID.sub(" ", text[verb.start("verb") :])) if is_stated(word)]
    folded = {word.folded for word in split_words(text)}
    if not thing or "```" in said or folded & NEGATIONS:
        return None
    is_lasting = bool(_MAY_STILL.search(text[verb.start("verb") :]))
    for clause in _CLAUSES.split(said):
        found = _SAYS.search(clause)
        if not found or (found["outdated"] and is_lasting):
            continue
        others = {word.folded for word in split_words(clause[: found.start()] + " " + clause[found.end() :])}
        if not others & (_LEFT_OPEN - folded | NEGATIONS) and _is_about(thing, clause[: found.start()], unit, said):
            return UnitVerdict(False, said, unit, (), "")
    return None


def _is_about(thing: list[Word], subject: str, unit: ScoredUnit, said: str) -> bool:
    """Whether a clause is about the thing: its head names it, or stands for the page or section that does."""
    context = unit.evidence.context
    around, own = TextWords.of(" ".join((context.title, *context.heading_path))), TextWords.of(said)
    words = split_words(_BE.sub(" ", _SUPPORT_FOR.sub(" ", subject)))
    end = next((at for at, word in enumerate(words) if at and word.folded in PREPOSITIONS), len(words))
    head = [word for word in words[:end] if is_stated(word) and word.folded not in _KINDS]
    if any(not any(is_same_word(word, one) for one in thing) and not around.has(word) for word in head):
        return False
    if not any(is_same_word(word, one) for word in head for one in thing) and not begins_with_reference(said):
        return False
    if not all(own.has(word) or around.has(word) for word in thing):
        return False
    return all(own.has(word) for word in thing if word.text[0].isdigit())
