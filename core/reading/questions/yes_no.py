"""Recognises questions that are answered with yes or no, by the auxiliary that they begin with."""

from __future__ import annotations

import re

from core.languages import LanguageCode, detect_language

_PREFIX = r"(?:[^:?]{1,80}: |(?:in|on|for|at|during|bei|beim|im|am|laut) [^,:?]{1,80}, ?)?"
_AUXILIARY = re.compile(
    rf"(?i)^(?P<qualifier>{_PREFIX})\W{{0,3}}(?P<verb>is|are|was(?! (?:ist|sind|war|hat)\b)|were|do|does|did|can|could"
    r"|may|must|should|has|have|will|would|gibt es|ist|sind|war|waren|kann|können|darf|dürfen|muss|müssen|soll|sollte"
    r"|sollten|könnte|könnten|hat|haben|wird|werden|wurde|wurden|wäre|wären|würde|würden|lässt sich"
    r"|zeigt|funktionierte?)\b"
)
_MAIN_VERB = re.compile(
    rf"(?i)^(?P<qualifier>{_PREFIX})\W{{0,3}}(?P<verb>beginnt|beginnen|bekommt|bekommen|benötigt|benötigen|beträgt"
    r"|betragen|bietet|bieten|braucht|brauchen|brauche|dauert|dauern|endet|enden|enthält|enthalten|erlaubt|erlauben"
    r"|erfordert|findet|finden|gehört|gehören|gilt|gelten|kostet|kosten|läuft|laufen|liegt|liegen|nutzt|nutzen|öffnet|öffnen"
    r"|reicht|reichen|schließt|schließen|startet|starten|steht|stehen|unterstützt|unterstützen|verwendet|verwenden"
    r"|wiegt|wiegen)\b(?! sie\b)"
)
"""Verbs with which German yes-or-no questions begin; a sentence that answers has to have them too."""
_ASKED_IN_QUALIFIER = re.compile(r"(?i)\b(?:which|what|whose|whom|welche[rnms]?|was|wessen|wem)\b")
"""Words by which a clause before the auxiliary asks for more: "For which of the towers, were …"."""
_REQUEST = re.compile(
    r"(?i)^\W{0,3}(?:can|could|will|would|do|können|könnten|könnte|würden|kann) "
    r"(?:you|we|anyone|anybody|someone|somebody|sie|du|ihr|wir|jemand)\b"
    r"(?: \w+){0,3} (?:tell|explain|describe|list|name|show|give|say|know|remind|help|summari[sz]e|provide|point"
    r"|sagen|erklären|beschreiben|nennen|auflisten|zeigen|geben|helfen|zusammenfassen|wissen)\b"
    r"|^\W{0,3}(?:is there|are there|do (?:we|you) have|gibt es|haben wir)(?: \w+)? "
    r"(?:information|info|details?|documentation|guides?|instructions|informationen|angaben|einzelheiten|anleitung(?:en)?)\b"
)
"""Questions that ask for what the wiki says, however they begin."""
_ASKS_NEXT = re.compile(
    r"(?i)[.?!;] +(?:and |und )?(?:how|what|which|who|when|where|why|wie|was|welche[rnms]?|wer|wann|wo|warum)\b"
)
"""Another question after the first clause: "The lamp is on. How long …?"."""


def find_auxiliary(text: str, language: LanguageCode) -> re.Match[str] | None:
    """Return the auxiliary with which a yes-or-no question in this language begins, as the group ``verb``; else None.

    The group ``qualifier`` is what stands before: "In the 2.6 test,". The "was" of a German question is a question
    word.
    """
    found = _AUXILIARY.search(text)
    if (
        found is None
        or _ASKED_IN_QUALIFIER.search(found["qualifier"])
        or _REQUEST.search(text[found.end("qualifier") :])
    ):
        return None
    if _ASKS_NEXT.search(text, found.end()):
        return None
    return None if language == "de" and found["verb"].lower() == "was" else found


def find_first_verb(text: str, language: LanguageCode) -> re.Match[str] | None:
    """Return the auxiliary or, in German, the main verb with which a yes-or-no question begins; else None."""
    found = find_auxiliary(text, language)
    if found is None and language == "de" and (verb := _MAIN_VERB.search(text)):
        is_asking = _ASKED_IN_QUALIFIER.search(verb["qualifier"]) or _ASKS_NEXT.search(text, verb.end())
        return None if is_asking else verb
    return found


def is_yes_no_question(text: str) -> bool:
    """Whether a question is answered with yes or no."""
    return find_auxiliary(text, detect_language(text)) is not None
