import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.pages.page_question import Fact, find_titles, read_page_question

ASKED = [
    ("Who owns the page Release notes 8.0?", [Fact.OWNER]),
    ("who is responsible for the vacation page?", [Fact.OWNER]),
    ("Wem gehört die Seite Release notes 8.0?", [Fact.OWNER]),
    ("Who wrote the release notes?", [Fact.CREATOR]),
    ("Wer ist der Autor der Confluence-Seite zu Release notes?", [Fact.CREATOR]),
    ("When was the page on release notes created, and by whom?", [Fact.CREATOR, Fact.CREATED]),
    ("When was the handbook last updated?", [Fact.UPDATED]),
    ("Who wrote the blog post Moving to Postgres?", [Fact.CREATOR]),
    ("how old is the travel policy", [Fact.UPDATED]),
    ("Can you say who wrote the handbook?", [Fact.CREATOR]),
    ("Wer hat die Seite Glossar zuletzt geändert und wann?", [Fact.EDITOR, Fact.UPDATED]),
    ("Which version of the page Glossary is there?", [Fact.VERSION]),
    ("Welche Labels hat die Seite Glossar?", [Fact.LABELS]),
    ("What is attached to the glossary page?", [Fact.FILES]),
    ("How many comments does the page Glossary have?", [Fact.COMMENTS]),
    ("How many people commented on the Measurement Test? Who?", [Fact.COMMENTERS]),
    ("Wer hat die Seite Glossar kommentiert?", [Fact.COMMENTERS]),
]


@pytest.mark.parametrize(("question", "asked"), ASKED, ids=[question for question, _ in ASKED])
def test_what_is_asked_of_a_page_is_recognised(question: str, asked: list[Fact]) -> None:
    found = read_page_question(question)
    assert found
    assert list(found.asked) == asked


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Which version of Xen is on the page Upgrades?",
        "How many days passed since OXT-607 was created and last updated?",
        "How do I update the server?",
        "Where are the release notes?",
        "Who approves a hotel?",
        f"When was {'this and that ' * 30}changed?",
        "how old may a printout be at most? (Emergency printout)",
        "wie alt darf der höchstens sein?",
        "Wann muss die Seite Notfallplan aktualisiert werden?",
        "who should update the runbook",
        "When will the handbook be updated?",
    ],
)
def test_other_questions_ask_nothing_of_a_page(question: str) -> None:
    assert read_page_question(question) is None


def test_the_words_that_name_the_page_are_told_from_those_that_ask() -> None:
    found = read_page_question("Who last changed the port on the wiki page about Release notes 8.0?")
    assert found
    assert [word.text for word in found.words] == ["port", "Release", "notes", "8.0"]
    assert [word.text for word in found.phrase] == ["Release", "notes", "8.0"]
    assert found.calls_it_page


def test_a_german_compound_with_seite_calls_it_a_page() -> None:
    found = read_page_question("Wann wurde die Urlaubsseite zuletzt geändert?")
    assert found
    assert found.calls_it_page
    assert [word.text for word in found.phrase] == ["Urlaubs"]


def test_what_the_conversation_is_about_is_no_part_of_what_was_asked() -> None:
    found = read_page_question("When was it last updated? (Release notes 8.0: known problems)")
    assert found
    assert (found.words, found.subject) == ((), "Release notes 8.0: known problems")
    assert "Release notes 8.0" in find_titles(found)


def test_titles_are_looked_for_as_they_are_written() -> None:
    found = read_page_question('Who owns "how we work" or the page Tech1: Platform?')
    assert found
    assert {"how we work", "Tech1: Platform", "Platform"} <= find_titles(found)


@given(st.lists(st.sampled_from(["who", "owns", "Seite", "(", "?", ":", "“", '"', "A", "8.0"]) | st.text(max_size=9)))
def test_any_question_is_read_without_an_error(words: list[str]) -> None:
    if found := read_page_question(" ".join(words)):
        assert all(find_titles(found))


@pytest.mark.parametrize(
    "question",
    ["Who wrote the blog post Moving to Postgres?", "Wer hat den Blogbeitrag Moving to Postgres geschrieben?"],
)
def test_a_blog_post_is_called_a_page(question: str) -> None:
    asked = read_page_question(question)
    assert asked is not None
    assert asked.calls_it_page
    assert [word.folded for word in asked.words] == ["moving", "postgres"]
