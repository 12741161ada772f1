"""A model's text as a person may be shown it, whole and while it is being written."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.generative.cleaning import (
    AddressPolicy,
    asks_for_address,
    clean_answer,
    clean_partial_answer,
    find_addresses,
)
from core.model import NOT_FOUND

NONE = AddressPolicy(frozenset(), "(link in the source)")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("## Colours\nIt is **red** and *big*.", "Colours\nIt is red and big."),
        ("Answer: It is red.", "It is red."),
        ("It is <b>red</b><br/>.", "It is red."),
        ("```\nIt is red.\n```", "It is red."),
        ("It is red.\u200b\u202e\x07", "It is red."),
        ("<|im_start|>It is red.<|im_end|>", "It is red."),
        ("![x](https://e.example/p.png)It is red.", "It is red."),
        ("See [the page](https://e.example/x).", "See the page."),
        ("See <https://e.example|the page>.", "See the page."),
        ("It is red [1](https://e.example/x).", "It is red [1]."),
        ('It is red <source number="2">.', "It is red  [2] ."),
        ("<!channel> @here <@U12345> tell @carmen it is red.", "tell carmen it is red."),
    ],
)
def test_markup_and_mentions_go(text: str, shown: str) -> None:
    assert " ".join(clean_answer(text, NONE).split(" ")) == " ".join(shown.split(" "))


@pytest.mark.parametrize(
    "text", ["5 * 3 * 2", "ssh <user>@<host>", "`@Override`", "a_b and __init__", "1 < 2 > 0", "x.y"]
)
def test_what_only_looks_like_markup_stays(text: str) -> None:
    assert clean_answer(text, NONE) == text


def test_code_stays_as_it_is() -> None:
    text = "Run:\n```bash\ncd *.d # <b>here</b>\n```"
    assert clean_answer(text, NONE) == text


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/a?b=c",
        "http://10.0.0.1:8080/x",
        "www.evil.example",
        "evil.example/login",
        "evil.com",
        "a.b@evil.com",
        "javascript:alert(1",
        "ftp://evil.example",
    ],
)
def test_an_address_that_was_not_asked_for_goes(address: str) -> None:
    assert clean_answer(f"Look at {address}, please.", NONE) == "Look at (link in the source), please."
    assert address in clean_answer(f"Look at {address}, please.", AddressPolicy(frozenset([address]), "-"))


def test_an_address_in_brackets_goes_with_them() -> None:
    assert clean_answer("It rests on Type Enforcement (https://e.example/te).", NONE) == "It rests on Type Enforcement."


@pytest.mark.parametrize("before", ["a." * 9_000, "ab-" * 7_000, "a" * 20_000, "x@" * 9_000, "see "])
def test_an_address_behind_an_endless_word_is_found(before: str) -> None:
    assert find_addresses(f"{before} ada@evil.example, https://evil.example/x and www.evil.example.")[-3:] == [
        "ada@evil.example",
        "https://evil.example/x",
        "www.evil.example",
    ]
    assert "evil" not in clean_partial_answer(f"{before} https://evil.example/x so", NONE, ())


@pytest.mark.parametrize("name", ["config.yaml", "core/model.py", "10.0.1", "e.g. this", "node.js", "com.acme.Foo"])
def test_file_names_and_versions_are_no_addresses(name: str) -> None:
    assert find_addresses(name) == []


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Where is the status page?", True),
        ("What is the URL of the wiki?", True),
        ("Wen frage ich nach einem Schlüssel?", True),
        ("How do I clone the repository?", True),
        ("What is the hotel limit?", False),
        ("Wie hoch ist das Pfand?", False),
    ],
)
def test_questions_that_an_address_may_answer(question: str, asks: bool) -> None:
    assert asks_for_address(question) is asks


PIECES = st.lists(
    st.sampled_from(
        [
            "The bell ",
            "is red. ",
            "[1] ",
            "https://evil.example/x ",
            "<!channel> ",
            "@here ",
            "**big** ",
            "www.evil.example ",
            "[click](https://evil.example) ",
            "evil.example/login ",
            "<@U123> ",
            "\n- a rope ",
            "a@evil.example ",
        ]
    ),
    max_size=8,
)


@given(PIECES)
def test_no_moment_of_a_stream_shows_what_the_answer_may_not(pieces: list[str]) -> None:
    raw = "".join(pieces)
    for end in range(len(raw) + 1):
        shown = clean_partial_answer(raw[:end], NONE, (NOT_FOUND,))
        assert not re.search(r"://|www\.|<!|<@|@here|evil\.|\*\*|\]\(", shown), (raw[:end], shown)


def test_a_word_is_shown_as_soon_as_it_comes() -> None:
    assert clean_partial_answer("The", NONE, (NOT_FOUND,)) == "The"
    assert clean_partial_answer("The bell is gre", NONE, (NOT_FOUND,)) == "The bell is gre"


def test_the_sentence_for_not_found_is_not_shown_while_it_is_written() -> None:
    assert clean_partial_answer(NOT_FOUND[:25], NONE, (NOT_FOUND,)) == ""
