"""What marks a message as written by AI, with its sources.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content. Exactly one root
entity; Teams refuses a message that breaks one of these limits.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.teams.cards.elements import one_line, shorten_units, visible, web_address
from adapters.teams.json import Json
from core.model import Citation

_MOST = 10
_NAME, _ABSTRACT, _KEYWORD = 80, 160, 28


def message_entity(citations: Sequence[Citation]) -> Json:
    """The root entity: the label, and each cited number with its place."""
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    claims = [_claim(citation) for citation in list(first.values())[:_MOST]]
    entity: Json = {
        "type": "https://schema.org/Message",
        "@type": "Message",
        "@context": "https://schema.org",
        "@id": "",
        "additionalType": ["AIGeneratedContent"],
    }
    return {**entity, "citation": claims} if claims else entity


def _claim(citation: Citation) -> Json:
    name = " › ".join(part for part in (one_line(citation.title), one_line(citation.heading)) if visible(part))
    appearance: Json = {
        "@type": "DigitalDocument",
        "name": shorten_units(name, _NAME) or "…",
        "abstract": shorten_units(one_line(citation.quote), _ABSTRACT) or shorten_units(name, _ABSTRACT) or "…",
    }
    if address := web_address(citation.url):
        appearance["url"] = address
    if keyword := shorten_units(one_line(citation.kind.replace("_", " ")), _KEYWORD):
        appearance["keywords"] = [keyword]
    return {"@type": "Claim", "position": citation.number, "appearance": appearance}
