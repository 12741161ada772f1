"""How an explanation looks in a terminal, in the question's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from bot.cli.options import plain
from bot.cli.views import NOT_FOUND_SHOWN, address
from core.attribution.comparing import words_only
from core.attribution.explaining import ExplainedCluster, Explanation
from core.attribution.likelihood import LikelihoodAttributor
from core.attribution.verdicts import Verdict
from core.model import NOT_FOUND, Turn
from core.text import Language, language

_BAR = 30  # columns
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHOWN_CHARS = 300  # of a counterfactual answer


@dataclass(frozen=True, slots=True)
class _Words:
    heading: str
    unmoved: str
    unknown: str
    without: tuple[str, str]  # of the first source, if it is one or several
    nothing_left: tuple[str, str]  # where there is one cluster only: of one source, or of several
    compared_with: str
    made: str
    gone: tuple[str, str]  # of the first source, if it is one or several
    shared: str
    less_likely: str
    as_likely: str
    by_likelihood: str
    scored: str
    same: str
    verdicts: dict[Verdict, str]


_WORDS: dict[Language, _Words] = {
    "en": _Words(
        heading="What this answer rests on",
        unmoved="The answer stays the same without:",
        unknown="Could not be found out, because the answer without it failed:",
        without=("Without the first source the answer would be:", "Without the first sources the answer would be:"),
        nothing_left=(
            "There was no other source: without it nothing is left to answer from.",
            "These sources are so alike that they leave together: without them nothing is left to answer from.",
        ),
        compared_with="Another model explains this answer; from the same sources it says itself:",
        made="{calls} answers compared in {seconds:.1f} s",
        gone=(
            "This answer rests on the first source: without it, the wiki does not answer.",
            "This answer rests on the first sources together: without them, the wiki does not answer.",
        ),
        shared="Without these sources the answer is another one, or in other words.",
        less_likely="Without these sources the model finds this answer less likely.",
        as_likely="The answer is as likely without:",
        by_likelihood="Shares by likelihood: how much less likely the model finds its own words without each source.",
        scored="{calls} calls of the model in {seconds:.1f} s",
        same="Without the first source the model still says the same.",
        verdicts={
            "not_found": "The wiki did not answer this question, so there is nothing to explain.",
            "not_grounded": "Nothing changed whatever was taken away: the answer does not rest on these sources.",
            "single_page": "This answer rests on a single page, “{page}”: without it, the wiki does not answer.",
            "opposite": "This answer rests on a single page, “{page}”: without it, the answer would be the opposite.",
            "redundant": "Several sources say the same; each of them is enough.",
            "unknown": "Too much failed to say what this answer rests on. Explain it again when the model answers.",
        },
    ),
    "de": _Words(
        heading="Worauf diese Antwort beruht",
        unmoved="Die Antwort bleibt gleich ohne:",
        unknown="Nicht herauszufinden, weil die Antwort ohne diese Quelle misslang:",
        without=("Ohne die erste Quelle wäre die Antwort:", "Ohne die ersten Quellen wäre die Antwort:"),
        nothing_left=(
            "Es gab keine andere Quelle: Ohne sie bleibt nichts, woraus zu antworten wäre.",
            "Diese Quellen sagen fast dasselbe und fallen zusammen weg: Ohne sie bleibt nichts, um zu antworten.",
        ),
        compared_with="Ein anderes Modell erklärt diese Antwort; aus denselben Quellen sagt es selbst:",
        made="{calls} Antworten verglichen in {seconds:.1f} s",
        gone=(
            "Diese Antwort beruht auf der ersten Quelle: Ohne sie antwortet das Wiki nicht.",
            "Diese Antwort beruht auf den ersten Quellen zusammen: Ohne sie antwortet das Wiki nicht.",
        ),
        shared="Ohne diese Quellen ist die Antwort eine andere, oder in anderen Worten.",
        less_likely="Ohne diese Quellen hält das Modell diese Antwort für weniger wahrscheinlich.",
        as_likely="Die Antwort ist genauso wahrscheinlich ohne:",
        by_likelihood="Anteile nach Likelihood: um wie viel unwahrscheinlicher seine Worte ohne jede Quelle wären.",
        scored="{calls} Aufrufe des Modells in {seconds:.1f} s",
        same="Ohne die erste Quelle sagt das Modell noch immer dasselbe.",
        verdicts={
            "not_found": "Das Wiki hat diese Frage nicht beantwortet, darum gibt es nichts zu erklären.",
            "not_grounded": "Nichts änderte sich, was auch wegfiel: Die Antwort beruht nicht auf diesen Quellen.",
            "single_page": "Diese Antwort beruht allein auf der Seite „{page}“: Ohne sie antwortet das Wiki nicht.",
            "opposite": "Diese Antwort beruht allein auf der Seite „{page}“: Ohne sie wäre die Antwort das Gegenteil.",
            "redundant": "Mehrere Quellen sagen dasselbe; jede von ihnen genügt.",
            "unknown": "Zu viel misslang, um zu sagen, worauf diese Antwort beruht. "
            "Lassen Sie sie noch einmal erklären, wenn das Modell wieder antwortet.",
        },
    ),
}


def explanation_view(turn: Turn, explanation: Explanation) -> RenderableType:
    """Shares as bars with their sources, what changed nothing, the verdict, and the answer without the first source."""
    spoken = language(turn.question.as_asked)
    words = _words(_WORDS[spoken], explanation.method)
    if not explanation.clusters:
        return Text(_verdict(explanation, words), style="yellow")
    moved = [cluster for cluster in explanation.clusters if cluster.share]
    parts: list[RenderableType] = [Text(words.heading, style="bold")]
    parts += [line for cluster in moved for line in (Text(), _bar(cluster.share or 0.0), *_sources(cluster))]
    parts += _others(words.unmoved, [cluster for cluster in explanation.clusters if cluster.share == 0])
    parts += _others(words.unknown, [cluster for cluster in explanation.clusters if cluster.share is None])
    parts += [Text(), Text(_verdict(explanation, words), style="bold")]
    parts += _without_top(explanation, words, spoken)
    if words_only(explanation.compared_with) != words_only(turn.answer.text):
        parts.append(Text(words.compared_with, style="dim"))
        parts.append(_Indented(Text(_shortened(explanation.compared_with, spoken), style="dim"), 4))
    if explanation.method == LikelihoodAttributor.name:
        parts.append(Text(words.by_likelihood, style="dim"))
    parts.append(Text(words.made.format(calls=explanation.calls, seconds=explanation.seconds), style="dim"))
    return Group(*parts)


def _words(words: _Words, method: str) -> _Words:
    """Likelihood says how sure the model is, not that it would say something else."""
    if method != LikelihoodAttributor.name:
        return words
    return replace(words, unmoved=words.as_likely, shared=words.less_likely, made=words.scored)


def _without_top(explanation: Explanation, words: _Words, spoken: Language) -> list[RenderableType]:
    """What the answer would be without the first cluster, or why that could not be asked."""
    top = explanation.top
    if not top:
        return []
    several = len(top.evidences) > 1
    if len(explanation.clusters) == 1:
        return [Text(words.nothing_left[several])]
    if not top.result.answers:
        return [Text(plain(top.result.error), style="yellow")]
    if words_only(top.result.answers[0]) == words_only(explanation.compared_with):
        return [Text(words.same)]
    return [Text(words.without[several]), _Indented(Text(_shortened(top.result.answers[0], spoken)), 4)]


@dataclass(frozen=True, slots=True)
class _Indented:
    """Text moved right by so many columns."""

    text: Text
    columns: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.no_wrap:  # for a file or a program: padding would cut the text at a width that nobody sees
            yield Text.assemble(" " * self.columns, self.text)
        else:
            yield Padding(self.text, (0, 0, 0, self.columns), expand=False)


def _verdict(explanation: Explanation, words: _Words) -> str:
    if explanation.verdicts:
        verdict = words.verdicts[explanation.verdicts[-1]]  # "opposite" is how an answer may rest on a single page
        page = explanation.single_page
        return verdict.replace("{page}", plain(page.evidence.context.title)) if page else verdict
    top = explanation.top
    answers = top.result.answers if top else ()
    if top and answers and all(words_only(answer) == NOT_FOUND for answer in answers):
        return words.gone[len(top.evidences) > 1]
    return words.shared


def _bar(share: float) -> Text:
    full, eighth = divmod(round(share * _BAR * 8), 8)
    bar = "█" * full + (_EIGHTHS[eighth] if eighth else "")
    percent = f"{share:6.0%}" if share >= 0.005 else "   <1%"
    return Text.assemble((f"{bar or '▏':{_BAR}}", "cyan"), (percent, "bold"))


def _sources(cluster: ExplainedCluster) -> Iterator[Text]:
    for line, url in _places([cluster]):
        yield line
        if url:
            yield address(url)


def _others(heading: str, clusters: Sequence[ExplainedCluster]) -> list[RenderableType]:
    """Clusters without a share, a line a place, which is a link where the terminal has links."""
    if not clusters:
        return []
    lines: list[RenderableType] = [Text(), Text(heading, style="dim")]
    for line, url in _places(clusters):
        link = url if url.startswith(("http://", "https://")) else None
        lines.append(_Indented(Text.assemble(line, style=Style(dim=True, link=link)), 4))
    causes = dict.fromkeys(cluster.result.error for cluster in clusters if cluster.result.error)
    lines += [_Indented(Text(plain(cause), style="yellow"), 2) for cause in causes]
    return lines


def _places(clusters: Sequence[ExplainedCluster]) -> Iterator[tuple[Text, str]]:
    """Each place once, cited ones first, with its numbers and what was found there; and its address."""
    found: dict[tuple[str, str], list[tuple[int | None, str]]] = {}
    for cluster in clusters:
        for ranked, number in zip(cluster.evidences, cluster.numbers, strict=True):
            evidence = ranked.evidence
            place = plain(" › ".join(filter(None, (evidence.context.title, *evidence.context.heading_path))))
            found.setdefault((place, plain(evidence.url)), []).append((number, evidence.kind.replace("_", " ")))
    for (place, url), items in sorted(found.items(), key=lambda place: all(number is None for number, _ in place[1])):
        numbers = "".join(f"[{number}]" for number, _ in items if number is not None)
        kinds = Counter(kind for _, kind in items)
        shown = ", ".join(kind if count == 1 else f"{count} × {kind}" for kind, count in kinds.items())
        yield Text.assemble((f"{numbers} " if numbers else "", "bold cyan"), place, (f" ({shown})", "dim")), url


def _shortened(answer: str, spoken: Language) -> str:
    """One answer without its citations, whose numbers mean other sources."""
    if words_only(answer) == NOT_FOUND:
        return NOT_FOUND_SHOWN[spoken]
    text = plain(words_only(answer))
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS].rsplit(" ", 1)[0] + " …"
