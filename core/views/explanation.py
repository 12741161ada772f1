"""Explanations of answers: the view in the question's language, and its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.attribution.attributors import LikelihoodAttributor
from core.attribution.explainer import Conclusion, ExplainedCluster, Explanation
from core.attribution.steps import normalise_answer
from core.i18n import Message, format_share, message, plural
from core.languages import Language
from core.model import EvidenceKind, RankedEvidence, Turn
from core.model.views import BarView, ExplanationView, LocationView
from core.text import collapse_spaces, is_visible, shorten
from core.views.document import (
    Actions,
    Bar,
    Block,
    Button,
    Chart,
    Details,
    Document,
    Look,
    Paragraph,
    Run,
    link_location,
    make_label,
)
from core.views.fitting import Limits, count_more
from core.views.notices import NO_ANSWER, NOTHING_TO_EXPLAIN, format_failure, format_question
from core.views.sources import KINDS
from core.wording.quotations import ITEM, shorten_at_word, strip_citations

_ANSWER_CHARS = 300  # of a counterfactual answer
_LEAST_SECONDS = 0.05  # less is shown as "0.0"
_BARS, _LOCATIONS_OF_BAR, _OTHER_LOCATIONS = 8, 4, 5
# Maximum lengths of texts that we did not write, in the platform's units:
_HEADING, _CONCLUSION, _SENTENCE, _CAUSE, _ANSWER, _KIND = 150, 500, 200, 300, 500, 60

_CONCLUSIONS: Mapping[Conclusion, Message] = {
    "not_found": NOTHING_TO_EXPLAIN,
    "not_grounded": message("Leaving out sources changed nothing: the answer does not rest on them."),
    "single_page": message(
        "This answer rests on a single page, “{page}”: without it, the wiki does not answer.", page=""
    ),
    "opposite": message(
        "This answer rests on a single page, “{page}”: without it, the answer would be the opposite.", page=""
    ),
    "redundant": message("Several sources say the same; each of them alone is enough."),
    "unknown": message(
        "Too many model calls failed, so I can't tell what this answer rests on. Please try again later."
    ),
}
_UNMOVED = message("The answer stays the same without:")
_AS_LIKELY = message("The answer is as likely without:")
_UNKNOWN = message("Not known, because no answer could be made without this source:")
_BY_LIKELIHOOD = message("The shares show how much less probable the model's answer becomes without each source.")


def build_explanation_view(turn: Turn, explanation: Explanation) -> ExplanationView:
    """Build the view: shares with their sources, sources without effect, the conclusion, and the top counterfactual."""
    language = turn.question.language
    question, conclusion = format_question(turn.question), _choose_conclusion(explanation).render(language)
    if not explanation.clusters:
        return ExplanationView(explanation.turn_id, language, "", question, conclusion)
    by_likelihood = explanation.method == LikelihoodAttributor.name
    unmoved = [cluster for cluster in explanation.clusters if cluster.share == 0]
    unknown = [cluster for cluster in explanation.clusters if cluster.share is None]
    failures = dict.fromkeys(cluster.result.failure for cluster in unknown if cluster.result.failure)
    return ExplanationView(
        turn_id=explanation.turn_id,
        language=language,
        heading=message("What this answer rests on").render(language),
        question=question,
        conclusion=conclusion,
        bars=tuple(_build_bar_view(cluster, language) for cluster in explanation.clusters if cluster.share),
        unmoved=_build_location_view(_AS_LIKELY if by_likelihood else _UNMOVED, unmoved, language),
        unknown=_build_location_view(_UNKNOWN, unknown, language),
        causes=tuple(format_failure(failure, language) for failure in failures),
        without_top=_describe_counterfactual(explanation, language),
        problem=_find_problem(explanation, language),
        compared_with=_describe_comparison(turn, explanation, language),
        notes=(_BY_LIKELIHOOD.render(language),) if by_likelihood else (),
        made=_describe_effort(explanation, by_likelihood).render(language),
    )


def _describe_effort(explanation: Explanation, by_likelihood: bool) -> Message:
    """Return the number of calls, and their time unless it is that of reading stored results."""
    calls, seconds = explanation.calls, explanation.seconds
    if seconds < _LEAST_SECONDS:
        if by_likelihood:
            return plural("{count} model call", "{count} model calls", calls)
        return plural("{count} answer compared", "{count} answers compared", calls)
    if by_likelihood:
        return plural("{count} model call in {seconds} s", "{count} model calls in {seconds} s", calls, seconds=seconds)
    return plural(
        "{count} answer compared in {seconds} s", "{count} answers compared in {seconds} s", calls, seconds=seconds
    )


def _describe_counterfactual(explanation: Explanation, language: Language) -> tuple[str, str]:
    """Return a sentence and the answer without the first cluster; "" if that answer is unknown."""
    top = explanation.top
    if not top:
        return "", ""
    count, result = len(top.evidences), top.result
    if len(explanation.clusters) == 1:
        return _say_nothing_left(count).render(language), ""
    if not result.answers:
        return "", ""
    if normalise_answer(result.answers[0]) == normalise_answer(explanation.compared_with):
        return message("Without the first source the model still says the same.").render(language), ""
    found = not result.answered or result.answered[0]
    answer = _shorten_answer(result.answers[0]) if found else NO_ANSWER.render(language)
    return _introduce_counterfactual(count).render(language), answer


def _introduce_counterfactual(count: int) -> Message:
    return plural(
        "Without the first source the answer would be:", "Without the first sources the answer would be:", count
    )


def _say_nothing_left(count: int) -> Message:
    return plural(
        "This was the only source: without it nothing is left to answer from.",
        "These sources are so similar that they are left out together: without them nothing is left to answer from.",
        count,
    )


def _find_problem(explanation: Explanation, language: Language) -> str:
    """Return why the answer without the first cluster could not be made, or ""."""
    top = explanation.top
    if top is None or top.result.failure is None or len(explanation.clusters) == 1 or top.result.answers:
        return ""
    return format_failure(top.result.failure, language)


def _describe_comparison(turn: Turn, explanation: Explanation, language: Language) -> tuple[str, str]:
    if normalise_answer(explanation.compared_with) == normalise_answer(turn.answer.text):
        return "", ""
    sentence = message("A different model made this explanation. Its own answer from the same sources:")
    return sentence.render(language), _shorten_answer(explanation.compared_with)


def _choose_conclusion(explanation: Explanation) -> Message:
    if explanation.conclusions:
        page = explanation.single_page
        title = page.evidence.context.title if page else "…"
        conclusion = _CONCLUSIONS[
            explanation.conclusions[-1]
        ]  # "opposite" refines "single_page", so the last one counts
        return replace(conclusion, values={"page": title})
    top = explanation.top
    return _describe_top(explanation, top) if top else _CONCLUSIONS["not_grounded"]


def _describe_top(explanation: Explanation, top: ExplainedCluster) -> Message:
    """Return what the answer rests on, and what happens without it. The page that is cited first has its name there."""
    pages = {(ranked.evidence.page_id, ranked.evidence.context.title): None for ranked in _put_cited_first(top)}
    title, count = next(title for _, title in pages), len(pages)
    if top.result.answered and not any(top.result.answered):
        return plural(
            "This answer rests on “{page}”: without this source, the wiki does not answer.",
            "This answer rests on “{page}” and similar sources: without them, the wiki does not answer.",
            count,
            page=title,
        )
    if explanation.method == LikelihoodAttributor.name:  # it measures how sure the model is, not what it would say
        return plural(
            "This answer rests mainly on “{page}”: without this source, the model finds it less likely.",
            "This answer rests mainly on “{page}” and similar sources: without them, the model finds it less likely.",
            count,
            page=title,
        )
    if sum(bool(cluster.share) for cluster in explanation.clusters) == 1:
        return plural(
            "This answer rests on “{page}”: without this source, it would read differently.",
            "This answer rests on “{page}” and similar sources: without them, it would read differently.",
            count,
            page=title,
        )
    return plural(
        "This answer rests mainly on “{page}”: without this source, it would read differently.",
        "This answer rests mainly on “{page}” and similar sources: without them, it would read differently.",
        count,
        page=title,
    )


def _put_cited_first(cluster: ExplainedCluster) -> list[RankedEvidence]:
    pairs = sorted(zip(cluster.numbers, cluster.evidences, strict=True), key=lambda pair: pair[0] is None)
    return [ranked for _, ranked in pairs]


def _build_bar_view(cluster: ExplainedCluster, language: Language) -> BarView:
    share = cluster.share or 0.0
    return BarView(share, format_share(share, language), _list_locations([cluster], language))


def _build_location_view(
    heading: Message, clusters: Sequence[ExplainedCluster], language: Language
) -> tuple[str, tuple[LocationView, ...]]:
    return (heading.render(language), _list_locations(clusters, language)) if clusters else ("", ())


def _list_locations(clusters: Sequence[ExplainedCluster], language: Language) -> tuple[LocationView, ...]:
    """Return each location once, cited ones first, with its citation numbers and kinds of evidence."""
    found: dict[tuple[str, tuple[str, ...], str], list[tuple[int | None, EvidenceKind]]] = {}
    for cluster in clusters:
        for ranked, number in zip(cluster.evidences, cluster.numbers, strict=True):
            evidence = ranked.evidence
            location = (evidence.context.title, evidence.context.heading_path, evidence.url)
            found.setdefault(location, []).append((number, evidence.kind))
    locations = [
        LocationView(
            *location,
            numbers=tuple(number for number, _ in items if number is not None),
            kinds=_count_kinds([kind for _, kind in items], language),
        )
        for location, items in found.items()
    ]
    return tuple(sorted(locations, key=lambda location: not location.numbers))


def _count_kinds(kinds: Sequence[EvidenceKind], language: Language) -> str:
    named = [(KINDS[kind].render(language), count) for kind, count in Counter(kinds).items()]
    return ", ".join(kind if count == 1 else f"{count} × {kind}" for kind, count in named)


def _shorten_answer(answer: str) -> str:
    """Shorten an answer and remove its citations, whose numbers refer to other sources. Line breaks stay."""
    lines = (" ".join(line.split()) for line in strip_citations(answer).splitlines())
    return shorten_at_word("\n".join(line for line in lines if line), _ANSWER_CHARS)


# ------------------------------------------------------------------------------------------------------- as a document


def build_explanation(view: ExplanationView, limits: Limits) -> Document:
    """Build the document: conclusion, shares as bars with their sources, and the top counterfactual."""
    heading = limits.make_line(view.heading, _HEADING, "heading")
    is_titled = limits.draws_charts and len(view.bars) > 1  # the chart has the heading as its title
    return Document(
        body=(
            *limits.make_line(view.conclusion, _CONCLUSION, "heading"),
            *(limits.make_line(view.question, _CAUSE, tight=True) if heading else ()),
            *(() if is_titled else heading),
            *_build_chart(view, limits),
            *_quote(*view.without_top, limits, "body"),
            *limits.make_line(view.problem, _CAUSE),
            *_build_details(view, limits),
        ),
        after=tuple(_build_share_button(view)),
        language=view.language,
        summary=view.conclusion,
        citations=(),
    )


def _build_details(view: ExplanationView, limits: Limits) -> Sequence[Block]:
    """Return what few readers need, closed at first on platforms that can do so."""
    lines = (
        *_build_location_list(*view.unmoved, view.language, limits),
        *_build_location_list(*view.unknown, view.language, limits),
        *limits.take(limits.make_lines(view.causes, _CAUSE), 2),
        *_quote(*view.compared_with, limits, "subtle"),
        *limits.make_lines((*view.notes[:2], view.made), _SENTENCE),
    )
    return [Details(message("Details").render(view.language), lines)] if limits.has_details and lines else lines


def _build_share_button(view: ExplanationView) -> Iterator[Block]:
    """Return the Share button, if only one person sees the explanation."""
    if view.answer_id:
        alone = message("Only you see this. Share posts it for everybody here.")
        share = Button(message("Share").render(view.language), "share", view.language, view.turn_id)
        yield from (make_label(alone.render(view.language)), Actions((share,)))


def _build_chart(view: ExplanationView, limits: Limits) -> Iterator[Block]:
    bars = limits.take(view.bars, _BARS)
    room = limits.room * 2 // 5 // max(len(bars), 2)
    if bars:
        shown = tuple(_build_bar(bar, room, view.language, limits) for bar in bars)
        yield Chart(collapse_spaces(view.heading), shown, drawn=limits.draws_charts)
    yield from count_more(len(view.bars) - len(bars), view.language, tight=False)


def _build_bar(bar: BarView, room: int, language: Language, limits: Limits) -> Bar:
    percent = shorten(collapse_spaces(bar.percent), 8)
    number = percent.strip("<% ")
    sentence = message("{percent} percent", percent=number)
    if percent.startswith("<"):
        sentence = message("less than {percent} percent", percent=number)
    first = bar.locations[0] if bar.locations else None
    numbers = "".join(f"[{number}]" for number in first.numbers[:3]) if first else ""
    return Bar(
        bar.share,
        percent,
        sentence.render(language),
        f"{numbers} {collapse_spaces(first.title)}".strip() if first else "",
        _build_location_lines(bar.locations, _LOCATIONS_OF_BAR, room, language, limits, "body"),
    )


def _build_location_lines(
    locations: Sequence[LocationView], most: int, room: int, language: Language, limits: Limits, look: Look
) -> tuple[Paragraph, ...]:
    """Return one line per location, as many as fit."""
    lines = [_build_location(location, look, limits) for location in limits.take(locations, most)]
    return limits.fill(lines, room, len(locations), language)


def _build_location(location: LocationView, look: Look, limits: Limits) -> Paragraph:
    numbers = "".join(f"[{number}]" for number in limits.take(location.numbers, 5))
    kinds = f" ({limits.make_excerpt(location.kinds, _KIND)})" if is_visible(location.kinds) else ""
    name = link_location(location.title, location.heading_path, location.url)
    return Paragraph((Run(f"{numbers} " if numbers else ""), name, Run(kinds)), look, tight=True)


def _build_location_list(
    heading: str, locations: Sequence[LocationView], language: Language, limits: Limits
) -> tuple[Paragraph, ...]:
    if not locations:
        return ()
    shown = limits.make_line(heading, _SENTENCE) or (make_label("…"),)
    return (*shown, *_build_location_lines(locations, _OTHER_LOCATIONS, limits.room // 12, language, limits, "subtle"))


def _quote(sentence: str, answer: str, limits: Limits, look: Look) -> Iterator[Paragraph]:
    """Return a sentence followed by an answer, one paragraph per line; nothing without the sentence."""
    if is_visible(sentence):
        yield from limits.make_line(sentence, _SENTENCE, look)
        for line in filter(is_visible, limits.make_excerpt(answer, _ANSWER).split("\n")):
            marker = "•" if line.startswith(ITEM) else None
            yield Paragraph((Run(line.removeprefix(ITEM)),), look, tight=True, quoted=1, marker=marker)
