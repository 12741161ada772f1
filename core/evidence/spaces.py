"""Who owns and created a space, as a text of its home page, so that people find it by the space's name."""

from __future__ import annotations

from collections.abc import Mapping

from core.evidence.blocks import Text
from core.evidence.people import PeopleOnPage
from core.evidence.storage_format import clean
from core.languages import Language
from core.model import Page

_NAME_CHARACTERS = 200
_OWNED: Mapping[Language, str] = {
    "en": "The space {space} is owned by {who}.",
    "de": "Eigentümer des Bereichs {space} ist {who}.",
}
_CREATED: Mapping[Language, str] = {
    "en": "The space {space} was created by {who}.",
    "de": "Der Bereich {space} wurde von {who} angelegt.",
}


def describe_space(page: Page, people: PeopleOnPage) -> list[Text]:
    """Return the text about the space of a home page, in the page's language; none for other pages.

    People whom the wiki does not name are left out, because an owner may be a group.
    """
    facts = page.facts
    if not facts.space_name:
        return []
    space = f"{' '.join(clean(facts.space_name).split())[:_NAME_CHARACTERS]} ({page.space})"
    told = ((_OWNED, facts.space_owner_account, ""), (_CREATED, facts.space_creator_account, facts.space_creator))
    sentences = [
        sentence[people.language].format(space=space, who=who)
        for sentence, account, name in told
        if (who := people.mark_person(account, name))
    ]
    return [Text(" ".join(sentences))] if sentences else []
