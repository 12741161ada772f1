"""Keys of chat users, and comparison of e-mail addresses."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model import Person, normalize_email

LOCAL = st.text(string.ascii_letters + string.digits + ".+-_", min_size=1)


def test_a_person_s_key_is_the_one_of_the_file() -> None:
    assert Person("slack", "T1", "U1").key == "slack:T1:U1"
    assert Person("teams", "AB-1", "CD-2").key == "teams:ab-1:cd-2"


@given(name=LOCAL, domain=LOCAL)
def test_an_address_is_the_same_in_capitals(name: str, domain: str) -> None:
    address = f"{name}@{domain}"
    assert normalize_email(address) == normalize_email(f" {address.upper()} ") == address.lower()


@pytest.mark.parametrize("lookalike", ["\u212a", "\u0130", "\u017f", "ß", "ﬀ"])
def test_no_other_letter_becomes_a_plain_one(lookalike: str) -> None:
    plain = normalize_email("kissff@example.org")
    assert normalize_email(f"{lookalike}issff@example.org") != plain
    assert normalize_email(lookalike + "@example.org") not in {
        normalize_email(f"{letter}@example.org") for letter in "kisf"
    }


@pytest.mark.parametrize("nothing", [None, "", " ", "ada", "@example.org", "ada@", "@", "a b@example.org", "a\n@b"])
def test_what_is_no_address_equals_none(nothing: str | None) -> None:
    assert normalize_email(nothing) == ""
