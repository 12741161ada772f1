"""Initials of rows and items, which people type for their names."""

from __future__ import annotations

import pytest

from core.reading.plans.initials import expand_initials
from tests.core.reading.tables import compute, evidences

PLANS = """<table><tr><th>Feature</th><th>Team</th><th>Business</th></tr>
<tr><td>Single sign-on</td><td>no</td><td>yes</td></tr><tr><td>Audit log</td><td>yes</td><td>yes</td></tr>
<tr><td>Data loss prevention</td><td>yes</td><td>no</td></tr>
<tr><td>Branch office cabling</td><td>no</td><td>no</td></tr><tr><td>Big oak crate</td><td>no</td><td>no</td></tr>
</table><p>Ask the DPO, or run quill login --sso first.</p>
<ul><li>Data protection officer</li><li>Büro am Turm</li></ul>"""


@pytest.mark.parametrize(
    ("question", "expanded"),
    [
        ("is sso in the business plan", "is Single sign-on in the business plan"),
        ("Hat der Tarif Business SSO?", "Hat der Tarif Business Single sign-on?"),
        ("does team include DLP", "does team include Data loss prevention"),
        ("wer sitzt im bat", "wer sitzt im Büro am Turm"),
        ("who is the dpo", "who is the dpo"),  # the page has the letters
        ("who needs a boc", "who needs a boc"),  # two names
        ("is ssos in the plan", "is ssos in the plan"),
        ("is al in the team plan", "is al in the team plan"),  # two letters may be anything
    ],
)
def test_the_initials_of_one_name_that_no_text_has_are_the_name(question: str, expanded: str) -> None:
    assert expand_initials(question, evidences(PLANS, "Plans compared")) == expanded


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("is sso in the business plan", "Yes – Business: yes"),
        ("is DLP in the business plan", "No – Business: no"),
        ("which plans include sso", "1 of 5 entries in “Plans compared” matches Feature: Single sign-on:"),
    ],
)
def test_rows_are_found_by_the_initials_of_their_names(question: str, first: str) -> None:
    found = compute(question, evidences(PLANS, "Plans compared"))
    assert found
    assert found.answer.text.split("\n")[0].startswith(first)
