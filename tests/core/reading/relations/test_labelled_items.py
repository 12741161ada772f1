"""Lists whose items have labelled values nested in them."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences


def write_list(**teams: tuple[str, ...]) -> str:
    nested = {name.replace("_", " "): "".join(f"<li>{each}</li>" for each in own) for name, own in teams.items()}
    items = "".join(f"<li>{name}<ul>{own}</ul></li>" for name, own in nested.items())
    return f"<ul>{items}</ul>"


TEAMS = write_list(
    Rolling_stock=("Owner: Arjun Mehra", "Channel: #rolling-stock", "Standby: weekdays"),
    Customer_care=("Owner: Mara Stone", "Channel: #care", "Standby: none"),
    Infrastructure=("Owner: Lucie Bramall", "Channel: #tracks", "Standby: daily", "Lead time: 3 days"),
)


def answer(question: str, content: str = TEAMS) -> str:
    found = compute(question, evidences(content, "Teams and duties"))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("who owns customer care", "Mara Stone"),
        ("channel of infrastructure", "Infrastructure, Channel: #tracks"),
        ("which teams have a daily standby", "1 of 3 entries in “Teams and duties” matches Standby: daily:"),
        ("how many teams are there", "3 entries in “Teams and duties”:"),
    ],
)
def test_labels_are_columns(question: str, line: str) -> None:
    assert answer(question).partition("\n")[0] == line


def test_the_item_is_cited_with_its_values() -> None:
    found = compute("who owns customer care", evidences(TEAMS, "Teams and duties"))
    assert found
    assert "- Customer care · Owner: Mara Stone · Channel: #care" in found.answer.text
    [citation] = found.answer.citations
    assert "Customer care" in citation.quote
    assert "Owner: Mara Stone" in citation.quote


def test_nested_items_without_labels_stay_a_list() -> None:
    content = write_list(Gardens=("Order seeds", "Note: in March"), Roofs=("Check slates",))
    assert " of 2 entries" not in answer("which teams check slates", content)


def test_a_list_with_two_values_of_one_label_stays_a_list() -> None:
    items = "".join(
        f"<li>{team}<ul><li>Member: {one}</li><li>Member: {other}</li></ul></li>"
        for team, one, other in (("Customer care", "Ada Lind", "Ben Roth"), ("Billing", "Cem Kaya", "Dora Fink"))
    )
    found = compute("Who is the member of customer care?", evidences(f"<ul>{items}</ul>", "Teams"))
    assert not (found and found.answer.text.startswith("Ben Roth"))
