"""Draw the trace of an answer in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bot.cli.options import count
from core.model import Evidence, ModelCall, ProposedCompletion, RankedEvidence, Ranking, Scope, TracedPlan, Turn
from core.text import remove_controls
from core.views.notices import format_notice, format_question, format_rejection

_SHOWN_CHARS = 150  # of a model's text, which are two lines of 80 columns


def draw_trace(turn: Turn) -> RenderableType:
    """Draw completion, ranks, computed answers, model calls, notices, times, tokens, configuration and scope."""
    parts: list[RenderableType] = [
        Text(f"turn {remove_controls(turn.turn_id)}, asked {remove_controls(turn.asked_at)}", style="dim"),
        _draw_pairs(
            ("as asked:", remove_controls(format_question(turn.question))),
            ("intent-explicit:", remove_controls(turn.question.intent_explicit)),
        ),
    ]
    if turn.trace.proposed_completions:
        parts += _draw_section("completion candidates", _draw_proposed_completions(turn))
    parts += _draw_section(
        "evidences", _draw_evidences(turn.evidences) if turn.evidences else Text("none found", style="dim")
    )
    for plan in turn.trace.plans:
        parts += _draw_section("computed", _draw_plan(plan))
    if turn.trace.calls:
        parts += _draw_section("model calls (/trace prompts shows them in full)", *_draw_calls(turn.trace.calls))
    if turn.trace.notices:
        parts += _draw_section(
            "notices",
            *(Text(remove_controls(format_notice(notice, "en")), style="yellow") for notice in turn.trace.notices),
        )
    return Group(*parts, Text(), _draw_facts(turn))


def draw_prompts(turn: Turn, number: int | None = None) -> RenderableType:
    """Draw the prompts and texts of all model calls in full, or only of call ``number``, counted from 1."""
    calls = turn.trace.calls
    if not calls:
        return Text("No model was called.")
    if number is not None and not 1 <= number <= len(calls):
        return Text(f"There is no call {number}. This answer took {count(len(calls), 'call')}.")
    chosen = range(1, len(calls) + 1) if number is None else [number]
    return Group(*(part for at in chosen for part in _draw_whole_call(at, calls[at - 1])))


def _draw_whole_call(number: int, call: ModelCall) -> Iterator[RenderableType]:
    yield Rule(
        Text(f"{number}. {remove_controls(call.prompt.name)}, {_format_duration(call.milliseconds)}"),
        align="left",
        style="cyan",
    )
    if not call.prompt.messages:
        yield Text("The prompt was removed, because it may have quoted a page that was removed.", style="dim")
    for part in call.prompt.messages:
        yield Text(part.role, style="bold")
        yield Text(remove_controls(part.text))
        yield Text()
    yield Text(f"{_describe_outcome(call)}, {_format_tokens(call)} tokens in and out", style="bold")
    yield Text(remove_controls(call.text or call.error))


def _draw_section(heading: str, *content: RenderableType) -> list[RenderableType]:
    return [Text(), Text(heading, style="bold"), *(Padding(part, (0, 0, 0, 2)) for part in content)]


def _draw_pairs(*pairs: tuple[str, str], style: str = "") -> Table:
    """Return labels and texts in two columns, so that a long text is wrapped in its own column."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(style=style, overflow="fold")
    for label, text in pairs:
        table.add_row(label, Text(text))
    return table


def _draw_plan(plan: TracedPlan) -> Table:
    return _draw_pairs(
        ("operation:", remove_controls(plan.operation)),
        ("from:", remove_controls(plan.relation)),
        ("conditions:", remove_controls("; ".join(plan.conditions) or "none")),
        ("columns:", remove_controls(", ".join(plan.columns) or "none")),
        ("rows:", str(plan.rows)),
        ("as SQL:", remove_controls(plan.sql)),
    )


def _draw_proposed_completions(turn: Turn) -> Table:
    table = Table.grid(padding=(0, 1))
    for _ in ("candidate", "verdict"):
        table.add_column(overflow="fold")
    for completion in turn.trace.proposed_completions:
        table.add_row(Text(remove_controls(completion.text)), _draw_verdict(completion, turn.question.intent_explicit))
    return table


def _draw_verdict(completion: ProposedCompletion, taken: str) -> Text:
    if completion.rejected:
        return Text(f"rejected: {remove_controls(format_rejection(completion))}", style="red")
    if completion.text == taken:
        return Text("accepted", style="green")
    return Text("possible, not taken", style="dim")


def _draw_evidences(evidences: Sequence[RankedEvidence]) -> Table:
    """Return the rank and score of each signal. The kind is beside the place, so that 80 columns suffice."""
    signals = {
        "lexical": [ranked.lexical for ranked in evidences],
        "dense": [ranked.dense for ranked in evidences],
        "fused": [ranked.fused for ranked in evidences],
        "rerank": [ranked.reranked for ranked in evidences],
    }
    used = {name: rankings for name, rankings in signals.items() if any(rankings)}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("rank", "score", *used):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("place", overflow="fold")
    for at, ranked in enumerate(evidences):
        rankings = (_format_ranking(rankings[at]) for rankings in used.values())
        table.add_row(str(ranked.rank), f"{ranked.score:.3f}", *rankings, _draw_location(ranked.evidence))
    return table


def _draw_location(evidence: Evidence) -> Text:
    location = " › ".join(filter(None, (evidence.context.title, *evidence.context.heading_path))) or "(removed)"
    return Text.assemble(remove_controls(location), (f" ({evidence.kind.replace('_', ' ')})", "dim"))


def _format_ranking(ranking: Ranking | None) -> str:
    return f"{ranking.rank} {ranking.score:6.3f}" if ranking else "–"


def _draw_calls(calls: Sequence[ModelCall]) -> Iterator[RenderableType]:
    names = max(len(remove_controls(call.prompt.name)) for call in calls)
    tokens = max(len(_format_tokens(call)) for call in calls)
    for number, call in enumerate(calls, start=1):
        name, spent = remove_controls(call.prompt.name), f"{call.milliseconds / 1000:6.2f} s"
        numbers = f"{number:2}  {name:{names}}  {_format_tokens(call):>{tokens}} tokens  {spent}  "
        yield Text.assemble(numbers, (_describe_outcome(call), "" if call.finished else "red"))
        if said := _shorten(" ".join(remove_controls(call.text).split())) or remove_controls(call.error):
            yield Padding(Text(said, style="dim"), (0, 0, 0, 4))


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + " …"


def _describe_outcome(call: ModelCall) -> str:
    if call.finished:
        return "finished"
    return "failed" if call.error else "cut off"


def _format_tokens(call: ModelCall) -> str:
    return f"{call.usage.prompt_tokens:,} → {call.usage.completion_tokens:,}"


def _draw_facts(turn: Turn) -> Table:
    usage = turn.usage
    spent = f"{usage.prompt_tokens:,} in prompts, {usage.completion_tokens:,} written, {count(usage.calls, 'call')}"
    return _draw_pairs(
        (
            "times:",
            "  ".join(f"{remove_controls(stage)} {_format_duration(took)}" for stage, took in turn.timings_ms.items()),
        ),
        ("tokens:", spent if usage.calls else "none: no model was called"),
        ("scope:", _describe_scope(turn.scope)),
        ("configuration:", remove_controls("  ".join(f"{name}={value}" for name, value in turn.configuration.items()))),
        style="dim",
    )


def _describe_scope(scope: Scope) -> str:
    if scope.spaces is None:
        spaces = "all spaces"
    else:
        spaces = f"spaces {', '.join(map(remove_controls, sorted(scope.spaces)))}" if scope.spaces else "no space"
    return f"{spaces}; {count(len(scope.principals), 'principal')}"


def _format_duration(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"
