"""Questions for a default in other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.wording.content_words import select_content_words
from core.wording.defaults import asks_for_default, write_default

ENGLISH = (
    "out of the box", "unless told otherwise", "unless I say otherwise", "unless otherwise configured",
    "unless someone changed it", "if I don't configure anything", "if you have not changed anything",
    "if i dont choose one", "if I set nothing", "if nothing is configured", "if nobody changed it",
    "without further configuration", "without any settings", "with no settings of my own", "if not set",
    "if nothing's configured", "if I don't configure it at all",
)  # fmt: skip
GERMAN = (
    "ab Werk", "von Haus aus", "wenn ich nichts einstelle", "wenn man nichts angibt",
    "wenn ich dazu nichts konfiguriert habe", "falls nichts eingestellt ist", "wenn man ihn nicht verstellt",
    "wenn nichts anderes festgelegt wurde", "sofern nicht anders angegeben", "ohne weitere Einstellungen",
    "ohne Angabe", "wenn nicht angegeben", "wenn ich keinen angebe", "soweit nicht anders angegeben",
)  # fmt: skip
QUESTIONS = [("How long does the bell tower ring", "by default", each) for each in ENGLISH]
QUESTIONS += [("Wie lange läutet die Glocke im Turm", "standardmäßig", each) for each in GERMAN]


@given(st.sampled_from(QUESTIONS), st.sampled_from([" ", ", "]), st.sampled_from(["?", "", "??"]))
def test_each_way_to_say_it_is_read_as_the_same_question(case: tuple[str, str, str], comma: str, end: str) -> None:
    asked, default, phrase = case
    written = write_default(f"{asked}{comma}{phrase}{end}")
    assert written == f"{asked} {default}{end}"
    assert asks_for_default(written)
    assert write_default(written) == written


@pytest.mark.parametrize(
    ("asked", "thing"),
    [
        ("Where does the tower listen if no port is given?", "port"),
        ("I start the tower and give no port, where does it listen?", "port"),
        ("Which bell rings in the tower if BELL_VOLUME is not set?", "volume"),
        ("Auf welchem Turm läutet es, wenn der Port nicht gesetzt ist?", "port"),
        ("How many bells ring in the tower if nobody changed the build", "build"),
        ("Auf welchem Port hört der Turm, wenn keine Adresse angegeben ist?", "adresse"),
        ("Wie viele Glocken läuten im Turm, wenn man -d nicht angibt?", "d"),
    ],
)
def test_what_is_not_set_is_still_part_of_the_question(asked: str, thing: str) -> None:
    written = write_default(asked)
    assert asks_for_default(written)
    assert thing in select_content_words(written)


@pytest.mark.parametrize(
    "asked",
    [
        "What happens if nothing is configured?",
        "Was passiert, wenn ich nichts einstelle?",
        "What is the default timeout if I don't set anything?",
        "Who pays if I don't give notice in time?",
        "What do I do if nobody said when the bell rings?",
        "Wer zahlt, wenn ich nicht rechtzeitig kündige?",
        "Can I retake the exam if I don't pass?",
        "Is overtime paid if it was not requested?",
        "How do I reset the printer if it doesn't turn on?",
        "When does my password expire if I do not change it?",
        "Is the vote valid if nobody was chosen?",
        "What per diem do I get if no breakfast is provided?",
        "Does my contract renew if I give no notice?",
        "Who took the keys out of the box?",
        "What is our out of the box solution for customers?",
        "How do we merge a change with no changes?",
        "How can I test the bells without changing anything in the tower?",
        "What does “unless otherwise stated” in our contracts mean?",
        "Verfällt mein Urlaub, wenn ich ihn nicht nehme?",
        "Muss man Strafe zahlen, wenn man keinen Helm trägt?",
        "Wird mein Konto gesperrt, wenn ich das Passwort nicht ändere?",
        "Wer zahlt den Schaden, wenn ich keinen Führerschein angebe?",
        "Wann fährt der Bus ab Werk Süd?",
        "Gilt der Preis der Glocke ab Werk?",
        "Darf ich ohne Angabe von Gründen kündigen?",
        "Can I leave the tower without telling anyone about it?",
        "Who rings the bell?",
    ],
)
def test_a_condition_that_is_no_default_stays(asked: str) -> None:
    assert write_default(asked) == asked
