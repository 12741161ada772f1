"""Serve pages whose people are mentions, sync them, ask who does what, and rename a person."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.cli.options import run
from bot.operations.operation import LocalOperations
from bot.operations.sync import SyncSpaces
from bot.settings import load_settings
from bot.wiring import Application, open_application
from core.conversation import QuestionToAnswer
from core.indexing.report import SpaceReport
from core.model import Scope
from tests.servers.confluence import ConfluenceServer, Flavour, Site

QUESTIONS = Path(__file__).with_name("questions.json")
RENAMED, NEW_NAME = "hanna", "Hanna Virtanen-Holm"
_CITATION = re.compile(r"\s*\[(?:\d+|\?)\]")
_SPACE = "PORT"


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages. ``people``: names by handle, which bodies contain as ``{handle}``. ``pages``: as in the file."""

    people: Mapping[str, str]
    pages: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Answered:
    """A result. ``is_right``: names all expected people; ``is_first``: before others; ``is_alone``: and no others."""

    question: str
    who: tuple[str, ...]
    text: str
    is_right: bool
    is_first: bool
    is_alone: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """The cost of a rename. ``bodies``: pages read; ``embedded``: texts; ``carrying``: evidences with the name."""

    answers: tuple[Answered, ...]
    bodies: int
    embedded: int
    carrying: int
    is_renamed: bool


def read_pages() -> Pages:
    """Read the pages with their questions."""
    found = json.loads(QUESTIONS.read_text("utf-8"))
    return Pages(found["people"], found["pages"])


def serve(pages: Pages, flavour: Flavour) -> Site:
    """Serve a site with the pages, with mentions in the format of the flavour."""
    site = Site()
    site.add_space(_SPACE)
    mentions = {handle: site.add_user(handle, name).mention(flavour) for handle, name in pages.people.items()}
    for page in pages.pages:
        body = re.sub(r"\{([a-z]+)\}", lambda found: mentions[found[1]], page["body"])
        added = site.add_page(_SPACE, page["title"], body, author=page["author"])
        added.editor = page["editor"]
    return site


def measure_flavour(flavour: Flavour, pages: Pages, data: Path) -> Measured:
    """Measure one flavour with the default settings and a new data directory."""
    with ConfluenceServer(serve(pages, flavour), flavour) as server:
        settings = load_settings(
            data_dir=data,
            confluence_url=server.url,
            confluence_flavour=flavour,
            confluence_email=server.email if flavour == "cloud" else "",
            confluence_token=server.token,
        )
        with open_application(settings) as application:
            return run(_measure(application, server, pages))


async def _measure(application: Application, server: ConfluenceServer, pages: Pages) -> Measured:
    await _sync(application)
    answers = [
        await _ask(application, pages, each["question"], [pages.people[handle] for handle in each["who"]])
        for page in pages.pages
        for each in page["questions"]
    ]
    server.forget()
    server.site.call(RENAMED, NEW_NAME)
    report = await _sync(application)
    entries = [each.entry for each in await application.pages.load_evidences(_SPACE)]
    texts = ["\n".join((each.title, each.heading, each.text, each.surroundings)) for each in entries]
    return Measured(
        tuple(answers),
        server.sent_bodies.total(),
        report.embedded,
        sum(1 for text in texts if any(part in text for part in NEW_NAME.split())),
        not any(pages.people[RENAMED] in text for text in texts),
    )


async def _sync(application: Application) -> SpaceReport:
    order = SyncSpaces("confluence", keys=(_SPACE,))
    return (await LocalOperations(application).execute(order)).reports[0]


async def _ask(application: Application, pages: Pages, question: str, who: Sequence[str]) -> Answered:
    turn = await application.make_assistant().answer_question(
        QuestionToAnswer("people", "people", "", question, (), Scope())
    )
    text = _CITATION.sub("", turn.answer.text) if turn.answer.answered else ""
    # The answer may name people who are named in the question.
    places = {text.find(name): name for name in pages.people.values() if name in text and name not in question}
    named = [places[at] for at in sorted(places)]
    is_right = set(who) <= set(named)
    is_first = set(who) == set(named[: len(who)])
    return Answered(question, tuple(who), text, is_right, is_first, is_right and len(named) == len(who))
