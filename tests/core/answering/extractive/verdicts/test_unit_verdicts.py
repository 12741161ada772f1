"""Verdicts from list items, cells, headings and values of whole pages."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pytest

from core.answering.extractive.quoting.compose import compose, quote_units
from core.answering.extractive.units import ScoredUnit, list_units
from core.answering.extractive.verdicts.unit_verdicts import add_unit_verdict
from core.model import RankedEvidence
from core.ports.models import Matrix, TextInContext, WordMatches
from core.wording.focus import find_focus
from tests.core.reading.tables import evidences


class Dictionary:
    """Matches a word of a question with texts that have one of the words that it means."""

    def __init__(self, meant: Mapping[str, str]) -> None:
        self._meant = meant

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        words = tuple(question.split())
        known = [self._meant.get(word.strip("?,")) for word in words]
        scores = [[0.8 if meant and meant in text else 0.4 for meant in known] for text in texts]
        return WordMatches(words, np.full(len(words), 1 / len(words)), np.array(scores))

    async def rate_answers(self, question: str, texts: Sequence[TextInContext]) -> Matrix:
        return np.zeros(len(texts))

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        return {}


def score(found: Sequence[RankedEvidence]) -> list[ScoredUnit]:
    return [ScoredUnit(each.ranked, each.index, each.text, 1.0, 1.0, 0.0) for each in list_units(found)]


def answer(question: str, content: str, title: str = "Boat handbook", meant: Mapping[str, str] | None = None) -> str:
    """The answer to a question whose best unit is the first of the page."""
    focus = find_focus(question)
    units = [
        ScoredUnit(each.ranked, each.index, each.text, 1.0, 1.0, 0.0) for each in list_units(evidences(content, title))
    ]
    quotations = [quote_units(focus, units[:1])]
    return compose(asyncio.run(add_unit_verdict(focus, units, quotations, Dictionary(meant or {}))) or quotations).text


def verdict(said: str) -> str:
    first = said.split(" ", 1)[0]
    return first if first in {"Yes", "No", "Ja", "Nein"} else ""


# -------------------------------------------------------------------------------------------- items

LAUNCH = """<h2>Locks</h2><p>Things that should trigger a new code:</p>
<ul><li>change of the keeper</li><li>loss of a key (also a spare key)</li></ul>
<p>Things that should not trigger a new code:</p>
<ul><li>visit of a guest</li><li>service of the pump (swap the hose)</li></ul>
<h2>What we do not pay</h2><ul><li>Parking fines, even at the quay</li><li>Command line of the winch</li></ul>
<h2>What you wear</h2><ul><li>Harness above any deck of more than 2 metres</li></ul>
<p>The following items are checked:</p>
<ul><li>Rudder blade loaded at high tide</li><li>Sails, except the jib</li></ul>
<h2>Hull</h2><ul><li>Building:<ul><li>Version 6 takes about 5 days</li></ul></li></ul>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Does a visit of a guest trigger a new code?",
            "No – Things that should not trigger a new code: visit",
        ),
        (
            "Does a change of the keeper trigger a new code?",
            "Yes – Things that should trigger a new code: change",
        ),
        (
            "Does the loss of a key trigger a new code?",
            "Yes – Things that should trigger a new code: loss of",
        ),
        ("Do we pay parking fines?", "No – What we do not pay: Parking fines"),
        ("Is a harness part of what you wear?", "Yes – What you wear: Harness"),
        ("Is the rudder blade checked?", "Yes – The following items are checked: Rudder blade"),
    ],
)
def test_an_item_answers_together_with_what_introduces_its_list(question: str, said: str) -> None:
    assert answer(question, LAUNCH).startswith(said)


@pytest.mark.parametrize(
    "question",
    [
        "Does a visit of a friend trigger a new code?",
        "Does a new guest book trigger a new code?",
        "Do we pay for the winch?",  # the item is about its command line
        "Are the sails checked?",
        "Must the rudder blade be checked?",
        "Is the anchor checked?",
        "Does building version 6 of the hull take 6 days?",
    ],
)
def test_an_item_about_something_else_gives_no_verdict(question: str) -> None:
    assert not verdict(answer(question, LAUNCH))


def test_words_of_another_language_are_compared_by_meaning() -> None:
    question = "Wird beim Rudder Check auch das bei Flut geladene Blatt TX-4 geprüft?"
    meant = {"Flut": "tide", "geladene": "loaded", "Blatt": "blade", "geprüft": "checked"}
    content = "<p>The following items are checked:</p><ul><li>Rudder blade TX-4 loaded at tide</li></ul>"
    reason = "Ja – The following items are checked: Rudder blade TX-4"
    assert answer(question, content, "Rudder Check", meant).startswith(reason)
    assert not verdict(answer(question, content, "Rudder Check", {**meant, "geprüft": "sold"}))
    assert not verdict(answer(question.replace("TX-4", "TX-5"), content, "Rudder Check", {**meant, "TX-5": "TX-4"}))


# ---------------------------------------------------------------------------------- existing things

LEAVE = """<h2>Special leave</h2><table><tr><th>Occasion</th><th>Paid days</th></tr>
<tr><td>Moving house</td><td>2</td></tr><tr><td>Jubilee</td><td>no</td></tr></table>
<h2>The test tower</h2><p>It is 11 metres high.</p>
<h2>What we lack</h2><ul><li>No playground</li><li>A slipway</li></ul><ul><li>Boat to hire</li></ul>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is there special leave for moving house?", "Yes – Occasion: Moving house"),
        ("Is there a test tower?", "Yes – The test tower"),
        ("Is there special leave for adopting a child?", ""),
        ("Is there special leave for a jubilee?", "No – Occasion: Jubilee, Paid days: no"),
        ("Is there a tower for tests in Hamburg?", ""),
        ("Is there a playground?", ""),
        ("Is there a boat handbook for sails?", ""),
        ("Is there a kind of boat handbook?", ""),  # the page itself, of which every part has the title
    ],
)
def test_what_is_a_heading_or_cell_exists_and_nothing_else_is_denied(question: str, said: str) -> None:
    found = answer(question, LEAVE)
    assert found.startswith(said) if said else not verdict(found)


# -------------------------------------------------------------------------------------------- cells

BUILDS = """<h2>Build 7.x</h2><table><tr><th>Default parts</th><th>Y/N</th><th>Optional parts</th><th>Y/N</th></tr>
<tr><td>OpenSSL</td><td>Yes</td><td>LibreSSL</td><td>No</td></tr></table>
<h2>Models</h2><table><tr><th>Feature</th><th>Wren 2</th><th>Heron</th></tr>
<tr><td>Plays melodies</td><td>✗</td><td>✓</td></tr><tr><td>Strikes the hour</td><td>✓</td><td>✓</td></tr></table>
<table><tr><th>Service</th><th>Disabled</th></tr><tr><td>Mail relay</td><td>Yes</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is LibreSSL switched on in build 7.x?", "No – Optional parts: LibreSSL, Y/N: No"),
        ("Is OpenSSL enabled in build 7.x?", "Yes – Default parts: OpenSSL, Y/N: Yes"),
        ("Is LibreSSL switched off in build 7.x?", "Yes – Optional parts: LibreSSL, Y/N: No"),
        ("Does the Heron play melodies?", "Yes – Models: Feature: Plays melodies, Heron: yes"),
        ("Does the Wren 2 play melodies?", "No – Models: Feature: Plays melodies, Wren 2: no"),
        ("Does the Wren 3 play melodies?", ""),
        ("Is LibreSSL switched on in build 8.x?", ""),
        ("Is the mail relay enabled?", ""),  # "Disabled: Yes"
        ("Is LibreSSL required in build 7.x?", ""),  # an optional part
    ],
)
def test_a_yes_or_no_cell_answers_about_its_row_or_the_cells_before_it(question: str, said: str) -> None:
    found = answer(question, BUILDS)
    assert found.startswith(said) if said else not verdict(found)


def make_table(*rows: Sequence[str]) -> str:
    header, *body = rows
    written = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body)
    return f"<h2>Courts in May</h2><table><tr>{''.join(f'<th>{name}</th>' for name in header)}</tr>{written}</table>"


@pytest.mark.parametrize(
    "cell", ["– (open)", "-, open", "n/a, closed", "— done", "(open)", "open", "closed", "free", "yes", "✗", "done"]
)
@pytest.mark.parametrize(
    "question",
    [
        "can i book a court two days in a row",
        "may i book a court for two days in a row?",
        "can i be on call two weeks in a row",
        "darf ich einen Court zwei Tage am Stück buchen",
    ],
)
def test_a_row_of_which_the_question_names_no_cell_gives_no_verdict(question: str, cell: str) -> None:
    roster = make_table(("Day", "From", "Court one", "Court two"), ("4", "5 May", "Lou Hart", cell))
    assert not verdict(answer(question, roster, title="Court booking and rules, weeks on call"))


@pytest.mark.parametrize("mark", ["–", "-", "—", "n/a", "?", "TBD"])
@pytest.mark.parametrize("word", ["open", "yes", "no", "done", "closed", "offen", "nein"])
def test_a_cell_that_begins_as_blank_gives_no_verdict(mark: str, word: str) -> None:
    table = make_table(("Hut", "Heated"), ("Seeblick", f"{mark} ({word})"))
    assert not verdict(answer("Is the hut Seeblick heated?", table))


@pytest.mark.parametrize(
    ("question", "header", "cell", "said"),
    [
        ("Is the sauna open?", "Status", "Open", "Yes"),
        ("Is the sauna closed?", "Status", "Open", "No"),
        ("Is the sauna open?", "Status", "closed for now", "No"),
        ("Ist die Sauna offen?", "Status", "geschlossen", "Nein"),
        ("Is the sauna heated?", "Heated", "yes", "Yes"),
        ("Is the sauna available?", "Status", "Open", ""),
        ("Is the sauna allowed?", "Status", "Open", ""),
        ("Is the sauna in the boat handbook?", "Status", "Open", ""),
        ("Is the sauna open?", "Status", "Done", ""),
        ("Is the sauna forbidden?", "Status", "Passed", ""),
        ("Is the sauna for boats?", "Heated", "yes", ""),
        ("Is the sauna for boats?", "Tested", "✓", ""),
        ("Ist die Sauna für Boat-Gäste?", "Geheizt", "nein", ""),
    ],
)
def test_a_state_answers_only_the_question_for_it(question: str, header: str, cell: str, said: str) -> None:
    table = make_table(("Room", header), ("Sauna", cell), ("Kitchen", cell)).replace("Courts in May", "Rooms for boats")
    assert verdict(answer(question, table)) == said


# ------------------------------------------------------------------------------------------- values

MEETINGS = """<p>The monthly telephone call of the fleet is held on the third Thursday of every month at 16:00.</p>
<p>The regatta is held on Friday, 4 May.</p><p>A mooring lasts at most 6 hours and ends by itself.</p>
<p>Dues of 40 Euro are paid within 30 days.</p><p>The kiosk opens on Saturday.</p>
<p>Probation lasts two months in Utrecht and six months in Hamburg.</p>
<p>Training is repeated every 24 months.</p><p>The next drill is on 8 December 2026.</p>
<p>The crew needs four ropes and the guests need two ropes.</p><p>Fog does not last 3 days.</p>
<table><tr><th>Meeting</th><th>When</th></tr><tr><td>Crew weekly</td><td>Wednesday, 14:00</td></tr></table>
<table><tr><th>Plan</th><th>Hooks</th><th>Log</th></tr><tr><td>Town</td><td>5</td><td>13 months</td></tr>
<tr><td>Harbour</td><td>20</td><td>7 years</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is the monthly call of the fleet held on the second Thursday?", "No – The monthly telephone call"),
        ("Is the monthly call of the fleet held on the third Thursday?", "Yes – The monthly telephone call"),
        ("Is the monthly call of the fleet held on the 3rd Friday?", "No – The monthly telephone call"),
        ("Is the monthly call of the fleet held at 17:00?", "No – The monthly telephone call"),
        ("Is the monthly call of the fleet held at 4pm?", "Yes – The monthly telephone call"),
        ("Is the regatta held on Saturday?", "No – The regatta is held on Friday, 4 May."),
        ("Can a mooring last 8 hours?", "No – A mooring lasts at most 6 hours"),
        ("Are dues paid within 60 days?", "No – Dues of 40 Euro are paid within 30 days."),
        ("Are dues of 40 Euro paid within 30 days?", "Yes – Dues of 40 Euro are paid within 30 days."),
        ("Is the crew weekly on Wednesdays at 14:00?", "Yes – Crew weekly, When: Wednesday, 14:00"),
        ("Does the crew weekly take place on Thursdays?", "No – Crew weekly, When: Wednesday, 14:00"),
        ("Does probation last two months in Hamburg?", "No – Probation lasts two months in Utrecht and six"),
        ("Does probation last six months in Hamburg?", "Yes – Probation lasts two months in Utrecht and six"),
        ("Is training repeated every 12 months?", "No – Training is repeated every 24 months."),
        ("Is the next drill on 8 December?", "Yes – The next drill is on 8 December 2026."),
        ("Is the next drill on 2 February 2027?", "No – The next drill is on 8 December 2026."),
        ("Does the crew need four ropes?", "Yes – The crew needs four ropes and the guests need two ropes."),
        ("Do the guests need four ropes?", "No – The crew needs four ropes and the guests need two ropes."),
        ("Does the plan Town allow 10 hooks?", "No – Town, Hooks: 5"),
        ("Is the log of the plan Harbour 7 years?", "Yes – Harbour, Log: 7 years"),
    ],
)
def test_the_same_value_confirms_and_another_one_of_its_kind_denies(question: str, said: str) -> None:
    assert answer(question, MEETINGS).startswith(said)


@pytest.mark.parametrize(
    "question",
    [
        "Can a mooring last 4 hours?",  # at most six
        "Is the kiosk open on Sunday?",  # it may be open on both
        "Are regattas held on Mondays?",  # one of them is dated
        "Does probation last two months?",  # in one of two places
        "Does fog last 4 days?",
        "Is Friday a holiday?",
        "Does the plan Town 2 have 10 hooks?",
        "Is the call of the club held on the second Thursday?",
        "Are dues paid within 60 hours of the regatta?",
    ],
)
def test_a_value_that_may_be_one_of_several_or_is_of_something_else_gives_no_verdict(question: str) -> None:
    assert not verdict(answer(question, MEETINGS))


GERMAN = """<h2>Werft</h2><p>Das neue Schloss kostet 210 Euro.</p><p>Die Feier findet am Donnerstag in Husum statt.</p>
<p>Die Lieferzeit der Pumpe beträgt neun Wochen.</p><p>Der Kran läuft um 13:30 und um 17:00 Uhr.</p>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Kostet das neue Schloss 150 Euro?", "Nein – Das neue Schloss kostet 210 Euro."),
        ("Kostet das neue Schloss 210 Euro?", "Ja – Das neue Schloss kostet 210 Euro."),
        ("Findet die Feier am Freitag statt?", "Nein – Die Feier findet am Donnerstag"),
        ("Beträgt die Lieferzeit der Pumpe sechs Wochen?", "Nein – Die Lieferzeit der Pumpe beträgt neun Wochen."),
        ("Läuft der Kran um 15:00 Uhr?", ""),
        ("Findet die Messe am Freitag statt?", ""),
        ("Finden Sie die Feier am Freitag gut?", ""),
    ],
)
def test_german_questions_may_begin_with_their_main_verb(question: str, said: str) -> None:
    found = answer(question, GERMAN)
    assert found.startswith(said) if said else not verdict(found)


# ----------------------------------------------------------------------------------------- defaults

SETTINGS = """<h3>pump.auto</h3><p>The pump starts by itself. The default is false.</p>
<h3>pump.log</h3><p>Default is true. See the log.</p><h3>pump.limit</h3><p>The default value is 50.</p>
<h3>--trim</h3><p>Trims the sails. --trim is on by default; --reef is not enabled by default.</p>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is pump.auto enabled by default?", "No – pump.auto: The default is false."),
        ("Is pump.auto disabled by default?", "Yes – pump.auto: The default is false."),
        ("Is pump.log true by default?", "Yes – pump.log: Default is true."),
        ("Is pump.log off by default?", "No – pump.log: Default is true."),
        ("Does pump.limit default to 100?", "No – "),
        ("Does pump.limit default to 50?", "Yes – "),
        ("Is pump.lock enabled by default?", ""),
        ("Is --trim on by default?", ""),  # the sentence speaks of another setting too
    ],
)
def test_a_default_below_the_name_of_a_setting_answers(question: str, said: str) -> None:
    found = answer(question, SETTINGS)
    assert found.startswith(said) if said else not verdict(found)


DIRECTIVES = """<h3>BellProxy Directive</h3>
<table><tr><th>Description</th><td>Rings the bells of others</td></tr><tr><th>Default</th><td>BellProxy Off</td></tr>
</table><h3>BellTimeout Directive</h3><table><tr><th>Description</th><td>Time until a bell is still</td></tr>
<tr><th>Default</th><td>BellTimeout 60</td></tr></table>
<h2>Switches</h2><table><tr><th>Switch</th><th>Default</th></tr><tr><td>hum</td><td>on</td></tr>
<tr><td>buzz</td><td>not enabled</td></tr><tr><td>wait</td><td>BellProxy off</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is BellProxy on by default?", "No – "),
        ("Is BellProxy off by default?", "Yes – "),
        ("Is hum enabled by default?", "Yes – "),
        ("Is buzz enabled by default?", "No – "),
        ("Is wait on by default?", ""),  # the cell names another directive
        ("Is BellTimeout on by default?", ""),
        ("Is BellCache on by default?", ""),
    ],
)
def test_a_row_with_the_default_of_a_setting_answers(question: str, said: str) -> None:
    found = answer(question, DIRECTIVES)
    assert found.startswith(said) if said else not verdict(found)


# --------------------------------------------------------------------------------------------- sets

SETS = """<h2>Sealing</h2><p>We use the chip to seal the key against a set of PCRs P {0,1,2,3,15}. The hull does it.</p>
<p>The three canary towers (Utrecht Buurkerk, Hamburg workshop, Ghent market hall) struck the hour.</p>
<p>Some of the six piers: north, south and east, are dry.</p>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is PCR 16 one of the registers against which the hull seals the key?", "No – We use the chip"),
        ("Is PCR 15 one of the registers against which the hull seals the key?", "Yes – We use the chip"),
        ("Is the Hamburg workshop one of the canary towers?", "Yes – The three canary towers"),
        ("Is Leiden one of the canary towers?", "No – The three canary towers"),
        ("Is the Hamburg office one of the canary towers?", ""),  # perhaps the workshop
        ("Is the west one of the dry piers?", ""),  # not all six are named
        ("Is pin 16 one of the registers against which the hull seals the key?", ""),
    ],
)
def test_a_complete_set_answers_whether_something_is_in_it(question: str, said: str) -> None:
    found = answer(question, SETS)
    assert (
        found.replace("Sealing: ", "Sealing ").startswith(said.replace("Sealing ", "")) if said else not verdict(found)
    )


RULES = (
    """<h2>Regular guests</h2><p>Can't talk to anything</p><h2>Crew</h2><p>Can't lift anything without a winch</p>"""
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Can regular guests talk to the engine room?", "No – Regular guests: Can't talk to anything"),
        ("Can regular guests walk to the engine room?", ""),
        ("Can new guests talk to the engine room?", ""),
        ("Can the crew lift a boat?", ""),
    ],
)
def test_what_is_denied_of_anything_is_denied_of_what_is_asked_about(question: str, said: str) -> None:
    found = answer(question, RULES)
    assert found.startswith(said) if said else not verdict(found)


# -------------------------------------------------------------------------------------- comparisons

FLEET = """<h2>Boats</h2><table><tr><th>Boat</th><th>Power</th><th>Range</th><th>Price</th></tr>
<tr><td>Alk 2</td><td>4 kW</td><td>96 km</td><td>890 €</td></tr>
<tr><td>Heron</td><td>35 kW</td><td>30 km</td><td>2,450 €</td></tr></table>
<h2>Docks</h2><ul><li>Version 5 and earlier needs a crane, and takes about 6 hours and 150 GB of disk space.</li>
<li>Version 6 and later needs a ramp, and takes about 5 hours and 100 GB of disk space.</li></ul>"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does the Alk 2 need more power than the Heron?", "No – Alk 2, Power: 4 kW; Heron, Power: 35 kW"),
        ("Is the Alk 2 cheaper than the Heron?", "Yes – Alk 2, Price: 890 €; Heron, Price: 2,450 €"),
        ("Hat der Heron mehr Power als der Alk 2?", "Ja – Heron, Power: 35 kW; Alk 2, Power: 4 kW"),
        ("Does version 6 and later take up more disk space than version 5 and earlier?", "No – Version 6 and later"),
        ("Does the Alk 3 need more power than the Heron?", ""),
        ("Is the Alk 2 heavier than the Heron?", ""),
        ("Does the Alk 2 have more sails than the Heron?", ""),
        ("Does version 6 take up more memory than version 5?", ""),
        ("Does the Alk 2 need more power than the Heron or the Eider?", ""),
    ],
)
def test_two_things_are_compared_by_what_both_rows_or_items_measure(question: str, said: str) -> None:
    found = answer(question, FLEET)
    assert found.replace("Docks: ", "").startswith(said) if said else not verdict(found)


# ------------------------------------------------------------------------------------- contradictions


def test_units_that_contradict_each_other_give_no_verdict() -> None:
    content = "<p>Dues are paid within 30 days.</p><h2>Old rules</h2><p>Dues are paid within 60 days.</p>"
    assert not verdict(answer("Are dues paid within 60 days?", content))


def test_the_verdict_stands_before_the_title_of_its_page() -> None:
    focus = find_focus("Are dues paid within 60 days?")
    found = [
        *evidences("<p>Dues are paid within 30 days.</p>", "Rules"),
        *evidences("<p>Dues help us.</p>", "Club", "8"),
    ]
    units = score(found)
    quotations = [quote_units(focus, [unit]) for unit in units]
    found = asyncio.run(add_unit_verdict(focus, units, quotations, Dictionary({})))
    assert compose(found or []).text.splitlines() == [
        "No – Rules: Dues are paid within 30 days. [1]",
        "Club: Dues help us. [2]",
    ]
