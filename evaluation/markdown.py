"""Results as Markdown: the paper's tables with the paper's figures, and answers with their gold answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.views.notices import format_notice
from evaluation.attribution import MANY_CLUSTERS, WAYS
from evaluation.measures import JudgedQuestion
from evaluation.sampling import QuestionForm
from evaluation.tables import TableRow

# The RAGonite paper (Saha Roy et al., WSDM 2025) on all 600 questions of ConfQuestions, with URLs compared exactly.
PAPER_P_AT_1 = {"human": 0.658, "system": 0.528}
"""P@1 with the context ALL, by the form of the questions. The system's completions are by GPT-4o."""
PAPER_ATTRIBUTION = {"clustered": 0.799, "naive": 0.772}
"""Table 3: attribution accuracy."""

Figures = dict[str, Any]

BREAKDOWNS = ("type", "source", "language")
_WAYS = {
    "naive": "naive: similarity of answer and evidence",
    "counterfactual": "counterfactual: each evidence alone",
    "clustered": "counterfactual: clusters of evidences",
    "frugal": "the same, fewer calls",
    "likelihood": "likelihood of the answer, clusters",
}


def table_2(rows: Sequence[TableRow], form: QuestionForm) -> str:
    """Return table 2: P@1 by context, for all and for kinds of questions, hit@10, MRR@10 and answer words."""
    groups = _groups(rows)
    names = [value if name != "language" else value.upper() for name, value in groups]
    header = ["context", "P@1", *names, "hit@10", "MRR@10", "gold words", "P@1 literal", "paper: literal"]
    lines = [
        [
            row.row.label,
            _share(figures["p_at_1"]),
            *(_share(figures["by"].get(name, {}).get(value, {}).get("p_at_1")) for name, value in groups),
            _share(figures["hit_at_10"]),
            _share(figures["mrr_at_10"]),
            _share(figures["answer"]["contains_gold_words"]),
            _share(figures["p_at_1_literal"]),
            _share(PAPER_P_AT_1.get(form) if row.row.label == "ALL" else None),
        ]
        for row in rows
        if (figures := row.figures)
    ]
    return "\n\n".join([_table(header, lines), *_reasons(rows)])


def table_3(attribution: Figures) -> str:
    """Return table 3: the accuracy by way, and the deletion test."""
    by = attribution["by"]["language"]
    counts = [f"{name.upper()} ({figures['questions']})" for name, figures in by.items()]
    ways = [*WAYS, *(way for way in attribution if way in _WAYS and way not in WAYS)]
    lines = [
        [
            _WAYS[way],
            _share(attribution[way]),
            *(_share(figures[way]) for figures in by.values()),
            str(attribution["calls_by_way"][way]),
            _share(PAPER_ATTRIBUTION.get(way)),
        ]
        for way in ways
    ]
    deletion = attribution["deletion"]
    top, other = deletion["top_cluster"], deletion["other_cluster"]
    times = f", {top / other:.1f} times as far" if other else ""
    fewer, differences = attribution["fewer_calls"], attribution["differences"]
    clustered = sum(difference["right"] == "clustered" for difference in differences)
    return "\n\n".join(
        [
            _table(["attribution", f"all ({attribution['questions']})", *counts, "calls", "paper"], lines),
            f"Similarity to the answer falls by {top:.3f} without the top cluster and by {other:.4f} without another "
            f"one{times}. Of {attribution['calls']} ablations {attribution['failed']} failed.",
            f"Of {fewer['questions']} answers with at least {MANY_CLUSTERS} clusters, fewer calls take "
            f"{_share(fewer['calls'])} of the calls and give the same top cluster in {_share(fewer['same_top'])}.",
            f"Naive and clustered differ on {len(differences)} answers, of which clustered is right on {clustered}.",
        ]
    )


def table_4(rows: Sequence[TableRow], form: QuestionForm) -> str:
    """Return table 4: one part of the configuration varied at a time."""
    header = ["part", "value", "questions", "P@1", "hit@10", "gold words", "refused", "P@1 literal", "paper: literal"]
    lines = []
    for row, group in zip(rows, _first_of_group(rows), strict=True):
        figures = row.figures or {}
        answer = figures.get("answer", {})
        questions = figures.get("answerable", figures.get("questions"))
        lines.append(
            [
                group,
                row.row.label,
                "–" if questions is None else str(questions),
                _share(figures.get("p_at_1")),
                _share(figures.get("hit_at_10")),
                _share(answer.get("contains_gold_words")),
                _share(answer.get("refused", figures.get("refused"))),
                _share(figures.get("p_at_1_literal")),
                _share(_of_paper(row, form)),
            ]
        )
    return "\n\n".join([_table(header, lines), *_reasons(rows)])


def _of_paper(row: TableRow, form: QuestionForm) -> float | None:
    if row.row.group != "completion":
        return None
    return {"by a person": PAPER_P_AT_1["human"], "by the language model": PAPER_P_AT_1["system"]}.get(row.row.label)


def _groups(rows: Sequence[TableRow]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for name in BREAKDOWNS:
        for row in rows:
            found |= dict.fromkeys((name, value) for value in (row.figures or {"by": {}})["by"].get(name, {}))
    return list(found)


def _first_of_group(rows: Iterable[TableRow]) -> list[str]:
    """Return the name of each row's group for the first row of the group, "" for the others."""
    names, last = [], ""
    for row in rows:
        names.append("" if row.row.group == last else row.row.group)
        last = row.row.group
    return names


def _reasons(rows: Iterable[TableRow]) -> list[str]:
    return [f"Not measured: {row.row.group} {row.row.label}. {row.reason}" for row in rows if not row.figures]


def _table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *lines))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def format_answers(judged: Sequence[JudgedQuestion]) -> str:
    """Return a section for each question: its completion, both answers, the citations and the score."""
    sections = ["\n\n".join(_section(number, item)) for number, item in enumerate(judged, start=1)]
    return "\n\n".join([f"# {len(judged)} answers", *sections]) + "\n"


def _section(number: int, item: JudgedQuestion) -> Iterator[str]:
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
        yield f"**Notice:** {format_notice(notice, 'en')}"


def _line(text: str) -> str:
    return " ".join(text.split())
