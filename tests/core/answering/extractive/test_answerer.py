"""Which parts of the evidences answer, and when none does."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.extractive.quoting.remarks import add_remarks
from core.answering.extractive.quoting.selection import select_quotations
from core.answering.extractive.units import list_units, score_units
from core.model import NOT_FOUND, Answer, ClosestUnit, Evidence, NoticeKind
from core.ports.models import Matrix, TextInContext, WordMatcher, WordMatches
from core.trace import Tracer
from core.wording.focus import find_focus
from tests.core.answering.examples import OFFICE, chosen, evidence, numbers, ranked, row, table

TRACER = Tracer(lambda: 0.0)

STEPS = evidence(
    "1. Send Hush to the tower.",
    "2. Turn the key to OFF.",
    "3. Tell the caretaker.",
    kind="list",
    page_id="2",
    title="Tower safety",
    heading="Before you climb",
)
REPOSITORIES = [
    row(("Repository", name), ("Language", language), ("Ask", person), number=number, page_id="3", title="Repositories")
    for number, (name, language, person) in enumerate(
        [
            ("belfry", "Kotlin", "Tobias Quandt"),
            ("sparrow-classic", "C", "Hinnerk Petersohn"),
            ("sparrow", "Rust", "Rafael Nkemelu"),
        ],
        start=1,
    )
]


@pytest.fixture(scope="module")
def answerer(matcher: WordMatcher) -> ExtractiveAnswerer:
    return ExtractiveAnswerer(matcher)


def assert_not_found(answer: Answer) -> None:
    assert (answer.text, answer.answered, answer.citations) == (NOT_FOUND, False, ())


RECALL = [
    evidence("Hotlines are open at night.", page_id="5", title="Recalls", heading="Deadlines"),
    evidence("Ann Lee decides on a recall.", page_id="5", title="Recalls", heading="Who decides", ordinal=1),
    evidence(
        "1. Lock the goods.",
        "2. Call the customers.",
        "3. Report to the agency.",
        kind="list",
        page_id="5",
        title="Recalls",
        heading="Procedure",
        ordinal=2,
        numbers=(1, 2, 3),
    ),
]


async def test_a_question_with_words_of_its_own_is_not_answered_by_words_of_the_question_before(
    answerer: ExtractiveAnswerer,
) -> None:
    answer = await answerer.answer("Who decides on a recall? (Recalls: hotlines open night)", ranked(*RECALL), TRACER)
    assert answer.text.startswith(("Who decides: Ann Lee decides", "Ann Lee decides"))


async def test_a_step_that_a_follow_up_asks_for_is_shown_alone(answerer: ExtractiveAnswerer) -> None:
    answer = await answerer.answer("what is the last step (Recalls: decides)", ranked(*RECALL), TRACER)
    assert answer.text == "Procedure:\n3. Report to the agency. [1]"


async def test_a_page_with_all_words_of_the_question_comes_before_the_page_that_completion_named(
    answerer: ExtractiveAnswerer,
) -> None:
    home = evidence("Our insurance does not pay abroad.", page_id="6", title="Working from home")
    text = "The salary of engineers is paid on the 27th."
    pay = evidence(text, page_id="7", title="Questions", heading="Salary")
    question = "when is the salary of engineers paid (Working from home)"
    answer = await answerer.answer(question, ranked(home, pay), TRACER)
    assert answer.text.partition(" [1]")[0].endswith(text)


async def test_a_quote_ends_before_the_next_text_that_can_be_expanded(answerer: ExtractiveAnswerer) -> None:
    bikes = evidence(
        "The rate is taken from the salary.",
        "What if I leave?: The bicycle goes back.",
        "A return costs 250 euros.",
        "What if it is stolen?: Tell the police.",
        title="Bicycles",
        heading="Costs",
    )
    answer = await answerer.answer("What happens to the bicycle if I leave?", ranked(bikes), TRACER)
    assert answer.text == "What if I leave?: The bicycle goes back. A return costs 250 euros. [1]"


async def test_a_question_for_a_reason_is_answered_by_the_item_that_has_it(answerer: ExtractiveAnswerer) -> None:
    steps = evidence(
        "1. Scale the API to eight copies.",
        "2. Empty the cache, because stale entries make every request slow.",
        "3. Roll back.",
        kind="list",
        title="Tracker",
        numbers=(1, 2, 3),
    )
    answer = await answerer.answer("why do i empty the cache", ranked(steps), TRACER)
    assert answer.text == "2. Empty the cache, because stale entries make every request slow. [1]"


async def test_a_blog_post_without_a_date_in_its_text_answers_when_by_its_own(answerer: ExtractiveAnswerer) -> None:
    post = evidence(
        "We moved to Postgres.", "Backups run hourly.", title="Database", heading="Blog post of 4 March 2026"
    )
    answer = await answerer.answer("When did we move to Postgres?", ranked(post, OFFICE), TRACER)
    assert answer.text.startswith("Blog post of 4 March 2026: We moved to Postgres.")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("wer war bei der team-runde im mai dabei?", "Dabei: Dana, Ede, Fay."),
        ("was wurde am 4.5. beschlossen?", "Die Kaffeekasse führt ab jetzt Ede."),
        ("was wurde am 4. mai beschlossen?", "Die Kaffeekasse führt ab jetzt Ede."),
        ("was wurde am 8. juni beschlossen?", "Der Drucker wird ersetzt."),
    ],
)
async def test_a_page_named_by_its_date_answers_without_the_year(
    answerer: ExtractiveAnswerer, question: str, text: str
) -> None:
    minutes = [
        evidence(text, title=f"Team-Runde {day}", page_id=day, heading=heading)
        for day, heading, text in (
            ("08.06.2026", "Teilnehmer", "Dabei: Ada, Ben, Cem."),
            ("08.06.2026", "Beschlüsse", "Der Drucker wird ersetzt."),
            ("04.05.2026", "Teilnehmer", "Dabei: Dana, Ede, Fay."),
            ("04.05.2026", "Beschlüsse", "Die Kaffeekasse führt ab jetzt Ede."),
        )
    ]
    answer = await answerer.answer(question, ranked(*minutes), TRACER)
    assert answer.text.startswith(text)


async def test_the_sentence_that_tells_is_the_answer(answerer: ExtractiveAnswerer) -> None:
    answer = await answerer.answer("When does the reception close?", ranked(OFFICE, STEPS), TRACER)
    assert answer.text.startswith("The reception closes at 18:30.")


async def test_a_list_that_is_asked_for_by_its_heading_comes_as_a_whole(answerer: ExtractiveAnswerer) -> None:
    answer = await answerer.answer("What do I have to do before I climb a tower?", ranked(OFFICE, STEPS), TRACER)
    assert answer.text == "Before you climb:\n" + "\n".join(STEPS.parts) + " [1]"


async def test_one_item_is_enough_where_one_is_asked_for(answerer: ExtractiveAnswerer) -> None:
    item = evidence(
        "- Helmets hang in the workshop.",
        "- Ropes are tested every March.",
        "- Lamps are charged overnight.",
        kind="list",
        title="Equipment",
        heading="Care",
    )
    answer = await answerer.answer("When are the ropes tested?", ranked(OFFICE, item), TRACER)
    assert answer.text == "Care:\n- Ropes are tested every March. [1]"


async def test_the_row_that_the_question_names_to_the_letter_wins(answerer: ExtractiveAnswerer) -> None:
    answer = await answerer.answer("Whom do I ask about the sparrow repository?", ranked(*REPOSITORIES), TRACER)
    assert answer.text == "Repository: sparrow · Language: Rust · Ask: Rafael Nkemelu [1]"


async def test_a_row_is_cited_as_itself_also_where_its_table_ranks_higher(answerer: ExtractiveAnswerer) -> None:
    whole = table(*(item.rows[0] for item in REPOSITORIES), page_id="3", title="Repositories")
    answer = await answerer.answer("Whom do I ask about the belfry repository?", ranked(whole, *REPOSITORIES), TRACER)
    assert "Tobias Quandt" in answer.text
    assert answer.citations[0].kind == "table_row"


@pytest.mark.parametrize("name", ["single sign-on", "sso"])
async def test_a_row_is_quoted_for_the_initials_of_its_name(answerer: ExtractiveAnswerer, name: str) -> None:
    plans = table(
        *(
            (("Feature", feature), ("Team", team), ("Business", business))
            for feature, team, business in (
                ("Single sign-on", "no", "yes"),
                ("Audit log", "yes", "yes"),
                ("Bulk sending", "no", "no"),
            )
        ),
        title="Plans compared",
    )
    answer = await answerer.answer(f"does business include {name}", ranked(plans), TRACER)
    assert "Feature: Single sign-on" in answer.text
    assert "Audit log" not in answer.text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "wie hoch ist der mindestumsatz",
            "Bei unter 200 Stellplätzen gilt ein Mindestumsatz von 1.500 € im Monat.",
        ),
        ("wie teuer ist ein probemonat", "Für Neukunden kostet der Probemonat 40 €."),
        ("how high is the deposit", "For keys that leave the tower, a deposit of 30 € is taken."),
    ],
)
async def test_a_text_need_not_have_the_adjective_that_asks_for_its_amount(
    answerer: ExtractiveAnswerer, question: str, text: str
) -> None:
    others = (
        evidence("Der Turm hat drei Treppen.", page_id="5", title="Turm"),
        evidence("The hall is rented by the day.", page_id="6", title="Hall"),
    )
    given = evidence(text, page_id="4", title="Note")
    answer = await answerer.answer(question, ranked(given, *others), TRACER)
    assert answer.answered
    assert text in answer.text


async def test_rows_that_the_question_does_not_tell_apart_all_come(answerer: ExtractiveAnswerer) -> None:
    rows = [
        row(("Role", "Engineering"), ("Laptop", laptop), number=number, title="Equipment")
        for number, laptop in enumerate(["Anvil 14", "Anvil 16"], start=1)
    ]
    answer = await answerer.answer("Which laptop is there for engineering?", ranked(*rows), TRACER)
    assert "Anvil 14" in answer.text
    assert "Anvil 16" in answer.text
    assert numbers(answer) == [1, 2]


async def test_a_part_that_only_repeats_the_question_is_no_answer(answerer: ExtractiveAnswerer) -> None:
    agenda = evidence("1. Heating", "2. Christmas party", kind="list", title="Minutes of October", heading="Agenda")
    notes = evidence(
        "The Christmas party takes place on 10 December in Hamburg.",
        page_id="1",
        ordinal=1,
        title="Minutes of October",
        heading="Discussed",
    )
    answer = await answerer.answer("When is the Christmas party?", ranked(agenda, notes), TRACER)
    assert answer.text == f"{notes.parts[0]} [1]"


async def test_minutes_are_understood_by_their_labels(answerer: ExtractiveAnswerer) -> None:
    notes = evidence(
        "Heating.",
        "It is switched on in November.",
        "Christmas party.",
        "It takes place on 10 December in Hamburg.",
        title="Minutes of October",
        heading="Discussed",
    )
    answer = await answerer.answer("When does the Christmas party take place?", ranked(notes), TRACER)
    assert answer.text == "Christmas party. It takes place on 10 December in Hamburg. [1]"


async def test_a_section_whose_heading_asks_the_same_comes_as_a_whole(answerer: ExtractiveAnswerer) -> None:
    parts = ("In Sexton choose the bell, then Silence.", "It ends by itself.")
    item = evidence(*parts, title="Questions caretakers ask", heading="How do I silence the bell for a funeral?")
    answer = await answerer.answer("How do I silence the bell for a funeral?", ranked(item, OFFICE), TRACER)
    assert answer.text == " ".join(parts) + " [1]"


async def test_instructions_in_code_come_with_the_code(answerer: ExtractiveAnswerer) -> None:
    item = evidence(
        "A rollback takes four minutes.",
        "Run this on any node.",
        "```bash\nbelfryctl deploy --version previous\n```",
        title="Deployment runbook",
        heading="5. Roll back, if you must",
    )
    answer = await answerer.answer("How do I roll back a deployment?", ranked(item, OFFICE), TRACER)
    assert answer.text.endswith("Run this on any node.\n```bash\nbelfryctl deploy --version previous\n```\n[1]")


async def test_names_in_the_cells_of_a_table_are_in_no_language(answerer: ExtractiveAnswerer) -> None:
    rows = [
        row(("Vendor", vendor), ("Model", model), ("GEN", "SKL"), ("VER", "RC5"), ("UPG", "Y"), number=number)
        for number, (vendor, model) in enumerate([("Dell", "Optiplex 9010"), ("Dell", "E7440"), ("DELL", "E7470")], 1)
    ]
    tracer = Tracer(lambda: 0.0)
    answer = await answerer.answer("What is the GEN of the model E7440 of the vendor Dell?", ranked(*rows), tracer)
    assert answer.answered
    assert NoticeKind.OTHER_LANGUAGE not in {notice.kind for notice in tracer.trace.notices}


async def test_a_german_question_is_answered_in_the_words_of_the_german_page(answerer: ExtractiveAnswerer) -> None:
    item = evidence(
        "Den Schlüssel gibt Carmen Eilers gegen 40 Euro Pfand aus.",
        "Das Büro liegt im zweiten Hof.",
        title="Bürohandbuch",
        heading="Schlüssel",
    )
    answer = await answerer.answer("Wer gibt den Schlüssel aus?", ranked(item, OFFICE), TRACER)
    assert answer.text.startswith("Den Schlüssel gibt Carmen Eilers gegen 40 Euro Pfand aus.")


@pytest.mark.parametrize("question", ["What is the capital of France?", "Wie wird das Wetter morgen in Madrid?"])
async def test_a_question_out_of_scope_is_refused(answerer: ExtractiveAnswerer, question: str) -> None:
    assert_not_found(await answerer.answer(question, ranked(OFFICE, STEPS, *REPOSITORIES), TRACER))


async def test_of_a_refused_question_the_closest_unit_of_each_page_is_recorded(answerer: ExtractiveAnswerer) -> None:
    tracer = Tracer(lambda: 0.0)
    assert_not_found(await answerer.answer("Which planets do bicycles orbit in Saturn?", ranked(OFFICE, STEPS), tracer))
    assert tracer.trace.closest[0] == ClosestUnit(OFFICE.evidence_id, 2)
    assert [unit.evidence_id for unit in tracer.trace.closest] == [OFFICE.evidence_id, STEPS.evidence_id]


@pytest.mark.parametrize("question", ["And what about it?", "Und was ist das?", "???"])
async def test_a_question_that_says_nothing_is_refused(answerer: ExtractiveAnswerer, question: str) -> None:
    assert_not_found(await answerer.answer(question, ranked(OFFICE, STEPS), TRACER))


async def test_without_evidence_nothing_is_found(answerer: ExtractiveAnswerer) -> None:
    assert_not_found(await answerer.answer("When does the reception close?", [], TRACER))


async def test_evidence_without_parts_holds_nothing(answerer: ExtractiveAnswerer) -> None:
    assert_not_found(await answerer.answer("When does the reception close?", ranked(evidence(), evidence(" ")), TRACER))


async def test_rows_of_two_tables_that_nothing_tells_apart_are_both_shown_with_their_sections(
    answerer: ExtractiveAnswerer,
) -> None:
    machines = [
        row(("Platform", "Optiplex 7040"), ("BIOS", bios), title="Tests", heading=heading, page_id="4", block=block)
        for block, (heading, bios) in enumerate((("Legacy", "1.14.0"), ("Modern", "1.15.2")), start=1)
    ]
    answer = await answerer.answer("What is the BIOS of the Optiplex 7040?", ranked(*machines), TRACER)
    assert {line.partition(":")[0] for line in answer.text.splitlines()} == {"Legacy", "Modern"}


PARKING = table(
    (("Place", "1"), ("For", "the landlord, always")),
    (("Place", "2"), ("For", "the bakery, always")),
    (("Place", "3"), ("For", "guests, to be booked")),
    page_id="5",
    title="Parking",
)
LISTED = find_focus("Which places are free always?")
UNNAMED = find_focus("What can colleagues not use?")


def test_a_small_table_comes_whole_where_the_question_names_none_of_its_rows() -> None:
    [item] = ranked(PARKING)
    rows = select_quotations(UNNAMED, chosen(item, 1), [item])
    assert [row.text[:8] for row in rows] == ["Place: 2", "Place: 1", "Place: 3"]


def test_a_row_that_the_question_names_comes_alone() -> None:
    [item] = ranked(PARKING)
    assert len(select_quotations(find_focus("Who uses parking place 2?"), chosen(item, 1), [item])) == 1


def test_a_property_that_the_question_names_comes_alone() -> None:
    bell = table((("Default", "60"),), (("Unit", "seconds"),), title="BellTimeout")
    [item] = ranked(bell)
    assert len(select_quotations(find_focus("What is the default of BellTimeout?"), chosen(item, 0), [item])) == 1
    assert len(select_quotations(find_focus("What about BellTimeout?"), chosen(item, 0), [item])) == 2


def test_no_part_of_a_table_is_shown_as_if_it_were_the_whole() -> None:
    assert PARKING.structure
    [item] = ranked(replace(PARKING, structure=replace(PARKING.structure, total=4)))
    assert len(select_quotations(UNNAMED, chosen(item, 1), [item])) == 1


def test_a_sentence_beside_a_table_comes_with_its_rows() -> None:
    note = evidence("The bakery leaves its place at noon.", page_id="5", title="Parking", ordinal=1)
    item, beside = ranked(PARKING, note)
    units = [*chosen(item, 1), *chosen(beside, 0)]
    assert [quotation.evidence for quotation in select_quotations(UNNAMED, units, [item, beside])][
        -1
    ] is beside.evidence


async def test_a_sentence_that_announces_brings_what_it_announces(answerer: ExtractiveAnswerer) -> None:
    item = evidence(
        "Commits are signed.",
        "Guidelines of other projects are here:",
        "OpenEmbedded:",
        "https://example.org/oe",
        "Linux:",
        "https://example.org/linux",
        title="Commits",
    )
    answer = await answerer.answer("Of which other projects are guidelines here?", ranked(item), TRACER)
    assert "https://example.org/oe" in answer.text
    assert "https://example.org/linux" in answer.text


async def test_at_most_two_other_evidences_follow_the_best_one(answerer: ExtractiveAnswerer) -> None:
    alike = [
        evidence(f"The reception of {city} closes at 18:30.", title=f"Office {city}", page_id=str(number))
        for number, city in enumerate(["Utrecht", "Ghent", "Hamburg", "Berlin", "Delft"], start=20)
    ]
    answer = await answerer.answer("When does the reception close?", ranked(*alike), TRACER)
    assert len(answer.citations) == 3


async def test_a_sentence_right_before_a_list_brings_it(answerer: ExtractiveAnswerer) -> None:
    leading = evidence("Several requests can be refused at once.", after="- without a ticket - without a test")
    answer = await answerer.answer("Which requests can be refused at once?", ranked(leading), TRACER)
    assert answer.text.splitlines()[1:] == ["- without a ticket", "- without a test [1]"]


async def test_where_nothing_tells_the_sentences_of_a_section_apart_the_first_one_answers(
    answerer: ExtractiveAnswerer,
) -> None:
    place = {"title": "Bürohandbuch Berlin", "heading": "Schlüssel und Zugang"}
    passage = evidence("Den Schlüssel gibt Carmen Eilers gegen 40 Euro Pfand aus.", ordinal=1, **place)
    leaving = evidence("- schließt die Fenster,", "- schließt die Bürotür zweimal ab.", kind="list", ordinal=2, **place)
    question = "Wo bekomme ich einen Schlüssel für das Berliner Büro?"
    answer = await answerer.answer(question, ranked(leaving, passage), TRACER)
    assert answer.text.startswith("Den Schlüssel gibt Carmen Eilers")


async def test_a_section_that_the_question_only_names_is_quoted_across_evidences(answerer: ExtractiveAnswerer) -> None:
    place = {"title": "Customisation proposal", "heading": "Background"}
    first = evidence("Customers replace modules of the firmware.", "Some keep a copy.", ordinal=1, **place)
    second = evidence("Such a copy is never merged back.", "Nobody tests it.", ordinal=2, **place)
    elsewhere = evidence("Each customer gets a layer.", title="Customisation proposal", heading="Layers")
    question = "Tell me about the background of the customisation proposal"
    answer = await answerer.answer(question, ranked(first, elsewhere, second), TRACER)
    assert answer.text == (
        "Customers replace modules of the firmware. Some keep a copy. [1]\n"
        "Such a copy is never merged back. Nobody tests it. [2]"
    )


LIMITS = {
    year: row(("Country", "Germany"), ("Hotel per night", limit), page_id=year, title=f"Travel policy {year}")
    for year, limit in (("2024", "125 euros"), ("2026", "150 euros"))
}


async def test_of_two_versions_of_a_page_the_newer_one_comes_first_and_both_are_named(
    answerer: ExtractiveAnswerer,
) -> None:
    answer = await answerer.answer("What is the hotel limit per night in Germany?", ranked(*LIMITS.values()), TRACER)
    newer, older = answer.text.splitlines()
    assert "Travel policy 2026" in newer
    assert "150 euros" in newer
    assert "Travel policy 2024" in older


async def test_the_version_that_the_question_names_is_the_answer(answerer: ExtractiveAnswerer) -> None:
    question = "What is the hotel limit per night in Germany in 2024?"
    answer = await answerer.answer(question, ranked(*reversed(LIMITS.values())), TRACER)
    assert "125 euros" in answer.text.splitlines()[0]


OLD = evidence("Print jobs wait 8 hours in the queue.", page_id="8", title="Printing (out of use, obsolete)")
CURRENT = evidence("Waiting print jobs are deleted after 24 hours.", page_id="24", title="Printing")


async def test_a_page_that_is_out_of_date_comes_after_the_current_one(answerer: ExtractiveAnswerer) -> None:
    answer = await answerer.answer("How long do print jobs wait in the queue?", ranked(OLD, CURRENT), TRACER)
    assert "24 hours" in answer.text.splitlines()[0]
    assert answer.text.splitlines()[1].startswith("Printing (out of use, obsolete): ")


async def test_a_page_that_is_out_of_date_answers_what_is_asked_about_it(answerer: ExtractiveAnswerer) -> None:
    question = "How long did print jobs wait in the queue of the obsolete printing?"
    answer = await answerer.answer(question, ranked(OLD, CURRENT), TRACER)
    assert "8 hours" in answer.text.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "hours"), [("Print jobs wait 24 hours in the queue.", "24"), ("The hall is open 24 hours.", "8")]
)
async def test_any_page_that_says_as_much_comes_before_one_that_is_out_of_date(
    answerer: ExtractiveAnswerer, text: str, hours: str
) -> None:
    new = evidence(text, page_id="24", title="Printers (from March 2026)")
    answer = await answerer.answer("How long do print jobs wait in the queue?", ranked(OLD, new), TRACER)
    assert f"{hours} hours" in answer.text.splitlines()[0]


async def test_a_question_that_a_page_quotes_is_answered_by_what_follows_it(answerer: ExtractiveAnswerer) -> None:
    asked = evidence("When does the reception close?", "At 18:30, on Fridays at noon.", title="Office questions")
    answer = await answerer.answer("When does the reception close?", ranked(asked), TRACER)
    assert "18:30" in answer.text
    alone = evidence("When does the reception close?", title="Office questions")
    assert_not_found(await answerer.answer("When does the reception close?", ranked(alone), TRACER))


class _Counting:
    """Counts the texts that a matcher compares."""

    def __init__(self, matcher: WordMatcher) -> None:
        self._matcher = matcher
        self.texts = 0

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        self.texts += len(texts)
        return await self._matcher.match_words(question, texts)

    async def rate_answers(self, question: str, texts: Sequence[TextInContext]) -> Matrix:
        return await self._matcher.rate_answers(question, texts)

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        return await self._matcher.match_stored(question, hashes)


async def test_at_most_24_parts_are_compared_and_the_fitting_one_is_among_them(matcher: WordMatcher) -> None:
    counting = _Counting(matcher)
    parts = [f"Item {number} is blue." for number in range(300)] + ["The reception closes at 18:30."]
    answer = await ExtractiveAnswerer(counting).answer(
        "When does the reception close?", ranked(evidence(*parts)), TRACER
    )
    assert counting.texts == 24
    assert "18:30" in answer.text


async def test_units_fall_in_score_and_repeated_text_of_a_page_comes_once(matcher: WordMatcher) -> None:
    item, whole = REPOSITORIES[2], table(*(item.rows[0] for item in REPOSITORIES), page_id="3")
    units = list_units(ranked(whole, OFFICE, item))
    assert len({(unit.ranked.evidence.page_id, unit.text) for unit in units}) == len(units)
    found = await score_units(find_focus("Who wrote sparrow?"), units, matcher)
    assert [unit.score for unit in found] == sorted((unit.score for unit in found), reverse=True)
    assert all(0 <= share <= 1.000001 for unit in found for share in (unit.score, unit.word_share, unit.missing_weight))


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=_TEXT, texts=st.lists(_TEXT, min_size=1, max_size=3))
async def test_any_text_is_answered_or_refused(answerer: ExtractiveAnswerer, question: str, texts: list[str]) -> None:
    evidences: list[Evidence] = [
        evidence(*texts),
        evidence(*(f"- {text}" for text in texts), kind="list", ordinal=1),
        row(*((text, text) for text in texts), number=2),
    ]
    answer = await answerer.answer(question, ranked(*evidences), TRACER)
    assert answer.answered == bool(answer.citations) == (answer.text != NOT_FOUND)
    assert set(numbers(answer)) >= {item.number for item in answer.citations}


@pytest.mark.parametrize("question", ["What is the limit in Berlin?", "Wie hoch ist das Limit 2027?"])
async def test_a_row_of_another_country_or_year_does_not_answer(answerer: ExtractiveAnswerer, question: str) -> None:
    limits = [
        row(("City", city), ("Year", "2025"), ("Limit", limit), number=number, title="Limits", page_id="6")
        for number, (city, limit) in enumerate([("Oslo", "190 euros"), ("Bergen", "170 euros")], start=1)
    ]
    assert_not_found(await answerer.answer(question, ranked(*limits), TRACER))


async def test_each_version_that_is_named_is_shown(answerer: ExtractiveAnswerer) -> None:
    old = evidence("Main components in 4.0.0 are Xen 4.3.4 and Linux 3.11.", page_id="4", title="Stable 4")
    new = evidence("It ships with Xen 4.3.4 and Linux 3.18.", page_id="5", title="Releases", heading="5.0.0")
    answer = await answerer.answer("Which Xen and Linux are in 4.0.0 and 5.0.0?", ranked(old, new, OFFICE), TRACER)
    assert "Linux 3.11" in answer.text
    assert "Linux 3.18" in answer.text


async def test_a_model_that_only_its_neighbour_has_is_not_found(answerer: ExtractiveAnswerer) -> None:
    laptops = evidence("The Lenovo T450 has BIOS 1.37.", page_id="6", title="Hardware tests")
    assert_not_found(await answerer.answer("Which BIOS does the Lenovo T460 have?", ranked(laptops), TRACER))


@pytest.mark.parametrize(
    ("question", "is_open"),
    [
        ("Does the reception close at 18:30?", False),
        ("Is the reception of the office in the cellar?", True),
        ("When does the reception of the office close?", False),
        ("Wann öffnet das Büro in Utrecht?", False),
    ],
)
async def test_an_answer_to_a_yes_or_no_question_has_a_verdict_or_says_that_it_is_open(
    answerer: ExtractiveAnswerer, question: str, is_open: bool
) -> None:
    tracer = Tracer(lambda: 0.0)
    answer = await answerer.answer(question, ranked(OFFICE), tracer)
    assert answer.answered
    assert (NoticeKind.NO_VERDICT in {notice.kind for notice in tracer.trace.notices}) is is_open


@pytest.mark.parametrize(
    ("question", "text", "is_unsure"),
    [
        ("How long may the bell of the tower ring?", "The bell of the tower may ring for 40 seconds.", False),
        ("How long may the bell of the tower ring by default?", "The bell of the tower may ring for 40 seconds.", True),
        ("How long may the bell of the tower ring by default?", "By default, the bell of the tower rings 4 s.", False),
        ("When does the bell of the tower ring?", "The bell of the tower rings if Ada pulls the rope.", True),
        ("When does the bell of the tower ring?", "The bell of the tower rings at 10:30.", False),
    ],
)
async def test_without_the_time_or_default_that_is_asked_for_an_answer_says_that_it_may_be_none(
    answerer: ExtractiveAnswerer, question: str, text: str, is_unsure: bool
) -> None:
    tracer = Tracer(lambda: 0.0)
    answer = await answerer.answer(question, ranked(evidence(text, title="Bell of the tower")), tracer)
    assert answer.answered
    assert (NoticeKind.UNSURE in [notice.kind for notice in tracer.trace.notices]) is is_unsure


async def test_a_page_that_says_yes_itself_leaves_nothing_open(answerer: ExtractiveAnswerer) -> None:
    tracer = Tracer(lambda: 0.0)
    keys = evidence(
        "Yes! We encourage you to add your key to personal accounts.", heading="Can I use my key privately?"
    )
    answer = await answerer.answer("May I use my key for personal accounts?", ranked(keys), tracer)
    assert answer.text.startswith("Can I use my key privately? Yes! We encourage you")
    assert not tracer.trace.notices


async def test_a_value_elsewhere_on_the_page_answers_if_the_best_sentence_lacks_it(
    answerer: ExtractiveAnswerer,
) -> None:
    best = evidence("Mentoring needs months of commitment from both, mentors and mentees.", title="Mentoring")
    other = evidence("The programme lasts 3 months.", title="Mentoring", heading="Rules", ordinal=1)
    question = "How many months of commitment does mentoring need?"
    answer = await answerer.answer(question, ranked(best, other), TRACER)
    assert answer.text.startswith("Rules: The programme lasts 3 months. [1]")
    weak = evidence("Ducks live for 3 months.", title="Mentoring", heading="Rules", ordinal=1)
    assert_not_found(await answerer.answer(question, ranked(best, weak), TRACER))
    many = evidence(*(f"Mentoring needs months of commitment {letter * 3}." for letter in "abcdefghijklmnopqrstuvwxyz"))
    assert "3 months" in (await answerer.answer(question, ranked(many, other), TRACER)).text


async def test_how_often_is_answered_also_without_a_word_for_it(answerer: ExtractiveAnswerer) -> None:
    bell = evidence("The bell is rung whenever somebody marries.", title="Bell")
    answer = await answerer.answer("How often is the bell rung?", ranked(bell), TRACER)
    assert answer.text.startswith("The bell is rung whenever")


async def test_a_question_for_a_price_is_not_answered_by_a_text_without_one(answerer: ExtractiveAnswerer) -> None:
    cards = evidence("Door cards are an alternative to keys.", "Door cards open the office.", title="Door cards")
    assert (await answerer.answer("What opens the office, a door card?", ranked(cards), TRACER)).answered
    assert_not_found(await answerer.answer("What does a door card for the office cost?", ranked(cards), TRACER))


DUTIES = table(
    (("Duty", "Water the palms"), ("Who", "Ann Lee"), ("Due", "Monday")),
    (("Duty", "Empty the letter box"), ("Who", "Bo Hall"), ("Due", "Tuesday")),
    (("Duty", "Feed the fish"), ("Who", "Ann Lee"), ("Due", "Friday")),
    page_id="5",
    title="Duties",
)


def test_rows_of_other_people_do_not_follow_those_of_the_person_whom_the_question_names() -> None:
    [item] = ranked(DUTIES)
    rows = select_quotations(find_focus("What did Ann promise us on Duties?"), chosen(item, 0, 2), [item])
    assert [row.text.partition(" · ")[0] for row in rows] == ["Duty: Water the palms", "Duty: Feed the fish"]
    others = select_quotations(find_focus("What was promised on Duties?"), chosen(item, 0, 2), [item])
    assert len(others) == 3


def test_a_list_of_some_rows_says_how_many_the_table_has() -> None:
    assert PARKING.structure
    [item] = ranked(replace(PARKING, structure=replace(PARKING.structure, total=40)))
    units = chosen(item, 0, 1)
    shown = add_remarks(LISTED, select_quotations(LISTED, units, [item]))
    assert shown[-1].text.splitlines()[-1] == "Showing 2 of 40."
    assert "Showing" not in "".join(each.text for each in select_quotations(UNNAMED, units, [item]))
    [whole] = ranked(PARKING)
    complete = add_remarks(LISTED, select_quotations(LISTED, chosen(whole, 0, 1), [whole]))
    assert "Showing" not in "".join(each.text for each in complete)
