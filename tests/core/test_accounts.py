"""The accounts file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.accounts import parse_accounts

TENANT, OBJECT = "72F988BF-86f1-41af-91ab-2d7cd011db47", "8f2c1f0e-5a55-4c1e-9d0a-3b9a3f1f2e11"


def test_each_line_names_a_chat_user_and_an_account() -> None:
    read = parse_accounts(
        f"chat user,account\n# Bell ringers\n\nslack:T1:U1, 557058:ab-cd\n"
        f'slack:T1:U2,"Lovelace, Ada"\nteams:{TENANT}:{OBJECT.upper()},jsmith\n'
    )
    assert read.errors == ()
    assert read.of == {
        "slack:T1:U1": {"557058:ab-cd"},
        "slack:T1:U2": {"Lovelace, Ada"},
        f"teams:{TENANT.lower()}:{OBJECT}": {"jsmith"},
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("slack:T1:U1;ada", "no semicolon"),
        ("slack:T1:U1\tada", "no semicolon or tab"),
        ("slack:T1:U1,ada,ben", "two columns"),
        ("slak:T1:U1,ada", '"slak:T1:U1" is no chat user. Write slack:TEAM:USER'),
        ("slack:T1,ada", "is no chat user"),
        ("slack:t1:u1,ada", "is no chat user"),
        ("teams:contoso:jsmith,ada", "the two ids of Entra"),
        ("ada@example.org,ada", "is no chat user"),
        ("slack:T1:U1,", "no account after the comma"),
        ("slack:T1:U1,a\x00da", "no account after the comma"),
        ('slack:T1:U1,"ada', "two columns"),
    ],
)
def test_a_line_in_error_is_named_and_the_others_hold(line: str, said: str) -> None:
    read = parse_accounts(f"slack:T1:U8,cam\n{line}\nslack:T1:U9,dot\n")
    (error,) = read.errors
    assert error.startswith("line 2: ")
    assert said in error
    assert (read.of["slack:T1:U8"], read.of["slack:T1:U9"]) == ({"cam"}, {"dot"})
    assert not read.of.get("slack:T1:U1")


def test_a_person_whose_line_lacks_the_account_is_given_none_rather_than_looked_up() -> None:
    assert parse_accounts("slack:T1:U1,").of == {"slack:T1:U1": frozenset()}


@pytest.mark.parametrize("third", ["ada", "ben", "cam", ""])
def test_two_accounts_for_one_person_are_none(third: str) -> None:
    read = parse_accounts(f"slack:T1:U1,ada\nslack:T1:U1,ben\nslack:T1:U1,{third}")
    assert read.of == {"slack:T1:U1": frozenset()}
    assert "line 2: slack:T1:U1 has another account in line 1. Keep one of the two." in read.errors


def test_the_same_line_twice_is_no_contradiction() -> None:
    read = parse_accounts("slack:T1:U1,ada\nslack:T1:U1, ada")
    assert (read.of, read.errors) == ({"slack:T1:U1": {"ada"}}, ())


@given(st.lists(st.sampled_from(["slack:T1:U1", "slack:T1:U2", "x", "", ",", "ada", '"', "#", ";"])).map(",".join))
def test_whatever_the_line_at_most_one_account_is_given(line: str) -> None:
    read = parse_accounts(f"{line}\n{line}")
    assert all(len(accounts) <= 1 for accounts in read.of.values())


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse_accounts(text)
