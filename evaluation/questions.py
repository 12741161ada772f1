"""Question sets in the JSON format of ConfQuestions: conversations with gold answers and the pages that give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from core.conversation import check_question
from core.errors import QuestionRejected, WikiWhyError

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = ("en", "de")

_PAGE_NUMBER = re.compile(r"/pages/(\d+)|[?&]pageId=(\d+)")


class QuestionSetUnreadable(WikiWhyError):
    """A set of gold questions cannot be read."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question in one language. ``gold_urls``: empty for a question that the wiki does not answer."""

    conversation: str
    turn: int  # from 1
    language: Language
    as_asked: str
    human_completed: str
    gold_urls: tuple[str, ...]
    gold_answer: str
    labels: tuple[tuple[str, str], ...]  # (breakdown, value), for example of the breakdowns source and type

    @property
    def answerable(self) -> bool:
        return bool(self.gold_urls)


def parse_page_number(url: str) -> str:
    """Return the page's number in its URL, or the URL if it has none."""
    found = _PAGE_NUMBER.search(url)
    return (found[1] or found[2]) if found else url


def read_questions(text: str, language: Literal["en", "de", "both"] = "both") -> list[list[GoldQuestion]]:
    """Parse a question set. Return its conversations, once for each language. Raises QuestionSetUnreadable."""
    try:
        conversations = json.loads(text)
        wanted = LANGUAGES if language == "both" else (language,)
        return [list(_turns(conversation, name)) for conversation in conversations for name in wanted]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        cause = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise QuestionSetUnreadable(
            f"The question set cannot be read ({cause}). It must be a JSON list of conversations with conv_id and "
            "turns, each turn with q_en, q_de, completed_q_en, completed_q_de, a_url (a list) and a."
        ) from error


def _turns(conversation: dict[str, Any], language: Language) -> Iterator[GoldQuestion]:
    for number, turn in enumerate(conversation["turns"], start=1):
        as_asked = _question(conversation, number, f"q_{language}")
        urls = turn["a_url"]
        yield GoldQuestion(
            conversation=str(conversation["conv_id"]),
            turn=number,
            language=language,
            as_asked=as_asked,
            human_completed=_question(conversation, number, f"completed_q_{language}", instead=as_asked),
            gold_urls=tuple(_url(url) for url in ([urls] if isinstance(urls, str) else urls)),
            gold_answer=str(turn.get("a", "")),
            labels=tuple(_labels(conversation, turn)),
        )


def _question(conversation: dict[str, Any], number: int, name: str, instead: str = "") -> str:
    """Return the text of a question, or ``instead`` if it is "". Raises QuestionSetUnreadable if it cannot be asked."""
    text = conversation["turns"][number - 1][name]
    if not isinstance(text, str):
        raise TypeError(f"{name} is not text")
    try:
        check_question(text or instead)
    except QuestionRejected as error:
        place = f"conversation {conversation['conv_id']}, turn {number}"
        raise QuestionSetUnreadable(f"A question of the set cannot be asked: {name} of {place}. {error}") from error
    return text or instead


def _url(url: Any) -> str:
    if not isinstance(url, str):
        raise TypeError("a_url is not a list of texts")
    return url


def _labels(conversation: dict[str, Any], turn: dict[str, Any]) -> Iterator[tuple[str, str]]:
    names = {
        "a_source": "source",
        "q_type": "type",
        "subject_change": "subject_change",
        "kind": "kind",
        "split": "split",
    }
    for key, name in names.items():
        value = turn.get(key, conversation.get(key, ""))
        if value != "":
            yield name, str(value).lower()
