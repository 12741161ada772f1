"""Answers beside their gold answers, as Markdown for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.views.notice_wording import notice_text
from evaluation.measures import Judged


def answers_markdown(judged: Sequence[Judged]) -> str:
    """One section a question: the question, how it was understood, both answers, the citations and the score."""
    sections = ["\n\n".join(_section(number, item)) for number, item in enumerate(judged, start=1)]
    return "\n\n".join([f"# {len(judged)} answers", *sections]) + "\n"


def _section(number: int, item: Judged) -> Iterator[str]:
    gold, turn = item.gold, item.turn
    yield f"## {number}. Conversation {gold.conversation}, turn {gold.turn}, {gold.language}"
    yield f"**Question:** {_line(turn.question.as_asked)}"
    if turn.question.completed:
        yield f"**Understood as:** {_line(turn.question.intent_explicit)}"
    yield f"**Gold answer:** {_line(gold.gold_answer) or '–' if gold.answerable else 'not in the wiki'}"
    yield f"**Answer** ({'answered' if turn.answer.answered else 'refused'}):"
    yield "\n".join(f"> {line}".rstrip() for line in turn.answer.text.splitlines())
    if turn.answer.citations:
        yield "\n".join(
            f"- [{cited.number}] {'gold' if item.is_gold(cited.url) else 'not gold'}: "
            f"{_line(' › '.join(filter(None, (cited.title, cited.heading))))}"
            for cited in turn.answer.citations
        )
    if gold.answerable:
        yield f"**Gold page among the evidences:** {f'at {item.rank}' if item.rank else 'no'}"
    if item.relevance:
        score = item.relevance.score
        yield f"**Judged:** {f'none. {_line(item.relevance.reason)}' if score is None else f'{score:g}'}"
    for notice in turn.trace.notices:
        yield f"**Notice:** {notice_text(notice, 'en')}"


def _line(text: str) -> str:
    return " ".join(text.split())
