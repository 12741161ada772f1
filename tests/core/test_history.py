"""The history of a question: of a thread and of stored turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.history import (
    History,
    build_thread_history,
    find_pages,
    hide_words,
    list_messages,
    make_sort_key,
    select_visible,
)
from core.model import (
    Answer,
    Author,
    ClosestUnit,
    Context,
    Evidence,
    HistoryMessage,
    Question,
    RankedEvidence,
    Scope,
    Suggestion,
    Turn,
)
from core.ports.chat import ThreadMessage
from tests.contracts.examples import add_provenance, indexed_page, turn


def turn_on(question: str, answer: str, *titles: str) -> Turn:
    found = tuple(
        RankedEvidence(Evidence("e", "7", "E", "passage", 0, "t", Context(title), ""), rank, 1.0)
        for rank, title in enumerate(titles, start=1)
    )
    return Turn(
        "t",
        "c",
        "2026-01-01T00:00:00+00:00",
        Question(question, f"{question} made explicit"),
        found,
        Answer(answer, True),
        Scope(),
        {},
        {},
    )


def test_turns_give_what_was_asked_and_said_with_the_page_it_was_found_on() -> None:
    assert list_messages([turn_on("Who?", "Alice.", "Team", "Other"), turn_on("Why?", "Not found.")]) == [
        HistoryMessage("user", "Who?"),
        HistoryMessage("assistant", "Alice.", subject="Team"),
        HistoryMessage("user", "Why?"),
        HistoryMessage("assistant", "Not found."),
    ]


NAMES = {"U1": "Ada", "U2": "Ben"}
PAGE = indexed_page("7", ("Ann approves travel.",))


def made(question: str, answer: str, scope: Scope | None = None, turn_id: str = "t") -> Turn:
    other = turn(turn_id=turn_id, used=(PAGE,), cited=(PAGE,), answer=answer, scope=scope or Scope())
    return replace(other, question=Question(question, question))


def said(at: int, text: str, user: str = "U1", name: str = "") -> ThreadMessage:
    return ThreadMessage(f"{at}.000001", user, name, text)


def by_words(text: str) -> int:
    return len(text.split())


texts = st.text("ab ", min_size=1, max_size=40).filter(str.strip)


@st.composite
def threads(draw: st.DrawFn) -> tuple[list[ThreadMessage], dict[str, Turn]]:
    """Messages of which some are answered, and answers to what no message asked; each text is of one place alone."""
    messages: list[ThreadMessage] = []
    turns: dict[str, Turn] = {}
    for at in range(1, draw(st.integers(1, 12)) + 1):
        kind = draw(st.sampled_from(["said", "asked", "button"]))
        text = f"m{at} {draw(texts)}"
        if kind != "button":
            messages.append(said(at, text, draw(st.sampled_from(["U1", "U2", "U3"]))))
        if kind != "said":
            turns[f"{at}.000001"] = made(text, f"a{at} {draw(texts)}")
    return messages, turns


def places(history: Sequence[HistoryMessage]) -> list[int]:
    return [int(message.text.split()[0][1:]) for message in history]


@given(threads(), st.integers(0, 120))
def test_the_first_is_always_there_and_of_the_others_the_newest_that_fit(
    thread: tuple[list[ThreadMessage], dict[str, Turn]], budget: int
) -> None:
    messages, turns = thread
    whole = build_thread_history(messages, turns, NAMES, by_words, 10**9).messages
    history = build_thread_history(messages, turns, NAMES, by_words, budget).messages
    kept = sorted(set(places(history)))
    every = sorted(set(places(whole)))
    assert kept[0] == every[0]
    assert kept[1:] == every[len(every) - len(kept) + 1 :]
    cost = {place: sum(by_words(m.text) + by_words(m.name) for m in whole if places([m]) == [place]) for place in every}
    assert len(kept) == 1 or sum(cost[place] for place in kept) <= budget
    if len(kept) < len(every):
        assert sum(cost[place] for place in kept) + cost[every[-len(kept)]] > budget


@given(threads(), st.randoms())
def test_it_is_in_the_order_of_ids_each_answer_after_its_question(
    thread: tuple[list[ThreadMessage], dict[str, Turn]], random: object
) -> None:
    messages, turns = thread
    history = build_thread_history(messages, turns, NAMES, by_words, 10**9).messages
    assert places(history) == sorted(places(history))
    for before, after in zip([None, *history], history, strict=False):
        if after.role == "assistant":
            assert before is not None
            assert before.role == "user"
            assert places([before]) == places([after])
    shuffled = list(messages)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert build_thread_history(shuffled, turns, NAMES, by_words, 10**9).messages == history


def test_people_have_their_names_as_far_as_they_are_known() -> None:
    messages = [said(1, "one"), said(2, "two", "U9", "Cam"), said(3, "three", "U8")]
    names = [message.name for message in build_thread_history(messages, {}, NAMES, by_words).messages]
    assert names == ["Ada", "Cam", ""]


def test_an_edited_question_is_understood_by_its_new_words_and_the_answer_stays() -> None:
    history = build_thread_history(
        [said(1, "new words")], {"1.000001": made("old words", "the answer")}, NAMES, by_words
    ).messages
    assert [(message.role, message.text) for message in history] == [
        ("user", "new words"),
        ("assistant", "the answer"),
    ]
    assert history[1].subject == "Title of 7"


def test_an_answer_keeps_the_first_page_and_the_one_that_it_cites_if_that_is_another() -> None:
    """The subject is the first page, unless all that was shown is of the other one."""
    first, other = PAGE, indexed_page("8")
    for cited, titles in (
        ((first,), ("Title of 7", "")),
        ((other,), ("Title of 8", "Title of 7")),
        ((other, first), ("Title of 7", "Title of 8")),
    ):
        _, answer = list_messages([turn(used=(first, other), cited=cited)])
        assert (answer.subject, answer.cited) == titles
    _, answer = list_messages([turn(used=(first, other))])
    assert (answer.subject, answer.cited) == ("Title of 7", "")


def test_what_a_button_asked_stands_where_it_was_answered() -> None:
    turns = {"2.000001": made("pressed", "the answer")}
    history = build_thread_history([said(1, "one"), said(3, "three")], turns, NAMES, by_words).messages
    assert [message.text for message in history] == ["one", "pressed", "the answer", "three"]


def test_very_long_messages_are_cut() -> None:
    history = build_thread_history([said(1, "x" * 9000)], {"1.000001": made("q", "y" * 9000)}, NAMES, len).messages
    assert [len(message.text) for message in history] == [2000, 2000]


def test_a_thread_in_which_nothing_was_said_has_no_history() -> None:
    assert build_thread_history([], {}, NAMES, by_words) == History()


def test_the_page_parts_of_a_history_are_those_of_its_messages() -> None:
    """The second exchange does not fit. What the others were asked with is a source only if their texts may have it."""
    used = {at: indexed_page(str(at), (f"text {at}",)) for at in (1, 2, 3, 4)}
    turns = {f"{at}.000001": turn(f"t{at}", used=(page,), answer=f"text {at}") for at, page in used.items()}
    turns["2.000001"] = replace(turns["2.000001"], answer=Answer("long " * 99, True))
    turns["1.000001"] = add_provenance(turns["1.000001"], history=("of a wiki's answer",), suggestion=("asked",))
    by_model = replace(turns["3.000001"], answer=Answer("text 3", True, author=Author.MODEL))
    turns["3.000001"] = add_provenance(by_model, history=("of a model's answer",))
    as_asked = replace(turns["4.000001"], question=Question("q", "q"), answer=by_model.answer)
    turns["4.000001"] = add_provenance(as_asked, history=("of a complete question",))
    history = build_thread_history([], turns, NAMES, by_words, 60)
    assert {part.page_id for part in history.page_parts} == {"1", "asked", "3", "of a model's answer", "4"}


sources = st.frozensets(st.sampled_from(["1", "2", "3"])).map(tuple)


@given(sources, sources, st.frozensets(st.sampled_from(["1", "2", "3"])), st.booleans(), st.sampled_from(Author))
def test_words_that_may_not_be_shown_now_are_hidden(
    history: tuple[str, ...], suggestion: tuple[str, ...], visible: frozenset[str], completed: bool, author: Author
) -> None:
    asked = " ".join(["Why?", *(f"asked{page}" for page in suggestion)])
    explicit = " ".join([asked, *(f"completed{page}" for page in history)]) if completed else asked
    told = replace(
        turn("t", used=(PAGE,)),
        question=Question(asked, explicit),
        answer=Answer(explicit if author is Author.MODEL else "An answer.", True, author=author),
        suggestions=(Suggestion(" ".join([explicit, *(f"completed{page}" for page in history)]), "7-0"),),
    )
    told = add_provenance(told, history, suggestion)
    shown = hide_words(told, visible)
    said = repr((shown.question.as_asked, shown.question.intent_explicit, shown.answer, shown.suggestions))
    for page in {"1", "2", "3"} - visible:
        assert f"asked{page}" not in said
        assert f"completed{page}" not in said
    assert hide_words(shown, visible) == shown
    assert find_pages([shown]) <= visible | {"7"}
    if {*history, *suggestion} <= visible:
        assert shown == told
    if {*suggestion} <= visible:
        assert shown.question.as_asked == asked


scopes = st.builds(
    Scope,
    st.one_of(st.none(), st.frozensets(st.sampled_from(["ENG", "HR", "OPS"]))),
    st.frozensets(st.sampled_from(["user:ada", "user:ben", "group:board"])),
)
pages = st.tuples(
    st.sampled_from(["ENG", "HR", "OPS"]),
    st.lists(st.frozensets(st.sampled_from(["user:ada", "user:ben", "group:board"]), min_size=1), max_size=2).map(
        tuple
    ),
)


@given(st.lists(scopes, max_size=6), scopes, pages)
def test_nothing_is_told_of_a_turn_that_could_see_a_page_which_the_asker_cannot(
    asked_with: list[Scope], scope: Scope, page: tuple[str, tuple[frozenset[str], ...]]
) -> None:
    turns = [made("q", "a", each, f"t{at}") for at, each in enumerate(asked_with)]
    for told in select_visible(turns, scope, find_pages(turns)):
        assert scope.admits(*page) or not told.scope.admits(*page)


@given(st.lists(scopes, max_size=6), scopes)
def test_turns_with_the_same_rights_or_fewer_are_told_in_their_order(asked_with: list[Scope], scope: Scope) -> None:
    turns = [made("q", "a", each, f"t{at}") for at, each in enumerate([*asked_with, scope])]
    told = select_visible(turns, scope, find_pages(turns))
    assert turns[-1] in told
    assert told == [each for each in turns if each in told]
    if scope.spaces is None:
        assert all(each in told for each in turns if each.scope.principals <= scope.principals)


@given(st.lists(st.tuples(st.integers(0, 2 * 10**9), st.integers(0, 999_999)), unique=True))
def test_slacks_ids_rise_with_time_to_the_microsecond(moments: list[tuple[int, int]]) -> None:
    ids = [f"{seconds}.{micros:06}" for seconds, micros in moments]
    assert sorted(ids, key=make_sort_key) == [f"{seconds}.{micros:06}" for seconds, micros in sorted(moments)]


@given(st.lists(st.integers(0, 10**13), unique=True))
def test_teams_ids_rise_with_time_also_where_they_have_more_digits(moments: list[int]) -> None:
    assert sorted(map(str, moments), key=make_sort_key) == [str(moment) for moment in sorted(moments)]


def test_ids_that_are_no_numbers_come_first() -> None:
    assert sorted(["2.0", "abc", "1.0"], key=make_sort_key) == ["abc", "1.0", "2.0"]


def test_an_unanswered_question_is_about_the_page_whose_text_is_shown_as_the_closest() -> None:
    first, other = PAGE, indexed_page("8")
    asked = turn(used=(first, other))
    refused = replace(
        asked,
        answer=replace(asked.answer, answered=False, citations=()),
        trace=replace(asked.trace, closest=(ClosestUnit(asked.evidences[-1].evidence.evidence_id, 0),)),
    )
    _, answer = list_messages([refused])
    assert (answer.subject, answer.cited) == ("Title of 8", "Title of 7")
    _, answer = list_messages([replace(refused, trace=replace(refused.trace, closest=()))])
    assert (answer.subject, answer.cited) == ("Title of 7", "")
