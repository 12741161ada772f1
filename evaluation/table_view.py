"""The figures of an evaluation as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table

_ANSWER_MEASURES = {
    "first citation is gold": "cited_gold",
    "citation precision": "citation_precision",
    "gold answer's words given": "contains_gold_words",
    "token F1": "token_f1",
    "statements without a source": "unsupported_statements",
}


def draw_evaluation(figures: dict[str, Any]) -> Table:
    """Return the figures by breakdown, then of the answers, then the refusals of questions not answered by the wiki."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "questions", "P@1", "hit@10", "refused"):
        table.add_column(name, justify="left" if not name else "right")
    if figures["answerable"]:
        total = {**figures, "questions": figures["answerable"], "refused": figures["answer"]["refused"]}
        table.add_row("[bold]all[/]", *_row(total))
        for name, values in figures["by"].items():
            for value, group in values.items():
                table.add_row(f"{name} {value}", *_row(group))
        table.add_row("MRR@10", "", f"{figures['mrr_at_10']:.3f}", "", "")
        table.add_row("P@1, literal URLs", "", f"{figures['p_at_1_literal']:.3f}", "", "")
        for name, value in _answers(figures["answer"]):
            table.add_row(name, "", value, "", "")
    unanswerable = figures["answer"]["unanswerable"]
    if unanswerable["questions"]:
        refused = f"{unanswerable['refused']:.3f}"
        table.add_row("[bold]not in the wiki[/]", str(unanswerable["questions"]), "", "", refused)
        for name, values in unanswerable["by"].items():
            for value, share in values.items():
                table.add_row(f"  {name} {value}", "", "", "", f"{share:.3f}")
    return table


def _answers(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and values of the measures of the answers to answerable questions."""
    for name, key in _ANSWER_MEASURES.items():
        yield name, f"{answer[key]:.3f}"
    judge = answer.get("judge")
    if judge:
        yield f"judged relevance (n={judge['judged']})", "–" if judge["mean"] is None else f"{judge['mean']:.3f}"


def _row(group: dict[str, Any]) -> tuple[str, ...]:
    return (str(group["questions"]), f"{group['p_at_1']:.3f}", f"{group['hit_at_10']:.3f}", f"{group['refused']:.3f}")
