"""What random conversations in a real store lose with a page: all of its text, and never the author of an answer."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.answering.answerer import is_answered_without_model, is_written_by_model
from core.model import (
    Author,
    Failure,
    ModelCall,
    NoticeKind,
    Prompt,
    PromptMessage,
    ProposedCompletion,
    Question,
    Suggestion,
    Trace,
    TraceNotice,
    Turn,
    Usage,
)
from core.views.messages import build_answer_view
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import add_provenance, indexed_page, turn

PAGES = ("1", "2", "3")
NOTICES = (TraceNotice(NoticeKind.QUOTED_INSTEAD, Failure.UNAVAILABLE),)


@dataclass(frozen=True)
class Told:
    """One turn. ``taken``: the earlier turn whose suggestion is asked. ``completed``: whether by the history."""

    used: frozenset[str]
    author: Author
    completed: bool
    taken: int | None
    fell_back: bool


CONVERSATIONS = st.lists(
    st.builds(
        Told,
        used=st.frozensets(st.sampled_from(PAGES), max_size=2),
        author=st.sampled_from([Author.WIKI, Author.MODEL]),
        completed=st.booleans(),
        taken=st.none() | st.integers(0, 5),
        fell_back=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


def mark(page_id: str) -> str:
    """Return a word that represents the text of a page."""
    return f"xylophone{page_id}"


def conversation(told: list[Told]) -> list[Turn]:
    """Return turns whose texts repeat everything that they may have been made from."""
    turns: list[Turn] = []
    heard: set[str] = set()  # the pages with text in the history
    suggested: list[set[str]] = []
    sources: list[set[str]] = []  # of each turn's suggestions
    for at, one in enumerate(told):
        taken = one.taken if one.taken is not None and one.taken < at and suggested[one.taken] else None
        asked = suggested[taken] if taken is not None else set()
        question = asked | (heard if one.completed else set())
        made = question | one.used
        used = tuple(indexed_page(page_id, (f"Of {mark(page_id)}.",)) for page_id in sorted(one.used))
        answer = made if one.author is Author.MODEL else one.used
        base = turn(f"t{at}", used=used, cited=used, answer=" ".join(["It is", *map(mark, sorted(answer))]))
        as_asked = " ".join([f"Question {at}", *map(mark, sorted(asked))])
        explicit = " ".join([as_asked, *map(mark, sorted(heard))]) if one.completed else as_asked
        calls = (call("complete", heard | asked), call("answer", made), call("suggest", made))
        from_suggestion = sources[taken] if taken is not None else set()
        sources.append(from_suggestion | heard | one.used)
        made_turn = replace(
            base,
            question=Question(as_asked, explicit, f"t{taken}" if taken is not None else ""),
            answer=replace(base.answer, author=one.author),
            trace=Trace((ProposedCompletion(explicit),), calls, NOTICES if one.fell_back else ()),
            suggestions=tuple(
                Suggestion(" ".join(["Why?", *map(mark, sorted(made))]), ranked.evidence.evidence_id)
                for ranked in base.evidences[:1]
            ),
        )
        turns.append(add_provenance(made_turn, tuple(heard), tuple(from_suggestion)))
        suggested.append(made if base.evidences else set())
        heard |= asked | one.used | answer
    return turns


def call(name: str, pages: set[str]) -> ModelCall:
    text = " ".join(["Read:", *map(mark, sorted(pages))])
    return ModelCall(Prompt(name, (PromptMessage("user", text),)), text, Usage(1), 1.0)


@settings(max_examples=settings.default.max_examples // 2)
@given(CONVERSATIONS, st.sampled_from(PAGES))
def test_erasing_a_page_leaves_no_word_of_it_and_who_wrote_each_answer(told: list[Told], gone: str) -> None:
    before = conversation(told)
    after = asyncio.run(erased(before, gone))
    assert mark(gone) not in repr(after)
    for was, now in zip(before, after, strict=True):
        assert now.answer.author is was.answer.author
        assert now.trace.notices == was.trace.notices
        assert is_written_by_model(now) == is_written_by_model(was)
        assert is_answered_without_model(now.trace) == is_answered_without_model(was.trace)
        assert build_answer_view(now).markup == (
            "markdown" if was.answer.author is Author.MODEL and not now.answer.erased else "plain"
        )
        if gone not in was.page_ids:
            assert now == was


async def erased(turns: list[Turn], gone: str) -> list[Turn]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database.open(make_sqlite_url(Path(folder) / "w.db"))
        stores = stores_of(database)
        await stores.pages.replace([indexed_page(page_id, (f"Of {mark(page_id)}.",)) for page_id in PAGES])
        for each in turns:
            await stores.turns.add(each)
        await stores.pages.remove([gone])
        found = await stores.turns.load_newest("c1", 1_000)
        database.close()
    return found
