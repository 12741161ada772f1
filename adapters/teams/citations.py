"""The AI label of a message, and its citations.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content. Teams refuses a
message that breaks one of the limits below, shows a citation where the message's text has its number as ``[1]``, and
nothing of it in a card.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.teams.json import Json, size
from core.model import Citation
from core.views.document import is_visible, one_line, shorten, web_address

_CITATIONS, _NAME, _ABSTRACT, _KEYWORD = 20, 80, 160, 28
_MOST_BYTES = 30_000  # of all citations: the answer needs room too


def make_claims(citations: Sequence[Citation]) -> list[Json]:
    """A citation for each number, as many as Teams takes."""
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    claims: list[Json] = []
    for citation in list(first.values())[:_CITATIONS]:
        claim = _claim(citation)
        if size(claims) + size(claim) > _MOST_BYTES:
            break
        claims.append(claim)
    return claims


def message_entity(claims: Sequence[Json]) -> Json:
    """The one root entity, which marks a message as written by AI, and has each cited number with its place."""
    entity: Json = {
        "type": "https://schema.org/Message",
        "@type": "Message",
        "@context": "https://schema.org",
        "@id": "",
        "additionalType": ["AIGeneratedContent"],
    }
    return {**entity, "citation": list(claims)} if claims else entity


def _claim(citation: Citation) -> Json:
    name = " › ".join(filter(is_visible, (one_line(citation.title), one_line(citation.heading))))
    appearance: Json = {
        "@type": "DigitalDocument",
        "name": shorten(name, _NAME) or "…",
        "abstract": shorten(one_line(citation.quote), _ABSTRACT) or shorten(name, _ABSTRACT) or "…",
    }
    if address := web_address(citation.url):
        appearance["url"] = address
    if keyword := shorten(one_line(citation.kind.replace("_", " ")), _KEYWORD):
        appearance["keywords"] = [keyword]
    return {"@type": "Claim", "position": citation.number, "appearance": appearance}
