"""The bot's messages as people in the tenant see them."""

from __future__ import annotations

from benchmarks.chat.talk import Kind, Reply
from tests.servers.teams import Message
from tests.servers.teams.cards import texts


def reply(message: Message) -> Reply:
    """Return a message of the bot as a reply."""
    kind = kind_of(message)
    text = message.text or " ".join(text for card in message.cards for text in texts(card)[:1])
    return Reply(message.id, kind, message.at, _shown_at(message), text, kind == "answer" and _explainable(message))


def kind_of(message: Message) -> Kind:
    """Return the kind of a message: an answer asks for feedback, an orphan is a work sign or an open stream.

    Work signs are plain text, notices are Markdown. An answer that was updated has its own feedback buttons, since
    it loses Teams' buttons and its label of generated content.
    """
    if message.stream and message.stream.state == "streaming":
        return "orphan"
    if message.feedback_loop or "good" in _verbs(message):
        return "answer"
    if message.cards:
        return "explanation" if message.ai_generated else "other"
    return "other" if message.activity.get("textFormat") == "markdown" else "orphan"


def _explainable(message: Message) -> bool:
    return "explain" in _verbs(message)


def _verbs(message: Message) -> set[str]:
    """Return the verbs of a message's buttons."""
    sets = [element for card in message.cards for element in card["body"] if element["type"] == "ActionSet"]
    return {str(action.get("verb")) for each in sets for action in each["actions"]}


def _shown_at(message: Message) -> float:
    """Return when the answer was shown, in monotonic seconds."""
    return next((each.at for each in message.updates if each.activity.get("channelData", {}).get("feedbackLoop")),
                message.at)  # fmt: skip
