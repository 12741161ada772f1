"""When a text that names a person comes first."""

from dataclasses import replace

import pytest

from core.answering.extractive.order.persons import put_persons_first
from core.answering.extractive.units import ScoredUnit
from core.model import NamedPerson
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked

OWNER = replace(evidence("Owner: kim", title="Pumps"), people=(NamedPerson("userkey:1", "kim"),))


def _list_first(question: str, *texts: str) -> str:
    found = ranked(*(evidence(text, page_id=str(number)) for number, text in enumerate(texts)), OWNER)
    units: list[ScoredUnit] = [
        replace(chosen(each, 0)[0], score=0.9 - 0.02 * at) for at, each in enumerate(found[: len(texts)])
    ]
    return put_persons_first(find_focus(question), units, found)[0].text


@pytest.mark.parametrize(
    ("question", "texts", "first"),
    [
        ("Who decided that?", ("We chose Kafka.", "Deciders: Mara Lind"), 1),
        ("Who decided that?", ("We chose Kafka.", "NATS is young.", "Ask kim for it"), 2),
        ("Wer leitet das?", ("Anhänge sind größer.", "Projektleiterin ist Femke Jansen."), 1),
        ("Who approves trips?", ("The team lead approves trips.", "Trips: see Mara Lind."), 0),  # a role is a person
        ("Who wrote it?", ("Nobody had written it down.", "Author: Mara Lind"), 1),
        ("Who is against it?", ("No GraphQL.", "In May kim is against it."), 1),
        ("When is it decided?", ("We choose in May.", "Deciders: Mara Lind"), 0),
        ("Who pays for my chair?", ("You get a chair.", "Ask Mara Lind for a form."), 0),  # says nothing of a chair
        ("Wer leitet das?", ("Es ist groß.", "Die Anhänge sind größer."), 0),  # an article is no first name
    ],
)
def test_a_text_with_a_person_comes_first_if_the_best_has_none(
    question: str, texts: tuple[str, ...], first: int
) -> None:
    assert _list_first(question, *texts) == texts[first]
