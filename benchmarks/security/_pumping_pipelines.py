"""The pipelines for pumped strings: each function that reads outsiders' text, and each regular expression."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from adapters.index.bm25 import MAX_GRAMS
from adapters.llm.stream_reader import read_whole, remove_thinking
from adapters.llm.tokens import count_tokens
from adapters.slack import blocks as slack_blocks
from adapters.slack import events as slack_reading
from adapters.slack import mrkdwn
from adapters.teams import activities as teams_reading
from adapters.teams import cards as teams_cards
from adapters.teams import elements as teams_elements
from bot.cli.history_file import parse_history
from bot.server import logs
from core.answering.generative import cleaning, parts, statements
from core.answering.generative.support import Cited
from core.chat import listening
from core.completion import back_references, heuristic
from core.completion import generative as guard
from core.evidence import contextualise, line, storage_format
from core.evidence import split as splitting
from core.evidence.storage_format import parse, remove_forbidden
from core.languages import detect_language
from core.model import Citation, Context
from core.model.views import AnswerView, Notice
from core.prompts import escape_data
from core.suggesting import generative as suggesting
from core.suggesting import phrasing
from core.text import fold, list_grams, list_words, shorten, unescape_html
from core.views import document
from core.views.fitting import Limits, pack
from core.views.markdown import parse_markdown, parse_plain
from core.wording import courtesy, focus, instructions, list_markers, word_matches
from core.wording.quotations import strip_citations

Pipeline = Callable[[str], object]

ROOT = Path(__file__).parents[2]
_WORDING = cleaning.AddressPolicy(frozenset(["https://wiki.example/a"]), "(link in the source)")
_CITATION = Citation(1, "e", "7", "Title", "Heading", "https://wiki.example/a", "passage", "quote")
_BOT = slack_reading.Bot("T1", "U0000001")


async def _check_nothing(statement: statements.Statement) -> list[Cited]:
    raise NotImplementedError


_STEPS = parts.CheckingSteps(
    lambda text: cleaning.clean_answer(text, _WORDING),
    lambda text: statements.parse_answer(text, False, "en"),
    _check_nothing,
)


def _visible(text: str) -> str:
    """Return the text without characters of the private use area, as after cleaning."""
    return cleaning._INVISIBLE.sub("", text)


def _answer(text: str) -> AnswerView:
    return AnswerView("t", "en", text, True, "markdown", (_CITATION,), text, suggestions=(text,), notes=(text,))


def _activity(text: str) -> dict[str, object]:
    mention = {"type": "mention", "text": "<at>Bot</at>", "mentioned": {"id": "28:bot"}}
    return {"text": text, "entities": [mention], "recipient": {"id": "28:bot"}, "id": "1", "from": {"id": "29:a"}}


def _event(text: str) -> dict[str, object]:
    return {"event": {"text": text, "user": "U0000002", "ts": "1.0", "channel": "C1", "type": "message"}}


def _pack_markdown(text: str, room: int, limits: Limits) -> object:
    return pack(limits.show_tables(parse_markdown(text, [_CITATION])), room, limits.size)


PIPELINES: dict[str, Pipeline] = {
    "words": list_words,
    "fold": fold,
    "grams": lambda text: list_grams(text)[:MAX_GRAMS],
    "language": detect_language,
    "unescape_html": unescape_html,
    "as_data": escape_data,
    "count_tokens": count_tokens,
    "history": lambda text: parse_history(f'[{{"role": "user", "text": "{text.encode("unicode_escape").hex()}"}}]'),
    "asks": listening.is_question,
    "is_acknowledgement": courtesy.is_acknowledgement,
    "strip_courtesy": courtesy.strip_courtesy,
    "guard.tidied": guard.extract_question,
    "guard.rejection": lambda text: guard.find_rejection(text[:2_000], "Who rings it?", [text], [text]),
    "back_references.refers_back": back_references.refers_back,
    "heuristic.with_subject": lambda text: heuristic.add_subject("And in Rome?", text, text),
    "find_focus": focus.find_focus,
    "match_text": lambda text: word_matches.match_text(("bell", "tower"), text),
    "undisguised": instructions.remove_disguises,
    "talks_to_a_model": lambda text: instructions.is_instruction(text),
    "strip_text": instructions.strip_text,
    "strip_marker": list_markers.strip_marker,
    "cleaned": lambda text: cleaning.clean_answer(text, _WORDING),
    "shown_so_far": lambda text: cleaning.clean_partial_answer(text, _WORDING, ("Not found.",)),
    "addresses_in": cleaning.find_addresses,
    "without_mentions": cleaning.strip_mentions,
    "statements_of": lambda text: statements.split_statements(_visible(text)),
    "parse_answer": lambda text: statements.parse_answer(_visible(text), False, "en"),
    "parts.settled": lambda text: parts.find_settled(text, _STEPS),
    "says_the_sentence": statements.is_refusal_sentence,
    "without_citations": strip_citations,
    "questions_in": lambda text: suggesting.parse_questions(text, True, "en"),
    "phrasing": lambda text: list(phrasing._phrase_row_questions((("Name", "Bell"), (text, text)), "Title", "en")),
    "phrasing.heading": lambda text: phrasing._phrase_heading_question(text, "Title", "en", text),
    "sentences": splitting.split_sentences,
    "cut": lambda text: splitting.cut(text, 1_200),
    "line.tidy": line.tidy,
    "add_context": lambda text: contextualise.add_after(contextualise.add_before(Context(), text, 20), text, 20),
    "repaired": storage_format.repair_markup,
    "repaired attributes": lambda text: storage_format.repair_markup(f"<p {text}>"),
    "storage_format.remove_forbidden": remove_forbidden,
    "remove_thinking": remove_thinking,
    "llm.read_whole": lambda text: _ignoring_refusal(read_whole, text.encode("utf-8", "replace")),
    "slack.incoming": lambda text: slack_reading.parse_message(_event(text), _BOT),
    "slack.escaped": mrkdwn.escape,
    "document.link": lambda text: document.link(f"https://a.example/{text}", text),
    "text.shorten": lambda text: shorten(text, 3_000),
    "slack.link": lambda text: mrkdwn.render_paragraph(
        document.Paragraph((document.link(f"https://a.example/{text}", text), document.Run(text, ("bold", "italic"))))
    ),
    "slack.plain": lambda text: pack(parse_plain(text, [_CITATION]), 2_900, slack_blocks.LIMITS.size),
    "slack.excerpt": lambda text: slack_blocks.LIMITS.make_excerpt(text, 2_900),
    "slack.notice": lambda text: slack_blocks.render_message(Notice(text, (text, text)), ""),
    "teams.incoming": lambda text: teams_reading.parse_message(_activity(text)),
    "teams.plain": lambda text: pack(parse_plain(text, [_CITATION]), 20_000, teams_elements.count_block_bytes),
    "teams.text": teams_cards.make_text_message,
    "teams.notice": lambda text: teams_cards.render_message(Notice(text, (text, text))),
    "logs": lambda text: [pattern.sub(instead, text) for pattern, instead in logs._PATTERNS],
}
"""Pipelines by name. Marks, tags and lines are repeated, so none of them may be quadratic in their number."""

PARSERS: dict[str, Pipeline] = {
    "storage_format.parse": parse,
    "slack.markdown": lambda text: _pack_markdown(text, 2_900, slack_blocks.LIMITS),
    "teams.markdown": lambda text: _pack_markdown(text, 20_000, teams_elements.LIMITS),
    "slack.answer": lambda text: slack_blocks.render_message(_answer(text), ""),
    "teams.answer": lambda text: teams_cards.render_message(_answer(text)),
    "teams.stream": lambda text: teams_cards.render_message(_answer(text), "stream"),
}
"""Pipelines through third-party parsers (lxml, markdown-it-py)."""


PREPARED = {"core.wording.instructions._INSTRUCTION", "core.wording.instructions._SMALL_INSTRUCTION"}
"""Patterns that only see prepared text, such as with folded white space. They are tried through their function."""


def _ignoring_refusal(function: Callable[[bytes], object], content: bytes) -> object:
    try:
        return function(content)
    except Exception as refusal:  # it refuses with its own exception
        return refusal


def patterns() -> Iterator[tuple[str, re.Pattern[str], frozenset[str]]]:
    """Return each compiled regular expression of the program by module and name, with the methods used on it."""
    sources = {
        path: path.read_text("utf-8") for top in ("core", "adapters", "bot") for path in (ROOT / top).rglob("*.py")
    }
    seen: set[int] = set()
    for path in sorted(sources):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if not re.search(r"^import re$", sources[path], re.MULTILINE):
            continue
        for name, value in vars(importlib.import_module(module)).items():
            for label, pattern in _inside(name, value):
                full = f"{module}.{label}"
                if isinstance(pattern.pattern, str) and id(pattern) not in seen and full not in PREPARED:
                    seen.add(id(pattern))
                    users = (sources[path],) if name.startswith("_") else tuple(sources.values())
                    yield full, pattern, _methods(name, users)


def _inside(name: str, value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _inside(f"{name}[{key}]", inner)
    elif isinstance(value, list | tuple):
        for at, inner in enumerate(value):
            yield from _inside(f"{name}[{at}]", inner)


@lru_cache(maxsize=1_000)
def _methods(name: str, sources: tuple[str, ...]) -> frozenset[str]:
    used = {
        method
        for source in sources
        for method in re.findall(rf"\b{name}\.(match|fullmatch|search|sub|split|findall|finditer)\b", source)
    }
    return frozenset(used or {"finditer"})


def run_of(pattern: re.Pattern[str], method: str) -> Pipeline:
    """Return a pattern as a pipeline."""
    if method in {"match", "fullmatch", "search"}:
        return lambda text: getattr(pattern, method)(text)
    return lambda text: sum(1 for _ in pattern.finditer(text))
