import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.generative.cleaning import AddressPolicy, clean_answer
from core.answering.generative.statements import ParsedAnswer, Statement, is_refusal, parse_answer, split_statements
from core.model import NOT_FOUND
from core.text import STOPWORDS


def read(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(statement.text, statement.cited) for statement in split_statements(text)]


@pytest.mark.parametrize(
    "citation",
    [
        "[2]",
        "[Source 2]",
        "[source: 2]",
        "(Source 2)",
        "(Quelle 2)",
        "[Quelle 2]",
        "【2】",
        "【2†source】",
        "[^2]",
        "[#2]",
    ],
)
def test_one_source_in_any_form(citation: str) -> None:
    assert read(f"The bell weighs two tons {citation}.") == [("The bell weighs two tons.", (2,))]
    assert read(f"The bell weighs two tons. {citation}") == [("The bell weighs two tons.", (2,))]


@pytest.mark.parametrize(
    ("citation", "numbers"),
    [
        ("[1, 3]", (1, 3)),
        ("[1,3]", (1, 3)),
        ("[1; 3]", (1, 3)),
        ("[1-3]", (1, 2, 3)),
        ("[1–3]", (1, 2, 3)),
        ("[1] [3]", (1, 3)),
        ("[1][3]", (1, 3)),
        ("[1] and [3]", (1, 3)),
        ("[1 and 3]", (1, 3)),
        ("[Source 1, Source 3]", (1, 3)),
        ("(Sources 1 and 3)", (1, 3)),
        ("(see [1] and [3])", (1, 3)),
        ("[99]", (99,)),
    ],
)
def test_several_sources_in_any_form(citation: str, numbers: tuple[int, ...]) -> None:
    assert read(f"The bell is heavy {citation}.")[0][1] == numbers


def test_each_sentence_has_its_own_sources() -> None:
    text = "The reception opens at eight [1]. It closes at six. [2, 3] Keys are with Carmen."
    assert read(text) == [
        ("The reception opens at eight.", (1,)),
        ("It closes at six.", (2, 3)),
        ("Keys are with Carmen.", ()),
    ]


def test_a_line_that_cites_ahead_of_its_sentences() -> None:
    assert read("[1] The door is red. [2] The gate is blue.") == [
        ("The door is red.", (1,)),
        ("The gate is blue.", (2,)),
    ]


def test_a_line_of_citations_alone_belongs_to_the_lines_before_it() -> None:
    text = "Bring:\n- a lamp\n- a rope\n[1, 2]"
    assert [cited for _, cited in read(text)] == [(1, 2)] * 3
    assert read("The door is red.\nSources: [1], [2]") == [("The door is red.", (1, 2))]
    assert read("Kevin and Carl. They can be found in [1] and [2].") == [("Kevin and Carl.", (1, 2))]
    assert read("It passed. [1] This can be seen in the table from [2].") == [("It passed.", (1, 2))]


def test_words_that_only_lead_to_a_citation_go() -> None:
    assert read("According to [Source 2], it is five.") == [("It is five.", (2,))]
    assert read("Laut Quelle [1] ist es rot.") == [("Ist es rot.", (1,))]


def test_brackets_in_code_are_no_citations() -> None:
    assert read("Take `items[1]` here [2].") == [("Take `items[1]` here.", (2,))]
    assert read("```\nprint(x[3])\n```\n[1]") == [("```\nprint(x[3])\n```", (1,))]


def test_lines_and_lists_keep_their_layout() -> None:
    leads = [statement.lead for statement in split_statements("Do this:\n1. Stop [1]\n2. Wait [1]\n\nThen go. Now.")]
    assert leads == ["", "\n", "\n", "\n\n", " "]


def test_a_line_that_ends_with_a_colon_introduces() -> None:
    assert Statement("These are:", (), "").introduces
    assert not Statement("These are red.", (), "").introduces


FUNCTION_WORDS = st.sampled_from(sorted(STOPWORDS))
CONTENT = st.text("bdfgklmnprtvwxz", min_size=5, max_size=9).filter(lambda word: word not in STOPWORDS)
CITATIONS = st.sampled_from(["[2]", "[1], [2]", "[1][3]", "[1], [2] and [3]", "[Source 2]", "(Quelle 2)", "source [4]"])


@given(st.lists(CONTENT, min_size=1, max_size=6), FUNCTION_WORDS, CITATIONS, st.sampled_from([".", "!", ""]))
def test_a_sentence_whose_last_word_was_a_citation_is_cut_off(
    said: list[str], function_word: str, citation: str, stop: str
) -> None:
    (statement,) = split_statements(f"Bells {' '.join(said)} {function_word} {citation}{stop}")
    assert statement.cut_after == function_word
    assert parse_answer(
        f"It rings. Bells {' '.join(said)} {function_word} {citation}{stop}", True, "en"
    ) == ParsedAnswer((Statement("It rings.", (), ""),), "cut")


@given(CONTENT, CITATIONS, st.sampled_from(["Euro", "€", "euros", "percent", "%", "Tage", "hours"]))
def test_a_sentence_whose_number_was_a_citation_is_cut_off(said: str, citation: str, unit: str) -> None:
    assert [each.cut_after for each in split_statements(f"The bell {said} {citation} {unit}.")] == [said]
    assert [each.cut_after for each in split_statements(f"The bell {said} 7 {citation} {unit}.")] == [""]
    assert [each.cut_after for each in split_statements(f"The bell {said} 7 {unit}. {citation}")] == [""]


@given(st.lists(CONTENT, min_size=1, max_size=6), FUNCTION_WORDS, CITATIONS)
def test_a_sentence_that_its_citation_only_follows_is_not_cut_off(
    said: list[str], function_word: str, citation: str
) -> None:
    text = f"Bells {' '.join(said)}"
    for cited in (
        f"{text} {citation}.",
        f"{text} {function_word}. {citation}",
        f"{text} {function_word} {citation} ring.",
    ):
        assert [statement.cut_after for statement in split_statements(cited)] == [""]
    as_the_wiki = parse_answer(f"{text} {function_word} {citation}.", True, "en", lambda word: word == function_word)
    assert [statement.text for statement in as_the_wiki.statements][:1] != []
    assert as_the_wiki.defect != "cut"


@given(st.lists(CONTENT, min_size=1, max_size=6), st.lists(st.integers(1, 20), min_size=1, max_size=9))
def test_no_punctuation_is_left_of_citations_in_a_row(said: list[str], numbers: list[int]) -> None:
    for joint in (", ", " ", "; ", ", and "):
        (statement,) = split_statements(f"Bells {' '.join(said)} {joint.join(f'[{number}]' for number in numbers)}.")
        assert statement.text == f"Bells {' '.join(said)}."
        assert set(statement.cited) == set(numbers)


def test_a_phrase_that_only_leads_to_the_citation_goes_at_the_end_too() -> None:
    assert read("The limit is 150 euros, according to source [2].") == [("The limit is 150 euros.", (2,))]
    assert read("Das Limit sind 150 Euro laut Quelle [2].") == [("Das Limit sind 150 Euro.", (2,))]


@given(st.text(alphabet=st.sampled_from("ab [](),.12:-\n`【】?Source"), max_size=60))
def test_any_text_can_be_read_and_no_mark_remains(text: str) -> None:
    for statement in split_statements(clean_answer(text, AddressPolicy(frozenset(), "(link)"))):
        assert statement.text.strip()
        assert not any("\ue000" <= character <= "\uf8ff" for character in statement.text)
        assert all(number >= 0 for number in statement.cited)


def test_a_table_s_row_is_one_statement_and_its_header_states_nothing() -> None:
    table = "| Country | Limit. Per night |\n| :--- | ---: |\n| Germany. All of it | 150 [2] |\n| Italy | 140 | [1]"
    header, rule, germany, italy = split_statements(table)
    assert header.introduces
    assert rule.introduces
    assert (germany.text, germany.cited, germany.is_row) == ("| Germany. All of it | 150 |", (2,), True)
    assert (italy.text, italy.cited, italy.is_row) == ("| Italy | 140 |", (1,), True)
    assert not germany.introduces


@pytest.mark.parametrize(
    "text",
    [
        NOT_FOUND,
        f'"{NOT_FOUND}"',
        f"{NOT_FOUND} [1]",
        f"{NOT_FOUND}\nThe sources are about clocks.",
        "The desired information cannot be found in the pool of evidence.",
        "The sources do not mention the price.",
        "There is no information about the price in the sources.",
        "The price is not specified.",
        "Die Quellen enthalten keine Angaben zum Preis.",
        "Der Preis wird nicht genannt.",
        "I don't know.",
    ],
)
def test_a_refusal_is_seen(text: str) -> None:
    assert is_refusal(split_statements(text))


@pytest.mark.parametrize(
    "text",
    [
        "The price is 40 euros. [1]",
        "No. [1]",
        "The form does not need a signature. [1]",
        f"The price is 40 euros. [1] {NOT_FOUND}",
        "Smoking is not allowed.",
        "",
    ],
)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert not is_refusal(split_statements(text))
