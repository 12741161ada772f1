"""Pronouns in a message with several questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.part_subjects import write_subjects


@pytest.mark.parametrize(
    ("first", "further", "written"),
    [
        ("How current is the IT policy?", "who is responsible for it?", "who is responsible for the IT policy?"),
        ("What is the hotel limit in Belgium?", "Who approves it?", "Who approves the hotel limit in Belgium?"),
        ("What does the Heron cost?", "does it play melodies?", "does the Heron play melodies?"),
        ("When does the canteen open?", "where is it?", "where is the canteen?"),
        (
            "Does the canteen in Berlin open on Fridays?",
            "what does it offer?",
            "what does the canteen in Berlin offer?",
        ),
        ("Who runs the Hamburg workshop?", "What are its hours?", "What are the Hamburg workshop’s hours?"),
        ("How do I report a lost badge?", "What does it cost?", "What does a lost badge cost?"),
        ("Where are the spare keys?", "who may use them?", "who may use the spare keys?"),
        ("When are the talks?", "What are their titles?", "What are the talks’ titles?"),
        ("Where is the backup stored?", "how old is it?", "how old is the backup?"),
        ("What is Belfry?", "who runs it?", "who runs Belfry?"),
        ("Wann öffnet die Werkstatt?", "wie groß ist sie?", "wie groß ist die Werkstatt?"),
        ("Was kostet der Heron?", "Kann er Melodien?", "Kann der Heron Melodien?"),
        ("Wo liegt der Ausweis?", "Muss ich ihn zurückgeben?", "Muss ich den Ausweis zurückgeben?"),
        ("Wie beantrage ich einen Laptop?", "Ist er leicht?", "Ist ein Laptop leicht?"),
        ("Wo ist das Handbuch für den Turm?", "wer pflegt es?", "wer pflegt das Handbuch für den Turm?"),
    ],
)
def test_the_name_takes_the_place_of_the_pronoun(first: str, further: str, written: str) -> None:
    assert write_subjects([first, further]) == (first, written)
    assert write_subjects([first, "Who says so?", further])[2] == written


@pytest.mark.parametrize(
    ("first", "further"),
    [
        ("What is the dress code?", "Is it possible to work from home?"),
        ("How do I reset the controller?", "how long does it take?"),
        ("Does it have a lamp?", "since when is it sold?"),  # what both ask about was named before
        ("Where are the spare keys?", "who has it?"),
        ("Where is the spare key?", "who has them?"),
        ("Who approves travel?", "where is it?"),
        ("How do I get access to Jira?", "who approves it?"),
        ("Does Jira have an API?", "how do I call it?"),
        ("Does the company offer bike leasing?", "how does it work?"),
        ("Did the customer sign the contract?", "where is it stored?"),
        ("Where did Anna put the key?", "who needs it?"),
        ("What does HR need from me?", "when is it due?"),
        ("Is the printer on floor 3 broken?", "who can fix it?"),
        ("Who is the owner of billing?", "what is its SLA?"),
        ("Where can I park my car?", "what does it cost?"),
        ("Where is the coffee machine?", "where do I put my cup when it is dirty?"),
        ("What is the travel policy?", "is it fine to fly?"),
        ("What is the service desk?", "how do I reach it department?"),
        ("Who is Ann?", "where does she sit?"),
        ("What is the limit?", "who runs the IT-Service?"),
        ("Wer leitet das Lager?", "wie erreiche ich ihn?"),
        ("Wer pflegt die Liste?", "wo finde ich sie?"),  # the list or the person
        ("Wo ist die Liste?", "gibt es eine neue?"),
        ("Wo ist die Liste?", "wer pflegt ihn?"),
        ("Wie heißt der Chef der Abteilung?", "wo sitzt er?"),
        ("Wo ist der Schlüssel der Werkstatt?", "wer hat ihn?"),
        ("Wann kommt der Techniker wegen der Heizung?", "wie erreiche ich ihn?"),
        ("Wo ist die Kantine?", "können sie mir den Weg zeigen?"),
        ("Wo ist die Abteilung?", "was macht Frau Meyer, wenn sie krank ist?"),
        ("Wie buche ich das Zimmer?", "kann es sein, dass es voll ist?"),
    ],
)
def test_a_pronoun_for_something_else_stays(first: str, further: str) -> None:
    assert write_subjects([first, further]) == (first, further)


@given(st.lists(st.text("abcDER itseh?éß .", max_size=40), max_size=4))
def test_the_first_question_and_their_number_never_change(parts: list[str]) -> None:
    written = write_subjects(parts)
    assert len(written) == len(parts)
    assert written[:1] == tuple(parts[:1])
