"""When a sentence answers a question with yes or no."""

import pytest

from core.answering.extractive.quoting.compose import compose, quote_units
from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.clauses import add_verdict
from core.model import Evidence
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import chosen, evidence, ranked, row


def answer(question: str, item: Evidence, index: int = -1) -> str:
    index %= len(item.parts)
    quotation = Quotation(" ".join(item.parts), item, "")
    unit = ScoredUnit(ranked(item)[0], index, item.parts[index], 1.0, 1.0, 0.0)
    return compose(add_verdict(find_focus(question), [unit], [quotation]) or [quotation]).text


@pytest.mark.parametrize(
    ("question", "sentence", "verdict"),
    [
        ("Is colour printing supported on the Wren?", "Colour printing is supported on the Wren.", "Yes"),
        ("Is Python 3.8 supported?", "Python 3.8 is not supported, which breaks old scripts.", "No"),
        ("Can guests open the door?", "Guests can open the door.", "Yes"),
        ("Can guests open the door?", "Guests cannot open the door.", "No"),
        ("Do contractors get a badge?", "- Contractors don't get a badge.", "No"),
        ("Is VPN required for the wiki?", "Note: VPN is not required for the wiki.", "No"),
        ("Ist das Büro am Sonntag geöffnet?", "Das Büro ist am Sonntag nicht geöffnet.", "Nein"),
        ("Must guests sign the book?", "Guests must sign the book.", "Yes"),
        ("Does the desk close at 18:30?", "The desk closes at 18:30.", "Yes"),
        ("Darf ich Hunde mitbringen?", "Hunde darf man nicht mitbringen.", "Nein"),
        ("Werden Überstunden bezahlt?", "Überstunden werden bezahlt.", "Ja"),
        ("Is VPN mandatory for the wiki?", "VPN is optional for the wiki.", "No"),
        ("Is a badge obligatory for guests?", "A badge is required for guests.", "Yes"),
        ("Is Python 3.8 supported?", "Python 3.8 is unsupported.", "No"),
        ("Is the sync enabled by default?", "The sync is switched off by default.", "No"),
        ("Sind Hunde im Turm erlaubt?", "Hunde sind im Turm verboten.", "Nein"),
        ("Ist der Helm vorgeschrieben?", "Der Helm ist Pflicht.", "Ja"),
        ("Is smoking forbidden in the tower?", "Smoking is not permitted in the tower.", "Yes"),
        ("Sind Archive verschlüsselt?", "Archives are unencrypted.", "Nein"),
    ],
)
def test_a_sentence_in_the_questions_words_gives_the_verdict(question: str, sentence: str, verdict: str) -> None:
    assert answer(question, evidence(sentence)) == f"{verdict} – {sentence.removeprefix('- ')} [1]"


@pytest.mark.parametrize(
    ("question", "sentence", "verdict"),
    [
        ("Are the bells always open?", "The bells are always open.", "Yes"),
        ("Are the bells always open?", "The bells are not always open.", "No"),
        ("Is the tower still open?", "The tower is still open.", "Yes"),
        ("Ist der Turm noch offen?", "Der Turm ist noch offen.", "Ja"),
        ("Are broken bells always sold?", "Broken bells ring badly; they are always sold.", "Yes"),
        ("Does the tower ring at night or on Sunday?", "The tower does not ring at night or on Sunday.", "No"),
        ("Are broken bells always sold?", "Bells ring badly; they are always sold.", ""),
        ("Does the tower ring at night or on Sunday?", "The tower does not ring at night.", ""),
        ("Are the bells always open?", "The bells are open.", ""),
        ("Are all bells open?", "Bells are open.", ""),
        ("Is the tower still open?", "The tower was open.", ""),
    ],
)
def test_a_clause_answers_always_or_still_if_it_says_so(question: str, sentence: str, verdict: str) -> None:
    lead = f"{verdict} – " if verdict else ""
    assert answer(question, evidence(sentence)) == f"{lead}{sentence} [1]"


def test_an_item_that_begins_with_it_is_about_what_the_list_is_about() -> None:
    item = evidence("- It does not support steel bells.", kind="list", title="Belfry", heading="Limitations")
    assert answer("Does belfry support steel bells?", item).startswith("No – It does not support steel bells.")
    assert not answer("Does sparrow support steel bells?", item).startswith("No")


def test_the_sentence_of_the_verdict_is_not_repeated_if_the_quotation_begins_with_it() -> None:
    said = answer("Can guests open the door?", evidence("Guests cannot open the door.", "They ring the bell."), 0)
    assert said == "No – Guests cannot open the door.\nThey ring the bell. [1]"


def test_an_item_that_gives_the_verdict_is_not_repeated_in_its_list() -> None:
    item = evidence(
        "- Coffee is free.", "- Dogs are allowed in the hall.", "- Bikes stay out.", kind="list", numbers=(1, 2, 3)
    )
    focus = find_focus("Are dogs allowed in the hall?")
    [found] = ranked(item)
    quotations = [quote_units(focus, chosen(found, 0, 1, 2))]
    [first] = add_verdict(focus, chosen(found, 1), quotations) or []
    assert f"{first.lead}{first.text}" == "Yes – Dogs are allowed in the hall.\n- Coffee is free.\n- Bikes stay out."


def test_a_sentence_that_refers_back_gives_the_verdict_about_what_it_refers_to() -> None:
    item = evidence("All drivers come with certificates.", "They are not signed by Acme.", title="Drivers")
    said = answer("Are the certificates of drivers signed by Acme?", item)
    assert said.startswith("No – They are not signed by Acme.\nAll drivers come")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Is colour printing supported on the Wren?", "Duplex printing is supported on the Wren."),
        ("Is colour printing supported on the Wren?", "Colour printing is supported on the Wren if it has a kit."),
        ("Is colour printing supported?", "Colour printing is no longer supported."),
        ("Is colour printing supported?", "Colour printing might be supported."),
        ("Does the tower replace the belfry?", "The belfry replaces the tower."),
        ("Are archives encrypted?", "Backups are encrypted, but archives are not."),
        ("Are archives encrypted?", "Archives are stored elsewhere and encrypted drives hold backups."),
        ("Are archives encrypted?", "Access to archives is encrypted."),
        ("Can guests open the door?", "Only staff and guests of staff can open the door."),
        ("Can guests open the door?", "Guests should not open the door."),
        ("Is the office open on Sunday?", "The office is open on weekdays, and closed on Sunday."),
        ("Is Python 3.8 supported?", "Python 3.9 is supported."),
        ("Is the key needed to reset the clock?", "The key is not needed to wind the clock, it is needed to reset it."),
        ("Does the sync delete pages?", "A sync that fails does not delete pages."),
        ("Does the sync delete pages?", "The sync does not only delete pages."),
        ("Is the test stage backed up?", "The production stage is backed up, the test stage is rebuilt."),
        ("Does the API need Redis?", "The API uses Redis."),
        ("Can guests see the page?", "Guests get the page."),
        ("Must guests sign the book?", "Guests can sign the book."),
        ("Can guests sign the book?", "Guests must sign the book."),
        ("Are all archives encrypted?", "Archives are encrypted."),
        ("Are archives not encrypted?", "Archives are encrypted."),
        ("Are archives encrypted?", "Are archives encrypted?"),
        ("Who encrypts archives?", "Archives are encrypted."),
        ("Sind Sicherungen verschlüsselt?", "Backups are encrypted."),
    ],
)
def test_other_sentences_give_no_verdict(question: str, sentence: str) -> None:
    assert answer(question, evidence(sentence)) == f"{sentence} [1]"


def test_sentences_that_contradict_each_other_give_no_verdict() -> None:
    yes, no = evidence("Archives are encrypted."), evidence("Archives are not encrypted.", page_id="2")
    units = [ScoredUnit(each, 0, each.evidence.parts[0], 1.0, 1.0, 0.0) for each in ranked(yes, no)]
    quotations = [Quotation(each.parts[0], each, "") for each in (yes, no)]
    assert add_verdict(find_focus("Are archives encrypted?"), units, quotations) is None


def test_a_phrase_that_only_names_the_page_need_not_be_in_the_sentence() -> None:
    item = evidence("Input to clocks is isolated from other clocks.", title="Platform properties")
    question = "Is input to clocks isolated from other clocks in the context of the platform properties?"
    assert answer(question, item).startswith("Yes – Input to clocks is isolated")


def test_a_sentence_about_another_place_gives_no_verdict_to_a_shortened_question() -> None:
    item = evidence("The camera is not installed in the cellar.", title="Tower")
    assert answer("Is the camera installed in the tower?", item).startswith("The camera")


@pytest.mark.parametrize(("said", "verdict"), [("is", "Yes"), ("is not", "No")])
def test_it_is_so_answers_whether_it_is_so_to_do_what_the_sentence_before_is_about(said: str, verdict: str) -> None:
    item = evidence("A log has the readings of each week.", f"It {said} mandatory, as nobody else keeps them.")
    assert answer("Is it mandatory to provide a log?", item).startswith(f"{verdict} – It {said} mandatory")


@pytest.mark.parametrize(
    "question", ["Is it mandatory to provide a badge?", "Is it possible to provide a log?", "Is it mandatory?"]
)
def test_it_is_so_answers_no_other_question(question: str) -> None:
    item = evidence("A log has the readings of each week.", "It is mandatory, as nobody else keeps them.")
    assert answer(question, item).startswith("A log")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is it obligatory to import the driver certificate on a 32 bit machine?", "No – For 32 bit machines this is"),
        ("Is it obligatory to import the driver certificate on a 64 bit machine?", "Yes – It is required on 64 bit"),
        ("Is it obligatory to import the driver certificate on a 16 bit machine?", ""),
        ("Is it obligatory to import the licence key on a 32 bit machine?", ""),
        ("Is it recommended to import the driver certificate on a 32 bit machine?", ""),
    ],
)
def test_it_is_so_in_a_case_answers_about_that_case(question: str, said: str) -> None:
    item = evidence(
        "The driver certificate has to be imported.",
        "For 32 bit machines this is optional but recommended.",
        "It is required on 64 bit machines.",
    )
    units = [ScoredUnit(ranked(item)[0], index, part, 1.0, 1.0, 0.0) for index, part in enumerate(item.parts)]
    quotation = Quotation(" ".join(item.parts), item, "")
    found = compose(add_verdict(find_focus(question), units, [quotation]) or [quotation]).text
    assert found.startswith(said) if said else found.startswith("The driver")


def answer_from_rows(question: str, *rows: tuple[tuple[str, str], ...]) -> str:
    items = [row(*cells, number=number, title="Door tests") for number, cells in enumerate(rows, start=1)]
    units = [ScoredUnit(each, 0, each.evidence.parts[0], 1.0, 1.0, 0.0) for each in ranked(*items)]
    shown = [Quotation("; ".join(value for _, value in items[0].rows[0]), items[0], items[0].parts[0])]
    return compose(add_verdict(find_focus(question), units, shown) or shown).text


@pytest.mark.parametrize(
    ("question", "note", "verdict"),
    [
        ("Did the door of Bell 7 work well in the door tests?", "The door works well.", "Yes – Notes"),
        ("Did the door of Bell 7 work well?", "The door does not work well.", "No – Notes"),
        ("In the door tests, was the motor of Bell 7 OK?", "motor OK", "Yes – Notes"),
        ("Did the door of Bell 7 work well?", "The door works well if it is warm.", ""),
        ("Did the door of Bell 7 work well?", "The door of the cellar works well.", ""),
        ("Did the door of Bell 7 work well?", "The door works well with a new motor.", ""),
        ("Did the door of Bell 7 open?", "The door works well.", ""),
        ("Did the door work well?", "The door works well.", ""),
        ("Did the door of Bell 8 work well?", "The door works well.", ""),
    ],
)
def test_a_cell_gives_the_verdict_about_what_its_row_names(question: str, note: str, verdict: str) -> None:
    said = answer_from_rows(question, (("Tower", "Bell 7"), ("Notes", note)))
    assert said.startswith(f"{verdict}: {note}\nBell 7" if verdict else "Bell 7")


def test_a_cell_gives_no_verdict_if_another_row_is_of_the_same_thing() -> None:
    first, second = (("Tower", "Bell 7"), ("Notes", "The door works well.")), (("Tower", "Bell 7"), ("Notes", "Stuck."))
    assert answer_from_rows("Did the door of Bell 7 work well?", first, second).startswith("Bell 7")
