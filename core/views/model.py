"""What messages show, as plain data: each chat platform shows it in its own way. No text of it is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.languages import Language
from core.model import Citation

Markup = Literal["plain", "markdown"]
"""``plain``: the wiki's own words, in which nothing is markup but fenced code. ``markdown``: a model wrote it."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page by its title; ``url`` may be ""."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of a table that an answer quotes: its ``line`` there, without bullet and citation mark.

    ``lead``: the page or section that the line names before the ``cells``, which are headers with their values.
    """

    line: str
    lead: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer, or that there is none.

    ``text`` holds its citations as ``[1]``, and ``[?]`` after what no source supports. ``understood_as``: the completed
    question, "" where it was asked whole. ``asked``: the question, where a button asked it and so no message shows it.
    ``closest``: pages to try where the wiki does not answer, ``contact``: who can help then, as an admin wrote it.
    ``notes``: what people should know of this answer. ``explainable``: False where there is nothing to explain.
    ``question``: what was asked, in full. ``rows``: of tables, which ``text`` quotes.
    """

    turn_id: str
    language: Language
    text: str
    answered: bool
    markup: Markup = "plain"
    citations: tuple[Citation, ...] = ()
    understood_as: str = ""
    closest: tuple[PageLink, ...] = ()
    contact: str = ""
    asked: str = ""
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    explainable: bool = True
    question: str = ""
    rows: tuple[RowView, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceView:
    """One evidence. ``number``: under which the answer cites it, None where it does not. ``text`` is shortened.

    ``page``: who owns or wrote its page, and when it was changed last, in words, as far as that is known.
    """

    rank: int
    number: int | None
    title: str
    heading_path: tuple[str, ...]
    kind: str  # in words
    text: str
    url: str
    page: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourcesView:
    """What an answer was made from: the cited evidences first, then the others by rank.

    ``hidden``: how many are not shown, because their pages are gone or may not be read (any more) here.
    """

    turn_id: str
    language: Language
    question: str
    sources: tuple[SourceView, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class PlaceView:
    """A place on a page, with the numbers under which the answer cites it, and what was found there, in words."""

    title: str
    heading_path: tuple[str, ...]
    url: str
    numbers: tuple[int, ...] = ()
    kinds: str = ""  # "passage", "2 × table row"


@dataclass(frozen=True, slots=True)
class BarView:
    """A cluster with its share, above 0 and at most 1. ``percent``: for people, "<1%" for what rounds to 0."""

    share: float
    percent: str
    places: tuple[PlaceView, ...]


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """What an answer rests on. Without ``bars`` there is only a verdict.

    ``unmoved`` and ``unknown``: a heading, and the places without which the answer stays the same, or which could not
    be found out, for these ``causes``. ``without_top``: a sentence, and the counterfactual answer that follows it, ""
    where there is none; ``problem``: why it could not be asked, "" if it could. ``compared_with``: a sentence, and
    another model's own answer. ``made``: how it was made, for the end. ``answer_id``: where only one person
    sees it, the answer's message, in whose thread they may share it; "" where everybody sees it.
    """

    turn_id: str
    language: Language
    heading: str
    question: str
    verdict: str
    bars: tuple[BarView, ...] = ()
    unmoved: tuple[str, tuple[PlaceView, ...]] = ("", ())
    unknown: tuple[str, tuple[PlaceView, ...]] = ("", ())
    causes: tuple[str, ...] = ()
    without_top: tuple[str, str] = ("", "")
    problem: str = ""
    compared_with: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = ()
    made: str = ""
    answer_id: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work that is under way, and how far it has come where that is known (``total`` > 0)."""

    language: Language
    work: Literal["answer", "explanation", "sync"]
    about: str = ""  # a space's key
    done: int = 0
    total: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message in words: a headline, lines below it, and links. ``kind`` decides how urgent it looks.

    ``starts_work``: it only says that work has begun, which a message of its own tells too.
    """

    text: str
    lines: tuple[str, ...] = ()
    kind: Literal["info", "problem", "done"] = "info"
    links: tuple[PageLink, ...] = ()
    starts_work: bool = False


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question that was asked where no message shows it, with the id of its asker: the answer stands below."""

    user: str
    question: str


@dataclass(frozen=True, slots=True)
class LinkView:
    """What a link to a page leads to. ``about``: what is known of the page, in words; ``text``: its beginning."""

    language: Language
    page_id: str
    title: str
    url: str
    about: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class HelpView:
    """How to ask; ``bot``: how people call it. ``spaces``: what is searched here. ``admin``: whether for one.

    ``by_mention``: whether follow-ups have to mention the bot. ``by_command``: whether a command asks too. ``shared``:
    whether people of other organisations can read here. ``own_pages``: whether the reader's own account counts.
    ``refusal``: the name of the reason why nothing is searched here, "" where something is or that is not known.
    """

    language: Language
    bot: str
    spaces: tuple[str, ...] = ()
    direct: bool = False
    admin: bool = False
    by_mention: bool = False
    by_command: bool = False
    shared: bool = False
    own_pages: bool = True
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class AdminHomeView:
    """What an admin sees besides: states of syncs, a line each, and what people asked and said in the last week.

    ``complaints``: questions with the reasons why their answers are no good.
    """

    spaces: tuple[str, ...] = ()
    unanswered: tuple[PageLink, ...] = ()
    good: int = 0
    bad: int = 0
    complaints: tuple[tuple[PageLink, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HomeView:
    """The app's own page, for one person. ``questions``: their latest ones, with links to the answers.

    ``spaces``: what their direct messages search, and how fresh that is, a line each. ``admin``: for admins only.
    """

    help: HelpView
    questions: tuple[PageLink, ...] = ()
    spaces: tuple[str, ...] = ()
    admin: AdminHomeView | None = None


View = Waiting | AnswerView | SourcesView | ExplanationView | Notice | QuestionView | HelpView
"""What can be posted as a message."""

PrivateView = ExplanationView | Notice
"""What only one person is shown."""
