"""Enumerations in running text, when a question asks for several things."""

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.selection import select_quotations
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence, RankedEvidence
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked


def paragraphs(*lines: str, ordinal: int = 1) -> Evidence:
    return replace(evidence(*lines, ordinal=ordinal, heading="Striking"), text="\n".join(lines))


def show(question: str, best: str, *found: Evidence, fitting: tuple[str, ...] = ()) -> list[str]:
    """What is shown if these texts fit, ``best`` better than the others."""
    units = [
        ScoredUnit(each, index, text, 1.0 if text == best else 0.95, word_share=1.0, missing_weight=0.0)
        for each in ranked(*found)
        for index, text in enumerate(each.evidence.parts)
        if text in {best, *fitting}
    ]
    quotations = select_quotations(find_focus(question), sorted(units, key=lambda unit: -unit.score), ranked(*found))
    return [quotation.text for quotation in quotations]


FILLER = "It has been so since the first clock left the workshop in Utrecht, and every tower keeper relies on it. " * 2
LEAD = "Three things move the hammer."
ORDINALS = [f"Firstly the cam turns. {FILLER}", f"Second the lever rises. {FILLER}", "Lastly the spring pulls."]


@pytest.mark.parametrize(
    "question",
    ["What are the things that move the hammer?", "How many things move the hammer?", "Was sind die Hämmer?"],
)
def test_an_announced_enumeration_is_quoted_to_its_end(question: str) -> None:
    shown = show(question, LEAD, evidence(LEAD, *ORDINALS, heading="Striking"))
    assert shown == [" ".join((LEAD, *ORDINALS))]


def test_of_long_items_the_first_sentences_are_quoted() -> None:
    parts = [
        LEAD,
        "Firstly the cam turns.",
        FILLER * 4,
        "Second the lever rises.",
        FILLER * 4,
        "Lastly the spring pulls.",
    ]
    assert show("What are the things?", LEAD, evidence(*parts, heading="Striking")) == [
        f"{LEAD} Firstly the cam turns. … Second the lever rises. … Lastly the spring pulls."
    ]


def test_paragraphs_that_begin_with_paths_are_an_enumeration_also_across_evidences() -> None:
    first = paragraphs("The clock reads these folders:", "/towers One file per tower.", "/bells Recordings.")
    second = paragraphs("/logs What struck.", "Other folders are empty.", ordinal=2)
    assert show("How many folders are there?", "The clock reads these folders:", first, second) == [
        "The clock reads these folders:\n/towers One file per tower.\n/bells Recordings.",
        "/logs What struck.",
    ]


STEPS = ["4.1) Set the clock.", "a) Open the lid.", "b) Turn the key.", "4.2) Test the bell.", "4.3) Test the light."]


def test_of_several_items_that_fit_all_are_quoted_without_what_is_below_them() -> None:
    shown = show("Which tests are there?", STEPS[3], paragraphs(*STEPS), fitting=(STEPS[4],))
    assert shown == ["4.1) Set the clock.\n… 4.2) Test the bell.\n4.3) Test the light."]


def test_how_to_do_one_thing_is_answered_by_its_steps() -> None:
    shown = show("How do I set the clock?", STEPS[0], paragraphs(*STEPS), fitting=(STEPS[3], STEPS[4]))
    assert shown == ["4.1) Set the clock.\na) Open the lid.\nb) Turn the key."]


def test_lists_below_the_items_are_quoted_with_them() -> None:
    first = paragraphs("(A) Bells:", ordinal=1)
    bells = evidence("- Trude", "- Lotte", kind="list", ordinal=2, heading="Striking", before="(A) Bells:")
    second = paragraphs("(B) Clocks", ordinal=3)
    shown = show("What are the points of striking?", "- Trude", bells, first, second)
    assert shown == ["(A) Bells:", "- Trude\n- Lotte", "(B) Clocks"]


def test_a_question_about_one_thing_gets_the_sentence_and_what_follows() -> None:
    shown = show("Does the cam turn?", "Firstly the cam turns.", evidence("Firstly the cam turns.", *ORDINALS[1:]))
    assert shown[0].startswith("Firstly the cam turns. Second the lever rises.")


def test_what_is_numbered_from_anew_is_another_enumeration() -> None:
    lines = ["1) Wash.", "2) Dry.", "Later the same day:", "1) Oil.", "2) Wind."]
    assert show("Which steps are last?", "1) Oil.", paragraphs(*lines), fitting=("2) Wind.",)) == ["1) Oil.\n2) Wind."]


def test_a_single_numbered_line_is_none() -> None:
    found: list[RankedEvidence] = ranked(paragraphs("1) Wash.", "The rest is up to you."))
    assert found[0].evidence.parts[0] in show("Which steps are there?", "1) Wash.", found[0].evidence)[0]
