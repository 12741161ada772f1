"""Yes-or-no questions about the state of one thing, which a column of states has."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

VENDORS = write_table(
    ("Vendor", "Service", "Status"),
    ("Cloudframe", "Hosting", "approved"),
    ("Papertrace", "Log archive", "under review"),
    ("Oldbyte", "Tape backup", "rejected"),
    ("Signwell", "E-signature", "approved with conditions"),
    ("Bitparcel", "CDN", ""),
)
SERVERS = write_table(
    ("Name", "In Betrieb seit", "Status"),
    ("ol-file-01", "11.09.2016", "abgeschaltet"),
    ("hb-db-01", "20.06.2021", "aktiv"),
    ("ol-bak-01", "03.05.2017", "wird abgelöst"),
)
STEPS = write_table(
    ("Step", "Status"), ("Order badge", "done"), ("Security training", "open"), ("Assign buddy", "in progress")
)


def answer(question: str, content: str, title: str) -> tuple[str, bool | None]:
    found = compute(question, evidences(content, title))
    return (found.answer.text.partition("\n")[0], found.result.verdict) if found else ("", None)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("is cloudframe approved?", ("Yes – Status: approved", True)),
        ("Is Papertrace approved yet?", ("No – Status: under review", False)),
        ("is oldbyte approved", ("No – Status: rejected", False)),
        ("is oldbyte rejected", ("Yes – Status: rejected", True)),
        ("is papertrace rejected", ("No – Status: under review", False)),
        ("is signwell approved", ("Status: approved with conditions", None)),
        ("is bitparcel approved", ("", None)),
        ("is mailvane approved", ("", None)),
    ],
)
def test_the_state_of_the_named_row_decides(question: str, found: tuple[str, bool | None]) -> None:
    assert answer(question, VENDORS, "Vendor overview") == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("ist hb-db-01 aktiv", ("Ja – Status: aktiv", True)),
        ("ist ol-file-01 noch in betrieb?", ("Nein – Status: abgeschaltet", False)),
        ("ist hb-db-01 in betrieb?", ("Ja – Status: aktiv", True)),
        ("ist ol-bak-01 aktiv", ("Status: wird abgelöst", None)),
    ],
)
def test_other_words_for_a_state_count(question: str, found: tuple[str, bool | None]) -> None:
    assert answer(question, SERVERS, "Serverliste") == found


CHANGES = write_table(
    ("CR", "Title", "Approved by", "Status"),
    ("CR-89", "Move mail server", "", "in review"),
    ("CR-90", "Upgrade database", "Kemal", "approved"),
    ("CR-91", "New rules", "Kemal", "released"),
)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("is cr-89 approved", ("No – Status: in review", False)),
        ("is cr-90 approved", ("Yes – Status: approved", True)),
        ("is cr-91 planned", ("Status: released", None)),
    ],
)
def test_a_header_in_the_name_of_a_row_is_not_what_is_asked(question: str, found: tuple[str, bool | None]) -> None:
    assert answer(question, CHANGES, "Change requests") == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("is the security training done?", ("No – Status: open", False)),
        ("is the security training still open", ("Yes – Status: open", True)),
        ("is assign buddy open", ("Status: in progress", None)),
        ("is the badge done", ("Yes – Status: done", True)),
    ],
)
def test_a_state_that_may_be_the_same_gives_no_verdict(question: str, found: tuple[str, bool | None]) -> None:
    assert answer(question, STEPS, "Onboarding checklist") == found
