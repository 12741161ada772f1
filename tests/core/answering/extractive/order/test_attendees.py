"""The text that says who took part."""

from dataclasses import replace

import pytest

from core.answering.extractive.order.attendees import put_attendees_first
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked


@pytest.mark.parametrize(
    ("question", "attendees", "is_first"),
    [
        ("Who was at the service meeting?", evidence("Present: Ann Lee, Bo Hall"), True),
        ("Wer hat an der Runde teilgenommen?", evidence("Ann Lee, Bo Hall", heading="Teilnehmer"), True),
        ("Who was at the service meeting?", evidence("Excused: Ann Lee"), False),
        ("Who wrote about the service meeting?", evidence("Present: Ann Lee, Bo Hall"), False),
        ("Who was at the service meeting?", evidence("Present: Ann Lee", page_id="2"), False),
    ],
)
def test_attendees_come_first_if_they_are_asked_for(question: str, attendees: Evidence, is_first: bool) -> None:
    found = ranked(evidence("Next meeting: Lyon joins by Teams."), attendees)
    units = [replace(chosen(each, 0)[0], score=score) for each, score in zip(found, (0.8, 0.5), strict=True)]
    assert (put_attendees_first(find_focus(question), units)[0] is units[1]) is is_first


def test_a_line_among_the_attendees_stays_first() -> None:
    [found] = ranked(evidence("Present:", "Ann Lee; Acme", "Bo Hall; Orrin"))
    units = [replace(chosen(found, index)[0], score=score) for index, score in ((2, 0.8), (0, 0.5))]
    assert put_attendees_first(find_focus("Who of Orrin was at the service meeting?"), units) == units
