"""View models: the data that messages show. Each chat platform renders it in its own way; no text is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.languages import Language
from core.model import Citation
from core.model.reasons import NoAccessReason, NoReason

Markup = Literal["plain", "markdown"]
"""How an answer's text is parsed.

``plain``: words of the wiki, in which only fenced code is markup. ``markdown``: written by a model.
"""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page's title and address, or those of one of its sections; ``url`` may be "".

    ``passage``: text that was found there, to be shown beside the link; "" for none.
    """

    title: str
    url: str
    heading: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """A table row that an answer quotes. ``line``: its line in the answer, without bullet and citation mark.

    ``lead``: the page or section that the line names before the ``cells``, which are pairs of header and value.
    """

    line: str
    lead: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer, or the message that there is none.

    ``text``: with citations as ``[1]``, and ``[?]`` after statements without a source. ``understood_as``: the completed
    question, "" if it was not completed. ``asked``: the question, if no message shows it because a button asked it.
    ``closest``: pages to try if the wiki does not answer. ``contact``: who can help in that case, as an admin wrote it.
    ``notes``: remarks about this answer. ``question``: the intent-explicit question. ``rows``: the table rows that
    ``text`` quotes.
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
    question: str = ""
    rows: tuple[RowView, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceView:
    """One evidence. ``number``: of its citation, None if it is not cited. ``text`` is shortened.

    ``page``: the page's owner or author and its last change, in words, as far as known.
    """

    rank: int
    number: int | None
    title: str
    heading_path: tuple[str, ...]
    kind: str  # in the reader's language
    text: str
    url: str
    page: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourcesView:
    """The evidences of an answer: cited ones first, then the others by rank.

    ``hidden``: number of evidences that are not shown, because their pages are gone or may not be read here now.
    """

    language: Language
    question: str
    sources: tuple[SourceView, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class LocationView:
    """A location on a page, with the numbers of its citations and the kinds of evidence found there, in words."""

    title: str
    heading_path: tuple[str, ...]
    url: str
    numbers: tuple[int, ...] = ()
    kinds: str = ""  # "passage", "2 × table row"


@dataclass(frozen=True, slots=True)
class BarView:
    """A cluster with its share, above 0 and at most 1. ``percent``: the formatted share, "<1%" if it rounds to 0."""

    share: float
    percent: str
    locations: tuple[LocationView, ...]


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """An explanation. Without ``bars`` it has only a conclusion.

    ``unmoved`` and ``unknown``: a heading with locations; leaving out the former does not change the answer, for the
    latter the result is unknown because of ``causes``. ``without_top``: a sentence, and the counterfactual answer
    without the first cluster ("" if there is none). ``problem``: why that answer could not be made, or "".
    ``compared_with``: a sentence, and the answer of another model. ``made``: how the explanation was computed, shown
    last. ``answer_id``: id of the answer's message, in whose thread the explanation can be shared; "" if everybody
    already sees it.
    """

    turn_id: str
    language: Language
    heading: str
    question: str
    conclusion: str
    bars: tuple[BarView, ...] = ()
    unmoved: tuple[str, tuple[LocationView, ...]] = ("", ())
    unknown: tuple[str, tuple[LocationView, ...]] = ("", ())
    causes: tuple[str, ...] = ()
    without_top: tuple[str, str] = ("", "")
    problem: str = ""
    compared_with: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = ()
    made: str = ""
    answer_id: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work in progress. ``total``: number of items, 0 if unknown."""

    language: Language
    work: Literal["answer", "explanation", "sync"]
    about: str = ""  # a space's key
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice: a headline, lines and links. ``kind``: how urgent it looks.

    ``starts_work``: whether it only says that work has started, which a separate message shows as well.
    """

    text: str
    lines: tuple[str, ...] = ()
    kind: Literal["info", "problem", "done"] = "info"
    links: tuple[PageLink, ...] = ()
    starts_work: bool = False


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question that no message shows, because a command asked it, with its asker's id; its answer follows below."""

    user: str
    question: str


@dataclass(frozen=True, slots=True)
class LinkView:
    """The preview of a link to a page. ``about``: facts of the page, in words; ``text``: its beginning."""

    language: Language
    page_id: str
    title: str
    url: str
    about: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class HelpView:
    """Help at a place.

    ``spaces``: the spaces searched here. ``admin``: whether the reader is an admin. ``by_mention``: whether follow-ups
    must mention the bot. ``by_command``: whether questions can be asked by command. ``shared``: whether people of other
    organisations can read here. ``own_pages``: whether the reader's own account is used. ``refusal``: the reason why
    nothing is searched here; "" if something is, or if that is unknown.
    """

    language: Language
    spaces: tuple[str, ...] = ()
    direct: bool = False
    admin: bool = False
    by_mention: bool = False
    by_command: bool = False
    shared: bool = False
    own_pages: bool = True
    refusal: NoAccessReason | NoReason = ""


@dataclass(frozen=True, slots=True)
class AdminHomeView:
    """The admin's part of the home page: sync states, and questions and feedback of the last week.

    ``complaints``: questions with the reasons why their answers were not helpful.
    """

    spaces: tuple[str, ...] = ()
    unanswered: tuple[PageLink, ...] = ()
    good: int = 0
    bad: int = 0
    complaints: tuple[tuple[PageLink, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HomeView:
    """The app's home page, for one person. ``questions``: their latest questions, linked to the answers.

    ``spaces``: the spaces that their direct messages search, with their last sync. ``admin``: for admins only.
    """

    help: HelpView
    questions: tuple[PageLink, ...] = ()
    spaces: tuple[str, ...] = ()
    admin: AdminHomeView | None = None


View = Waiting | AnswerView | SourcesView | ExplanationView | Notice | QuestionView | HelpView
"""A view that can be posted as a message."""

PrivateView = ExplanationView | Notice
"""A view that can be shown to one person only."""
