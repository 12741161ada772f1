"""What an answer looks like, from chosen parts."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.extractive.quoting.compose import compose, quote_list, quote_passage, quote_units
from core.answering.extractive.quoting.remarks import add_remarks
from core.model import Answer, Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, numbers, ranked, row, table

ANY = find_focus("What is it?")


def shown(item: Evidence, *indexes: int, question: str = "What is it?") -> Answer:
    return compose([quote_units(find_focus(question), chosen(ranked(item)[0], *indexes))])


@pytest.mark.parametrize(
    ("sentence", "is_connected"),
    [
        ("Wer trotzdem fliegen möchte, braucht eine Zustimmung.", True),
        ("Otherwise ask the keeper.", True),
        ("If not, ask the keeper.", True),
        ("Danach ist es zu spät.", True),
        ("However you travel, keep the ticket.", True),
        ("Ask the keeper otherwise.", False),
        ("If the train is late, ask the keeper.", False),
        ("After 18 months ask the keeper.", False),
    ],
)
def test_a_sentence_that_connects_to_the_one_before_comes_with_it(sentence: str, is_connected: bool) -> None:
    trips = evidence("We travel by train.", "Flying is an exception.", sentence)
    text = shown(trips, 2).text
    assert text == f"{'Flying is an exception. ' if is_connected else ''}{sentence} [1]"


def test_code_does_not_come_with_a_sentence_that_connects_to_it() -> None:
    assert shown(evidence("```\nring\n```", "Otherwise ask."), 1).text == "Otherwise ask. [1]"


def test_a_row_is_shown_by_its_headers_and_values() -> None:
    answer = shown(row(("Name", "Rook 4"), ("Price", "€2,450"), ("", "in stock")), 0)
    assert answer.text == "Name: Rook 4 · Price: €2,450 · in stock [1]"
    assert answer.citations[0].quote == "Row 1 in Table 1: Name is Rook 4, and Price is €2,450, and in stock"


def test_a_row_is_shown_with_the_section_of_the_table_that_it_stands_in() -> None:
    assert shown(row(("Name", "Rook 4"), section="Current models"), 0).text == "Current models – Name: Rook 4 [1]"


LONG = [(f"Column {letter}", " ".join([letter * 3] * 12)) for letter in "abcdefgh"]


def test_of_a_wide_row_the_first_cell_those_asked_about_and_short_ones_are_shown() -> None:
    cells = (("Model", "Heron"), *LONG, ("Result", "passed"), ("Warranty", "3 years after it was delivered to you"))
    text = shown(row(*cells), 0, question="How long is the warranty?").text
    assert text == "Model: Heron · Result: passed · Warranty: 3 years after it was delivered to you [1]"


def test_of_a_wide_row_of_short_cells_the_first_ones_are_shown() -> None:
    cells = tuple((f"Kind {letter}", letter * 3) for letter in "abcdefghijkl")
    text = shown(row(*cells), 0, question="Why?").text
    assert text.startswith("Kind a: aaa · Kind b: bbb · ")
    assert "lll" not in text


def test_an_item_brings_the_items_that_are_nested_in_it() -> None:
    tools = evidence("- HID tools, like", "  - hidrd", "  - hid-replay", "- Others", kind="list", heading="Tools")
    assert shown(tools, 0).text == "Tools:\n- HID tools, like\n  - hidrd\n  - hid-replay [1]"


def test_a_small_list_is_shown_whole_if_several_of_its_items_fit() -> None:
    kit = evidence("- Hoodie", "- Socks", "- Tumbler", kind="list", heading="Welcome kit", numbers=(1, 2, 3))
    assert shown(kit, 0, 2).text == "Welcome kit:\n- Hoodie\n- Socks\n- Tumbler [1]"
    assert shown(kit, 1).text == "Welcome kit:\n- Socks [1]"


@given(indexes=st.sets(st.integers(0, 11), min_size=2))
def test_of_a_longer_list_the_places_of_omitted_items_are_marked(indexes: set[int]) -> None:
    towers = evidence(*(f"- tower {number}" for number in range(12)), kind="list", numbers=tuple(range(1, 13)))
    expected = "\n".join(f"- tower {number}" if number in indexes else "- …" for number in range(12))
    assert shown(towers, *indexes).text == re.sub(r"(?:- …\n?)+(?=\n|$)|(?:- …\n)+", _mark_once, expected) + " [1]"


def _mark_once(omitted: re.Match[str]) -> str:
    return "- …\n" if omitted[0].endswith("\n") else "- …"


def test_items_of_a_part_of_a_list_are_marked_too() -> None:
    part = evidence("- Hoodie", "- Socks", "- Tumbler", kind="list", numbers=(1, 2, 3), total=9)
    assert shown(part, 0, 1).text == "- Hoodie\n- Socks\n- … [1]"


def test_items_of_a_later_part_of_a_list_and_nested_ones_are_marked_in_their_place() -> None:
    items = ("- E", "  - e1", "  - e2", "- F")
    part = evidence(*items, kind="list", numbers=(5, 6, 7, 8), total=8)
    assert shown(part, 2, 3).text == "- …\n- E\n  - …\n  - e2\n- F [1]"


def test_a_part_of_a_long_item_is_no_omission() -> None:
    items = evidence("- First.", "Its rest.", *("- more",) * 8, kind="list", numbers=(1, 1, *range(2, 10)))
    assert shown(items, 0, 2).text == "- First.\n- more\n- … [1]"


def test_a_list_of_few_long_items_is_not_shown_whole() -> None:
    items = evidence("- Hoodie", "- Socks", f"- {'Tumbler ' * 120}", kind="list", numbers=(1, 2, 3))
    assert shown(items, 0, 1).text == "- Hoodie\n- Socks\n- … [1]"


@pytest.mark.parametrize("reply", ["Yes, it is.", "A: No, not yet.", "Ja."])
def test_a_reply_comes_with_the_question_in_its_heading(reply: str) -> None:
    item = evidence(reply, "It was built in 1887.", heading="Is the tower open?")
    assert shown(item, 0).text == f"Is the tower open? {reply} [1]"
    assert shown(item, 1).text == f"Is the tower open? {reply} It was built in 1887. [1]"


def test_a_sentence_that_only_begins_like_a_reply_comes_without_its_heading() -> None:
    assert shown(evidence("No tower is open.", heading="Is the tower open?"), 0).text == "No tower is open. [1]"


def test_a_row_in_another_form_than_the_verbalised_is_shown_as_it_is() -> None:
    item = evidence("Name | Price\nRook 4 | €2,450", kind="table_row", rows=((("Name", "Rook 4"),),))
    assert shown(item, 0).text == "Name | Price\nRook 4 | €2,450 [1]"


def test_several_rows_of_one_table_are_lines_of_their_own() -> None:
    answer = shown(table((("Name", "Wren"),), (("Name", "Rook"),)), 1, 0)
    assert answer.text == "- Name: Wren\n- Name: Rook [1]"


def test_a_whole_list_comes_with_the_line_that_introduces_it() -> None:
    item = evidence("1. Stop.", "2. Look.", kind="list", heading="Safety", before="Be careful. Before you cross:")
    assert compose(quote_list([item])).text == "Before you cross:\n1. Stop.\n2. Look. [1]"


def test_a_list_without_such_a_line_comes_under_its_heading() -> None:
    item = evidence("- Stop.", "- Look.", kind="list", heading="Crossing", before="An unrelated sentence.")
    assert compose(quote_list([item])).text == "Crossing:\n- Stop.\n- Look. [1]"


@pytest.mark.parametrize("heading", ["Risks", "Risks:", "Risks: "])
def test_a_heading_that_ends_with_a_colon_has_one(heading: str) -> None:
    item = evidence("- Ice.", "- Wind.", kind="list", heading=heading)
    assert compose(quote_list([item])).text == "Risks:\n- Ice.\n- Wind. [1]"


def test_a_very_long_list_is_said_to_go_on() -> None:
    item = evidence(*(f"- item {number} has quite a few words in it" for number in range(200)), kind="list")
    quoted = quote_list([item])
    lines = compose(add_remarks(ANY, quoted)).text.splitlines()
    assert lines[-1] == f"Showing {len(lines) - 1} of 200. [1]"
    assert 30 < len(lines) < 60


def test_a_list_in_several_pieces_is_shown_whole_each_piece_with_its_source() -> None:
    first = evidence("- north", "- east", kind="list", heading="Towers", ordinal=1, numbers=(1, 2), total=3)
    second = evidence("- south", kind="list", heading="Towers", ordinal=2, numbers=(3,), total=3)
    assert compose(quote_list([first, second])).text == "Towers:\n- north\n- east [1]\n- south [2]"


def test_a_list_of_which_pieces_are_missing_is_said_to_go_on() -> None:
    item = evidence("- north", "- east", kind="list", numbers=(1, 2), total=3)
    german = find_focus("Welche Türme gibt es?")
    assert compose(add_remarks(german, quote_list([item]))).text == "- north\n- east\nAngezeigt: 2 von 3. [1]"


def test_one_item_comes_with_the_items_that_it_is_nested_in_and_no_others() -> None:
    parts = ("1. Offices", "  - Utrecht", "    - ring twice", "  - Berlin", "    - third floor", "2. Badge")
    item = evidence(*parts, kind="list", heading="First day")
    assert shown(item, 4).text == "First day:\n1. Offices\n  - Berlin\n    - third floor [1]"


@pytest.mark.parametrize(
    "pronoun", ["It", "This", "They", "These", "Sie", "Er", "Es", "Dies", "Dieses", "Dann", "Such a clock"]
)
def test_a_sentence_that_points_back_brings_the_sentence_before(pronoun: str) -> None:
    second = f"{pronoun} needs oil every year."
    item = evidence("Paint fades in strong sun.", "The old clock stands in Delft today.", second)
    assert shown(item, 2).text == f"The old clock stands in Delft today. {second} [1]"


def test_a_sentence_under_a_label_brings_the_label() -> None:
    assert shown(evidence("Costs.", "Forty euros a month."), 1).text == "Costs. Forty euros a month. [1]"


def test_a_first_sentence_that_points_back_brings_its_heading() -> None:
    item = evidence("This stops the bell at once.", "It is loud.", heading="SIGINT")
    assert shown(item, 0).text == "SIGINT: This stops the bell at once. [1]"
    assert shown(evidence("Stops the bell.", heading="SIGINT"), 0).text == "Stops the bell. [1]"


def test_the_first_sentence_needs_none_before() -> None:
    assert shown(evidence("It is oiled.", "It runs."), 0).text == "It is oiled. [1]"


def test_sentences_that_do_not_follow_each_other_are_joined_by_an_ellipsis() -> None:
    parts = ("First things come first here.", "Second things come second.", "Third things come third.")
    assert shown(evidence(*parts), 2, 0).text == f"{parts[0]} … {parts[2]} [1]"


def test_code_comes_fenced_after_the_sentence_that_introduces_it() -> None:
    item = evidence("Paint fades in the sun.", "Restart the service like this.", "```bash\nservice restart\n```")
    assert shown(item, 2).text == "Restart the service like this.\n```bash\nservice restart\n```\n[1]"


def test_code_that_only_says_then_brings_what_went_before_then() -> None:
    item = evidence("Open the lid of the box.", "Then:", "```\npress\n```")
    assert shown(item, 2).text == "Open the lid of the box. Then:\n```\npress\n```\n[1]"


def test_code_that_nothing_introduces_comes_under_its_heading() -> None:
    assert shown(evidence("```\nlamp on\n```", heading="Switch on"), 0).text == "Switch on:\n```\nlamp on\n```\n[1]"


def test_a_sentence_that_announces_something_brings_it() -> None:
    item = evidence("There are two hands:", "The hour hand and the minute hand are both of brass.")
    assert shown(item, 0).text == f"{item.parts[0]} {item.parts[1]} [1]"


def test_a_sentence_that_announces_the_list_after_the_passage_brings_its_items_a_line_each() -> None:
    item = evidence("What is ticked:", after="[x] tests are green [ ] notes are written - in English [ ] the …")
    assert shown(item, 0).text.splitlines()[1:] == [
        "[x] tests are green",
        "[ ] notes are written - in English",
        "[ ] the … [1]",
    ]


@pytest.mark.parametrize("is_shortened", [False, True])
def test_rows_that_a_sentence_announces_come_as_items_without_their_numbers(is_shortened: bool) -> None:
    lines = ("Row 1 in Table 2: Name is Rook", "Row 2 in Table 2 (Old): Name is Wren")
    item = evidence("These are sold:", after="\n".join(lines))
    if is_shortened:
        item = replace(item, context=replace(item.context, after_breaks=(len(lines[0]),)))
    assert shown(item, 0).text == "These are sold:\n- Name is Rook\n- Old – Name is Wren [1]"


@pytest.mark.parametrize("forged", ["[1]", "[2]", "[12]", "[999]"])
def test_a_pages_own_number_in_brackets_does_not_read_as_a_citation(forged: str) -> None:
    answer = shown(evidence(f"The bell weighs two tonnes {forged} and rings."), 0)
    assert answer.text == f"The bell weighs two tonnes ({forged[1:-1]}) and rings. [1]"
    assert forged in answer.citations[0].quote  # the quote is verbatim


def test_code_keeps_its_brackets() -> None:
    assert "bells[1].ring()" in shown(evidence("Ring it so.", "```\nbells[1].ring()\n```"), 1).text


@pytest.mark.parametrize(
    "text",
    [
        "<!channel> <@U123> & <b>bold</b> \\ `tick`",
        "*stars* _lines_ ~waves~ [link](https://x.example)",
        "العربية 鐘 🔔 naïve Straße",
        "{{ template }} {% raw %} $HOME \\1 \\g<0>",
    ],
)
def test_text_and_markup_characters_pass_through_unharmed(text: str) -> None:
    assert shown(evidence(text), 0).text == f"{text} [1]"
    assert shown(row(("Sign", text)), 0).text == f"Sign: {text} [1]"


@pytest.mark.parametrize(
    ("heading", "text", "begin"),
    [
        ("decimal.ROUND_HALF_UP", "Round ties away from zero.", "decimal.ROUND_HALF_UP: "),
        ("class contextlib.suppress(*exceptions)", "It is reentrant.", "class contextlib.suppress(*exceptions): "),
        ("--depth=<n>", "Shortens the history.", "--depth=<n>: "),
        ("decimal.ROUND_HALF_UP", "ROUND_HALF_UP rounds ties away from zero.", ""),
        ("Rounding", "Round ties away from zero.", ""),
        ("Decimal.quantize(exp)", "Quantize rounds.", ""),
        ("-v, --verbose", "With -v more is printed.", ""),
        ("Ansprechpartner(in)", "Ada hilft.", ""),
        ("U.S. office", "Open at nine.", ""),
        ("St.Gallen", "Open at nine.", ""),
        ("-5 °C und kälter", "Die Glocke ruht.", ""),
    ],
)
def test_what_an_entry_defines_is_named(heading: str, text: str, begin: str) -> None:
    assert shown(evidence(text, heading=heading), 0).text.removeprefix(begin) == f"{text} [1]"


def test_an_entry_of_another_page_has_its_name_behind_the_title_of_the_page() -> None:
    entry = evidence("Round ties away from zero.", heading="decimal.ROUND_HALF_UP", title="Decimal", page_id="1")
    other = evidence("Ties are rare.", title="Numbers", page_id="2")
    said = compose([quote_units(ANY, chosen(each, 0)) for each in ranked(entry, other)]).text.splitlines()
    assert said == ["Decimal › decimal.ROUND_HALF_UP: Round ties away from zero. [1]", "Numbers: Ties are rare. [2]"]


def test_quotations_of_several_pages_say_which_page_each_is_of() -> None:
    old, new = ranked(
        evidence("The limit is €140.", page_id="1", title="Policy 2024"),
        evidence("The limit is €165.", page_id="2", title="Policy 2026"),
    )
    answer = compose([quote_units(ANY, chosen(old, 0)), quote_units(ANY, chosen(new, 0))])
    assert answer.text == "Policy 2024: The limit is €140. [1]\nPolicy 2026: The limit is €165. [2]"
    assert [(item.number, item.page_id) for item in answer.citations] == [(1, "1"), (2, "2")]


def test_quotations_of_several_sections_of_a_page_say_which_section_each_is_of() -> None:
    tracked = evidence("All files are saved.", heading="-u, --include-untracked")
    usual = evidence("Changes are saved.", heading="Usage:", ordinal=1)
    answer = compose([quote_passage(each, [0]) for each in (tracked, usual)])
    assert answer.text == "-u, --include-untracked: All files are saved. [1]\nChanges are saved. [2]"


def test_two_quotations_in_a_row_name_their_section_or_page_once() -> None:
    calls = [evidence(text, heading="Calls", ordinal=at) for at, text in enumerate(("Ada rings.", "Ben answers."))]
    mail = evidence("Cleo writes.", heading="Mail", ordinal=2)
    one_page = compose([quote_passage(each, [0]) for each in (*calls, mail)])
    assert one_page.text == "Calls: Ada rings. [1]\nBen answers. [2]\nMail: Cleo writes. [3]"
    other = evidence("Dora waits.", page_id="2", title="Shop")
    two_pages = compose([quote_passage(each, [0]) for each in (*calls, mail, other)])
    assert two_pages.text == (
        "Clock manual: Ada rings. [1]\nBen answers. [2]\nClock manual › Mail: Cleo writes. [3]\nShop: Dora waits. [4]"
    )


def test_a_section_that_a_verdict_did_not_name_is_named_next() -> None:
    calls = [evidence(text, heading="Calls", ordinal=at) for at, text in enumerate(("Ada rings.", "Ben answers."))]
    mail = evidence("Cleo writes.", heading="Mail", ordinal=2)
    first, *others = (quote_passage(each, [0]) for each in (*calls, mail))
    answer = compose([replace(first, lead="Yes – "), *others])
    assert answer.text == "Yes – Ada rings. [1]\nCalls: Ben answers. [2]\nMail: Cleo writes. [3]"


def test_a_general_heading_does_not_make_a_text_part_of_the_section_before() -> None:
    calls, notes = evidence("Ada rings.", heading="Calls"), evidence("Reboot twice.", heading="Notes", ordinal=1)
    shop = evidence("Dora waits.", page_id="2", title="Shop")
    answer = compose([quote_passage(each, [0]) for each in (calls, notes, shop)])
    assert answer.text == "Clock manual: Ada rings. [1]\nClock manual: Reboot twice. [2]\nShop: Dora waits. [3]"


def test_an_evidence_that_is_used_twice_has_one_number() -> None:
    item = ranked(table((("Name", "Wren"),), (("Name", "Rook"),)))[0]
    answer = compose([quote_units(ANY, chosen(item, 0)), quote_units(ANY, chosen(item, 1))])
    assert numbers(answer) == [1, 1]
    assert len(answer.citations) == 1


def test_a_citation_leads_to_the_location() -> None:
    item = evidence("The bell is of bronze.", heading="Metal", title="Bells", page_id="7")
    (found,) = shown(item, 0).citations
    assert (found.title, found.heading, found.url, found.kind) == ("Bells", "Metal", "https://w/7", "passage")
    assert found.quote == "The bell is of bronze."


def test_a_long_quote_is_cut_at_a_word() -> None:
    (found,) = shown(evidence("bronze " * 200), 0).citations
    assert found.quote.endswith("bronze …")
    assert len(found.quote) <= 402


# ---------------------------------------------------------------------------------- any evidences

_WORDS = st.text(st.sampled_from("abcäß🔔<>&*_[]19 ."), min_size=1, max_size=20).map(str.strip).filter(bool)


@st.composite
def _evidences(draw: st.DrawFn) -> list[Evidence]:
    found = []
    for ordinal in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["passage", "list", "table_row"]))
        heading, page_id = draw(st.sampled_from(["", "Heading"])), draw(st.sampled_from(["1", "2"]))
        texts = draw(st.lists(_WORDS, min_size=1, max_size=4))
        if kind == "passage":
            found.append(evidence(*texts, page_id=page_id, ordinal=ordinal, heading=heading))
        elif kind == "list":
            items = [f"{'  ' * draw(st.integers(0, 2))}- {text}" for text in texts]
            found.append(evidence(*items, kind="list", page_id=page_id, ordinal=ordinal, heading=heading))
        else:
            cells = tuple((f"h{at}", text) for at, text in enumerate(texts))
            found.append(row(*cells, number=ordinal, page_id=page_id, title="Clock manual"))
    return found


@given(_evidences(), st.data())
def test_whatever_the_evidences_every_number_has_its_citation_and_every_word_its_source(
    evidences: list[Evidence], data: st.DataObject
) -> None:
    quotations = [
        quote_units(ANY, chosen(item, *data.draw(st.sets(st.integers(0, len(item.evidence.parts) - 1), min_size=1))))
        for item in ranked(*evidences)
    ]
    answer = compose(quotations)
    assert answer.answered
    assert numbers(answer) == list(range(1, len(evidences) + 1))
    assert [item.number for item in answer.citations] == numbers(answer)
    for item, cited in zip(evidences, answer.citations, strict=True):
        assert cited.evidence_id == item.evidence_id
        assert any(part in cited.quote for part in item.parts)
        assert set(cited.quote.split()) <= set(item.text.split())
    without = re.sub(r" \[\d+\](?=\n|$)", "", answer.text)
    assert _letters(without) <= _letters(" ".join(f"{item.text} {item.context}" for item in evidences))


def _letters(text: str) -> set[str]:
    return set(re.findall(r"[\wß🔔<>&]+", text))
