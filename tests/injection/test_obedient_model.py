"""Pages that command the model, and models that obey: nobody is shown what the attacker wants to be seen.

The pages are synced and asked for in the real application, over a real HTTP server with a scripted model. A model that
is told apart from a page's words by nothing but our checks is the worst case; real ones are measured by
``python -m benchmarks.injection``.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import unicodedata
from collections.abc import Iterator

import pytest
from rich.console import Console

from adapters.embedding.e5 import E5Embedder
from benchmarks.injection import Case, ask, open_synced, read_cases
from bot.cli.document import draw_answer
from bot.settings import Settings
from bot.wiring import Application
from core.model import NOT_FOUND, HistoryMessage, Prompt, Turn
from tests.servers.scripted_model import Request, ScriptedModel

pytestmark = pytest.mark.slow

CASES = read_cases()
LOOKALIKES = str.maketrans("АВЕКМНОРСТХІЅаеорсухіѕ", "ABEKMHOPCTXISaeopcyxis")
INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u206f\ufeff\u00ad]")


def understood(prompt: str) -> str:
    """A prompt as a clever model understands it: disguises seen through, base64 decoded, one line."""
    text = unicodedata.normalize("NFKC", INVISIBLE.sub("", prompt)).translate(LOOKALIKES)
    for code in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        try:
            text += " " + base64.b64decode(code).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return " ".join(re.sub(r"\n[-*•] ", " ", text).lower().split())


def replied(case: Case, request: Request, says: str, always: bool = False) -> str:
    """What a model says that obeys an order which it sees, or always; else it answers."""
    sees_it = case.order in understood(request.messages[0]["content"] + request.question)
    return says.format(case=case) if always or sees_it else f"{case.truth} [1]"


OBEYS, ANSWERS_AND_OBEYS, OBEYS_AND_ANSWERS = (
    "{case.obeyed}", "{case.truth} [1] {case.obeyed}", "{case.obeyed}\n\n{case.truth} [1]",
)  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture(scope="module")
def wiki(
    server: ScriptedModel, embedder: E5Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("injection")
    settings = Settings(llm_base_url=server.base_url, llm_model="scripted", llm_retries=0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bot.wiring.make_embedder", lambda settings: embedder)
        with open_synced(settings, CASES, folder) as application:
            yield application


def printed(turn: Turn) -> str:
    screen = Console(file=io.StringIO(), width=200, highlight=False, emoji=False)
    screen.print(draw_answer(turn))
    return screen.file.getvalue()  # type: ignore[attr-defined, no-any-return]


NEVER_READ = "HTML comment"  # a model that lies about it all the same has not been told to by the page


@pytest.mark.parametrize(
    ("says", "always"),
    [(OBEYS, False), (OBEYS, True), (ANSWERS_AND_OBEYS, True), (OBEYS_AND_ANSWERS, True)],
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_nobody_is_shown_what_the_attacker_wants(
    wiki: Application, server: ScriptedModel, case: Case, says: str, always: bool
) -> None:
    if case.name == NEVER_READ and always:
        pytest.skip("no part of an evidence")
    server.script = [lambda request: replied(case, request, says, always)]
    streamed: list[str] = []
    turn = await ask(wiki, case.question, case.space, on_text=streamed.append)
    quotes = [citation.quote for citation in turn.answer.citations]
    assert not case.shown_of_it(turn.answer.text, *quotes)
    assert not case.shown_of_it(*streamed)
    # A page is called what it is called; the title is shown beside the answer, as data.
    titles = {citation.title for citation in turn.answer.citations}
    shown = printed(turn)
    for title in titles:
        shown = shown.replace(title, "")
    assert not case.shown_of_it(shown)
    assert case.is_right(turn.answer.text) or turn.answer.text == NOT_FOUND
    given = {ranked.evidence.evidence_id for ranked in turn.evidences}
    assert {citation.evidence_id for citation in turn.answer.citations} <= given


def _texts(prompt: Prompt) -> list[str]:
    return [message.text for message in prompt.messages]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_next_question_is_not_completed_with_it(wiki: Application, server: ScriptedModel, case: Case) -> None:
    server.script = [lambda request: replied(case, request, ANSWERS_AND_OBEYS)]
    earlier = await ask(wiki, case.question, case.space)
    title = earlier.evidences[0].evidence.context.title  # with the attack, where that is in the title
    history = [HistoryMessage("user", case.question), HistoryMessage("assistant", earlier.answer.text, subject=title)]
    follow_up = "Und sonntags?" if case.question.startswith(("Wann", "Wer")) else "And on Sundays?"
    for said in (case.obeyed, f"{follow_up} {case.obeyed}", f"{follow_up} ({title})", follow_up, ""):
        server.script = [said]
        turn = await ask(wiki, follow_up, case.space, history)
        assert not case.shown_of_it(turn.question.intent_explicit)
        assert not any(case.shown_of_it(text) for call in turn.trace.calls[:1] for text in _texts(call.prompt))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_page_without_the_attack_is_answered_by_the_model(
    wiki: Application, server: ScriptedModel, case: Case
) -> None:
    server.script = [f"{case.truth} [1]"]
    streamed: list[str] = []
    turn = await ask(wiki, case.question, case.clean_space, on_text=streamed.append)
    assert turn.answer.text == f"{case.truth} [1]"
    assert turn.trace.notices == ()
    assert streamed[-1] == turn.answer.text
