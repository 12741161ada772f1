"""Contacts: whom one can ask about a subject, if the text about it names nobody.

"Whom do I ask about parking?" is answered by "Contact: Mara Lind" in the section, or at the top of the page, about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit
from core.reading.results.assigned_tasks import is_in_charge
from core.reading.words import fold_words
from core.text import split_subject
from core.wording.focus import Focus
from core.wording.word_matches import match_text

_ASKS_CONTACT = re.compile(
    r"(?i)\bwho(?:m)? (?:(?:do|can|could|should|shall|must|would) (?:i|we|you|one|people)|to) "
    r"(?:\w+ )?(?:ask|contact|call|talk|speak|write|turn|reach|go|see|ping|message|mail|e-?mail)\b"
    r"|\bwho (?:is|are) (?:\w+ ){0,2}(?:contacts?|contact persons?|responsible|in charge)\b"
    r"|\bwho (?:can|could) help\b(?!.{0,200}\b(?:if|when)\b)|^\W*(?:contacts?|contact persons?) (?:for|about)\b"
    r"|\b(?:an wen|bei wem|mit wem) (?:(?:wende|spreche|rede|frage|melde)n? |(?:kann|soll|muss|darf) )(?:ich|wir|man)\b"
    r"|\bwen (?:frage?|fragt|fragen|kontaktiere?n?|(?:kann|können|soll|sollen|muss|müssen) (?:\w+ ){1,8}fragen)\b"
    r"|\bwer (?:ist|wäre|sind) (?:\w+ ){0,3}(?:zuständig|verantwortlich|ansprechpartner(?:in)?|ansprechperson)\b"
    r"|\bwer (?:hilft|(?:kann|könnte) (?:\w+ ){1,8}(?:weiter)?helfen)\b(?!.{0,200}\b(?:wenn|falls)\b)"
    r"|^\W*(?:ansprechpartner(?:in)?|ansprechperson|kontakt) (?:für|zu|bei|wegen)\b"
)
_OF_QUESTION = re.compile(
    r"(?i)(?:contact\w*|persons?|responsible|charge|help|answer|talk|speak|turn|reach|zuständig|verantwortlich|kontakt"
    r"|ansprech\w+|hilft|helfen|spreche\w*|sprechen|rede|reden|wende|wenden|wegen|kontaktier\w*)"
)
"""Words of such questions that are not what they are about."""
_HELPS = re.compile(r"(?i)\bhelp|\bhilft\b|helfen\b")
_CONTACT = re.compile(
    r"(?i)(?:^|[.;(]\s*)\W{0,3}(?:page |main )?(?:contacts?|contact persons?|owners?|responsible|(?:any )?questions"
    r"|maintainers?|ansprechpartner(?:in|innen)?|ansprechperson(?:en)?|kontakt|(?:rück)?fragen|zuständig"
    r"|verantwortlich(?:e[rn]?)?|eigentümer(?:in)?)\b"
    r"(?:: ?| (?:to|an|beantwortet|beantworten|go to) )\W{0,3}[^\W\d_]"
)
"""A line that names a contact: "Owner: …", "Questions to …", "Fragen beantwortet …"."""
_TURNS = re.compile(
    r"(?i)\b(?:ask|call|contact|e-?mail|inform|message|report|tell|write|frag(?:e|en|t)|wenden?|meld(?:e|en|et)"
    r"|anrufen|informier(?:e|en|t)|schreib(?:e|en|t)|helpdesk|hotline|support)\b"
)
"""Words of a text that itself says whom to turn to."""
_OF_CONTACTS = frozenset("contact contacts phone kontakt ansprechpartner ansprechpartnerin telefon".split())


def find_contact(focus: Focus, units: Sequence[ScoredUnit]) -> ScoredUnit | None:
    """Return the unit that names the contact for the best unit's section or page; None if the best says it itself.

    Title or headings have to be about half of the question's words: a page that only mentions a subject has no contact
    for it.
    """
    if not units or not _ASKS_CONTACT.search(split_subject(focus.question)[0]) or _says_whom(units[0]):
        return None
    evidence = units[0].evidence
    words = tuple(word for word in focus.words if not _OF_QUESTION.fullmatch(word))
    found = match_text(words, " ".join((evidence.context.title, *evidence.context.heading_path)))
    if not words or 2 * sum(map(bool, found)) < len(words):
        return None
    if _HELPS.search(focus.question) and all(match_text(words, units[0].text)):  # it may say who does help
        return None
    page = [unit for unit in units if unit.evidence.page_id == evidence.page_id and _CONTACT.search(unit.text)]
    near = [unit for unit in page if unit.evidence.section_key == evidence.section_key]
    of_page = [unit for unit in page if not unit.evidence.context.heading_path]
    return next(iter([*near, *of_page]), None)


def _says_whom(unit: ScoredUnit) -> bool:
    headers = (header for header, _ in unit.cells)
    has_column = any(is_in_charge(each) or not _OF_CONTACTS.isdisjoint(fold_words(each)) for each in headers)
    return has_column or bool(_TURNS.search(unit.text) or _CONTACT.search(unit.text))
