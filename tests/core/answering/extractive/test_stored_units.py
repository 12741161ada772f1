"""The titles, sentences, items and rows of a synced wiki need no embedding when a question is asked."""

import pytest

from bot.wiring import Application
from core.answering.extractive.units import list_units, score_units
from core.model import Scope
from core.trace import Stopwatch
from core.wording.focus import find_focus


@pytest.mark.parametrize("question", ["Who approves travel to a conference?", "Wie viele Urlaubstage habe ich?"])
async def test_the_titles_and_units_of_a_question_are_those_that_the_sync_has_embedded(
    sample_wiki: Application, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sample_wiki.matcher.match_words(question, [])
    monkeypatch.setattr(sample_wiki.matcher, "_embed_new", lambda new: {} if not new else pytest.fail("a model call"))
    found = await sample_wiki.retriever.retrieve(question, Scope(), Stopwatch(lambda: 0.0))
    assert await score_units(find_focus(question), list_units(found), sample_wiki.matcher)
