"""``python -m benchmarks.pictures``: pictures of answers about the samples, as Slack and Teams show them.

Writes pictures into docs/figures, each light, dark and as on a phone. Of Slack: ``slack`` (an answer and its
explanation), ``slack-explain``, ``slack-table`` (a row and a table), ``slack-follow-up`` (a follow-up, a question
asked by command, and a problem), ``slack-sources``, ``slack-home``, ``slack-other`` ("not found", help and the report
of a sync), ``slack-link`` (the preview of a link), ``slack-forms`` and ``slack-whole`` (a long answer). Of Teams:
``teams`` (an answer in a chat with the bot alone, and its explanation), ``teams-explain`` (the same in a channel),
``teams-table``, ``teams-follow-up``, ``teams-sources``, ``teams-other``, ``teams-link`` (the preview, and the form
below it), ``teams-forms`` and ``teams-whole``. The blocks and cards are those that the bot sends. The look of the
platforms is imitated, since they show messages only to accounts. It needs Chromium (Debian: apt install chromium) and
the development tools.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from adapters.slack.windows import render_answer, render_explanation, render_form, render_home, render_sources
from adapters.slack.windows import render_link_preview as render_slack_preview
from adapters.teams.cards import render_form_card, render_part_card, render_reply_card
from adapters.teams.elements import Delivery
from adapters.teams.links import render_link_preview, render_page_form
from benchmarks import pictures_slack, pictures_teams
from benchmarks.child import WORK, MeasurementFailed
from benchmarks.corpus import ROOT
from benchmarks.fitting import SAMPLES, run_on_index
from bot.chat.commands import describe_space
from bot.explainers import make_explainer
from bot.schedules import parse_moment
from bot.wiring import Application
from core.conversation import QuestionToAnswer
from core.i18n import message
from core.indexing.report import PageCounts, SpaceReport
from core.model import TEXT_KINDS, HistoryMessage, Scope, Turn
from core.model.views import AdminHomeView, HelpView, HomeView, LinkView, PageLink, QuestionView, SourcesView, View
from core.suggesting.suggester import add_suggestions
from core.views.explanation import build_explanation_view
from core.views.help import build_correction_form, build_page_form, build_reason_form
from core.views.messages import build_answer_view
from core.views.notices import choose_notice
from core.views.sources import build_sources_view, describe_page
from core.views.sync import build_sync_notice
from core.wording.quotations import make_citation

QUESTION = "Wo bekomme ich einen Schlüssel für das Berliner Büro?"
ROW_QUESTION = "What is the hotel limit per night in the Netherlands in 2026?"
FOLLOW_UP = "And in Germany?"
TABLE_QUESTION = "How many countries have a hotel limit per night?"
GERMAN_QUESTION = "Wie viele Urlaubstage gibt es in Deutschland?"
UNANSWERED = "Does the company pay for a gym membership?"
HELP = HelpView("en", ("ENG", "PEO"), admin=True, by_command=True)
TARGET = ROOT / "docs" / "figures"

Json = dict[str, Any]
Talk = Sequence[tuple[str, View]]

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_SOURCES = 3  # shown sources, enough to see their look
_TALLEST = 3000  # pixels; empty space below is cut off
_SCALE = 2
_COLOURS = 24  # enough for text, and keeps the pictures small
_MARGIN = 12  # pixels below the last line


@dataclass(frozen=True, slots=True)
class Look:
    """A look: ``suffix`` of the picture's file, width of the message pane in pixels, and colours."""

    suffix: str
    width: int
    colours: Mapping[str, str]


LOOKS = (
    Look("", 480, pictures_slack.LIGHT),
    Look("-dark", 480, pictures_slack.DARK),
    Look("-phone", 360, pictures_slack.LIGHT),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One view. ``body``: its HTML. ``style``: the platform's CSS. ``colours``: light and dark ones, if not Slack's."""

    name: str
    body: str
    style: str = ""
    colours: tuple[Mapping[str, str], Mapping[str, str]] | None = None

    def look(self, look: Look) -> Look:
        """Return the look with the colours of the platform."""
        return replace(look, colours=self.colours[look.colours is pictures_slack.DARK]) if self.colours else look


def main() -> int:
    """Make the pictures, and print their paths."""
    chromium = next((path for path in map(shutil.which, _NAMES) if path), None)
    if chromium is None:
        print("The pictures need Chromium (Debian: apt install chromium).", file=sys.stderr)
        return 1
    scenes: list[Scene] = []

    async def make(application: Application) -> None:
        scenes.extend(await _make_scenes(application))

    run_on_index(SAMPLES / "documents", make, data_dir=WORK / "pictures")
    for scene in scenes:
        for look in LOOKS:
            path = TARGET / f"{scene.name}{look.suffix}.png"
            own = scene.look(look)
            _take_picture(chromium, _page(scene.body, own, scene.style or pictures_slack.STYLE), own, path)
            print(path)
    return 0


async def _make_scenes(application: Application) -> list[Scene]:
    turn = await _ask(application, QUESTION)
    explanation = await (await make_explainer(application, turn)).explain(turn)
    row, table = await _ask(application, ROW_QUESTION), await _ask(application, TABLE_QUESTION)
    follow_up = await _ask(application, FOLLOW_UP, before=row)
    vacation = build_answer_view(await _ask(application, GERMAN_QUESTION))
    unanswered = await _ask(application, UNANSWERED, answered=False)
    explained = build_explanation_view(turn, explanation)
    tables: Talk = [(ROW_QUESTION, build_answer_view(row)), (TABLE_QUESTION, build_answer_view(table))]
    synced = SpaceReport("PEO", PageCounts(seen=9, unchanged=8, updated=1), embedded=4, seconds=2.4)
    report = build_sync_notice([synced], "en", {"PEO"})
    not_found = build_answer_view(unanswered, unanswered.page_ids, "#people-help")
    other: Talk = [(UNANSWERED, not_found), ("sync PEO", report)]
    followed, problem = build_answer_view(follow_up), choose_notice("refused", "en")
    by_command: Talk = [("", QuestionView("U0ADA00001", GERMAN_QUESTION)), ("", vacation)]
    sources, preview = await _sources(application, row), await _link(application, row)
    forms = [build_correction_form(ROW_QUESTION, "en"), build_reason_form(ROW_QUESTION, "en")]
    private, whole = replace(explained, answer_id="1"), build_answer_view(_lengthen(row))
    alone = render_explanation(private, explained.language)
    return [
        _slack_scene("slack", [(QUESTION, build_answer_view(turn)), ("", explained)]),
        _slack_scene("slack-table", tables),
        _slack_scene("slack-follow-up", [(FOLLOW_UP, followed), *by_command, ("", problem)]),
        _slack_scene("slack-other", [*other[:1], ("help", HELP), ("", report)]),
        Scene("slack-explain", pictures_slack.draw_window(alone)),
        Scene("slack-sources", pictures_slack.draw_window(render_sources(sources))),
        Scene("slack-forms", "<hr>".join(pictures_slack.draw_window(render_form(form, "")) for form in forms)),
        Scene("slack-whole", pictures_slack.draw_window(render_answer(whole))),
        Scene("slack-link", pictures_slack.draw_said(preview.url, "") + _draw_blocks(render_slack_preview(preview))),
        Scene("slack-home", _draw_blocks(render_home(await _home(application)))),
        _teams_scene("teams", [(QUESTION, build_answer_view(turn))], "stream", [("", explained)]),
        _teams_scene("teams-explain", [(QUESTION, build_answer_view(turn)), ("", private)]),
        _teams_scene("teams-table", tables),
        _teams_scene(
            "teams-follow-up", [(FOLLOW_UP, followed), (GERMAN_QUESTION, vacation)], "stream", [("", problem)]
        ),
        _teams_scene("teams-other", [*other, ("help", replace(HELP, by_command=False, by_mention=True))]),
        _cards_scene("teams-sources", "", [render_reply_card(sources, row.turn_id, "en")]),
        _cards_scene("teams-forms", "", [render_form_card(form, row.turn_id, "1") for form in forms]),
        _cards_scene("teams-whole", "", [render_part_card(whole, 0)]),
        _cards_scene("teams-link", preview.url, _link_cards(preview)),
    ]


def _slack_scene(name: str, talk: Talk) -> Scene:
    """Return a scene. ``talk``: each question ("" for none) with the bot's message."""
    return Scene(
        name,
        "".join(
            (pictures_slack.draw_said(question) if question else "") + pictures_slack.draw_posted(view)
            for question, view in talk
        ),
    )


def _draw_blocks(view: Json) -> str:
    return "".join(map(pictures_slack.draw_block, view["blocks"]))


def _teams_scene(name: str, talk: Talk, way: Delivery = "post", after: Talk = ()) -> Scene:
    """Return a scene. ``talk``: each question ("" for none) with the bot's message. ``way``: how these are sent.

    ``after``: further messages, which are posted.
    """
    body = "".join(
        (pictures_teams.draw_said(question) if question else "") + pictures_teams.draw_posted(view, sent)
        for messages, sent in ((talk, way), (after, "post"))
        for question, view in messages
    )
    return Scene(name, body, pictures_teams.STYLE, (pictures_teams.LIGHT, pictures_teams.DARK))


def _link_cards(view: LinkView) -> list[Json]:
    form = render_page_form(build_page_form(view.title, view.language), view.url, "1")
    return [render_link_preview(view, view.url), form]


def _cards_scene(name: str, said: str, cards: Sequence[Json]) -> Scene:
    """Return a scene of cards that one person sees. ``said``: what stands above them, or ""."""
    above = pictures_teams.draw_said(said) if said else ""
    body = above + "".join(map(pictures_teams.draw_card, cards))
    return Scene(name, body, pictures_teams.STYLE, (pictures_teams.LIGHT, pictures_teams.DARK))


async def _link(application: Application, turn: Turn) -> LinkView:
    """Return the preview of the first page of a turn."""
    page_id = turn.evidences[0].evidence.page_id
    facts = await application.evidences.load_facts([page_id], Scope())
    texts = await application.evidences.load_texts([page_id], Scope())
    text = next(text for text in texts if text.kind == "passage")
    about = tuple(each.render("en") for each in describe_page(facts[page_id]))
    return LinkView("en", page_id, text.context.title, text.url.partition("#")[0], about, text.text)


async def _ask(application: Application, question: str, answered: bool = True, before: Turn | None = None) -> Turn:
    """Return the turn with suggestions. ``before``: the turn that a follow-up follows."""
    history = (
        (HistoryMessage("user", before.question.as_asked), HistoryMessage("assistant", before.answer.text))
        if before
        else ()
    )
    turn = await application.make_assistant().answer_question(
        QuestionToAnswer("turn", "conversation", "", question, history, Scope())
    )
    if turn.answer.answered != answered:
        raise MeasurementFailed(f"the sample wiki does not answer as before: {question}")
    if not answered or application.suggester is None:
        return turn
    return await add_suggestions(application.suggester, turn, [each.text for each in history[:1]], time.perf_counter)


def _lengthen(turn: Turn) -> Turn:
    """Return the turn with all its passages and lists as its answer, so long that a message does not show all of it."""
    texts = [each.evidence for each in turn.evidences if each.evidence.kind in TEXT_KINDS]
    cited = tuple(make_citation(number, evidence) for number, evidence in enumerate(texts, start=1))
    text = "\n\n".join(f"{evidence.text} [{number}]" for number, evidence in enumerate(texts, start=1))
    return replace(turn, answer=replace(turn.answer, text=text, citations=cited))


async def _sources(application: Application, turn: Turn) -> SourcesView:
    view = build_sources_view(turn, await application.evidences.load_facts(turn.page_ids, Scope()))
    return replace(view, sources=view.sources[:_SOURCES])


async def _home(application: Application) -> HomeView:
    """Return an admin's home. Questions and feedback are made up; the spaces are those of the samples."""
    spaces = sorted(summary.key for summary in await application.spaces.load_summaries())
    now = message("just now").render("en")
    asked = tuple(PageLink(question, "https://slack.example/1") for question in (ROW_QUESTION, TABLE_QUESTION))
    unanswered = (PageLink("Does the company pay for a gym membership?", "https://slack.example/2"),)
    complaint = (PageLink("Who approves flights?", "https://slack.example/3"), "It changed in May, see Travel 2026")
    syncs = tuple(
        describe_space(summary, None, parse_moment(summary.synced_at), "en")
        for summary in await application.spaces.load_summaries()
    )
    admin = AdminHomeView(syncs, unanswered, 12, 1, (complaint,))
    help_view = HelpView("en", tuple(spaces), direct=True, admin=True, own_pages=False)
    return HomeView(help_view, asked, tuple(f"{space}: synced {now}" for space in spaces), admin)


def _take_picture(chromium: str, page: str, look: Look, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, shot = Path(folder, "page.html"), Path(folder, "shot.png")
        source.write_text(page, "utf-8")
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={shot}",
            f"--window-size={look.width},{_TALLEST}", f"--force-device-scale-factor={_SCALE}", source.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        with Image.open(shot) as taken:
            image = taken.convert("RGB")
    ground = Image.new("RGB", image.size, look.colours["page"])
    box = ImageChops.difference(image, ground).getbbox()
    bottom = min(image.height, (box[3] if box else 0) + _MARGIN * _SCALE)
    image.crop((0, 0, image.width, bottom)).quantize(_COLOURS).save(path, optimize=True)


def _page(body: str, look: Look, style: str) -> str:
    variables = "".join(f"--{name}: {value};" for name, value in look.colours.items())
    return f"<!doctype html><meta charset=utf-8><style>:root {{{variables}}} {style}</style>{body}"


if __name__ == "__main__":
    sys.exit(main())
