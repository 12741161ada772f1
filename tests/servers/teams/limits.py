"""What Teams takes of a bot's message, and what it refuses.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
Where nothing is documented the strict answer is taken, or the Agents Playground's.
"""

from __future__ import annotations

from typing import Any

from tests.servers.teams.state import ADAPTIVE, Json, Refused

MOST_BYTES = 28 * 1024
"""Of a message, as its request body."""
CITATIONS, NAME, ABSTRACT, KEYWORDS, KEYWORD = 20, 80, 160, 3, 28
ROOT = "https://schema.org/Message"
_LABELS = {"AIGeneratedContent"}
_CARD_ACTIONS = 6


def bad(message: str) -> Refused:
    return Refused(400, "BadSyntax", message)


def too_big(size: int) -> None:
    """``size``: of the body in bytes."""
    if size > MOST_BYTES:
        raise Refused(413, "MessageSizeTooBig", "Message size too large.")


def check(activity: Json) -> None:
    """Raises :class:`Refused` at the first thing that is not to Teams' liking."""
    if activity.get("type") == "message":
        _content(activity)
    entities = activity.get("entities") or []
    if not isinstance(entities, list) or not all(isinstance(one, dict) and one.get("type") for one in entities):
        raise bad("Entities must be objects with a type.")
    roots = [one for one in entities if one["type"] == ROOT]
    if len(roots) > 1:
        raise bad("Only one root entity of type Message is allowed.")
    for root in roots:
        _root(root)
    for entity in entities:
        if entity["type"] == "mention":
            _mention(entity, str(activity.get("text") or ""))


def _content(activity: Json) -> None:
    attached = activity.get("attachments") or []
    if not str(activity.get("text") or "").strip() and not attached:
        raise bad("Activity must include non empty 'text' field or at least 1 attachment.")
    if activity.get("textFormat") not in (None, "plain", "markdown", "xml"):
        raise bad(f"Unknown text format {activity['textFormat']!r}.")
    for one in attached:
        if not one.get("contentType"):
            raise bad("Attachment without contentType.")
        if one["contentType"] == ADAPTIVE:
            _card(one.get("content"))


def _card(card: Any) -> None:
    if not isinstance(card, dict) or card.get("type") != "AdaptiveCard" or not card.get("version"):
        raise bad("Unable to parse the adaptive card: it needs type AdaptiveCard and a version.")
    if len(card.get("actions") or []) > _CARD_ACTIONS:
        raise bad(f"An adaptive card has at most {_CARD_ACTIONS} actions.")
    for action in card.get("actions") or []:
        if action.get("type") == "Action.Execute" and not isinstance(action.get("verb", ""), str):
            raise bad("The verb of an Action.Execute is a text.")


def _root(entity: Json) -> None:
    if entity.get("@type") != "Message" or "schema.org" not in str(entity.get("@context")):
        raise bad("The root entity needs @type Message and @context https://schema.org.")
    labels = entity.get("additionalType") or []
    if not isinstance(labels, list) or not {*labels} <= _LABELS:
        raise bad(f"Unknown additionalType {labels!r}.")
    cited = entity.get("citation") or []
    if not isinstance(cited, list) or len(cited) > CITATIONS:
        raise bad(f"A message has at most {CITATIONS} citations.")
    for claim in cited:
        _claim(claim)
    positions = [claim["position"] for claim in cited]
    if len({*positions}) != len(positions):
        raise bad("Two citations have one position.")


def _claim(claim: Any) -> None:
    if not isinstance(claim, dict) or claim.get("@type") != "Claim" or type(claim.get("position")) is not int:
        raise bad("A citation needs @type Claim and a whole number as position.")
    shown = claim.get("appearance")
    if not isinstance(shown, dict) or shown.get("@type") != "DigitalDocument":
        raise bad("A citation needs an appearance of @type DigitalDocument.")
    for name, most in (("name", NAME), ("abstract", ABSTRACT)):
        if not isinstance(shown.get(name), str) or not shown[name]:
            raise bad(f"A citation's appearance needs {name}.")
        if units(shown[name]) > most:
            raise bad(f"A citation's {name} has at most {most} characters.")
    keywords = shown.get("keywords") or []
    if len(keywords) > KEYWORDS or any(units(word) > KEYWORD for word in keywords):
        raise bad(f"A citation has at most {KEYWORDS} keywords of at most {KEYWORD} characters.")
    if "url" in shown and not str(shown["url"]).startswith(("https://", "http://")):
        raise bad("A citation's url must be absolute.")


def _mention(entity: Json, text: str) -> None:
    mentioned = entity.get("mentioned") or {}
    if not mentioned.get("id") or not entity.get("text") or entity["text"] not in text:
        raise bad("The text of a mention must stand in the message's text.")


def units(text: str) -> int:
    """UTF-16 code units, which is how Teams counts characters."""
    return len(text.encode("utf-16-le")) // 2
