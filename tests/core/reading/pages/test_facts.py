from dataclasses import replace
from datetime import date

import pytest

from core.evidence.facts import make_facts_evidence
from core.model import PageFacts, RankedEvidence
from core.reading.pages.facts import answer_from_facts
from tests.core.reading.tables import MACHINES, PLUGINS, evidences

KNOWN = PageFacts(
    "Ann Lee",
    "",
    None,
    "Bo Hall",
    date(2019, 3, 12),
    7,
    ("release",),
    ("a.pdf", "b.png"),
    2,
    ("Cy", "Di"),
    "© Acme, CC BY 4.0.",
)


def facts(
    title: str, known: PageFacts = KNOWN, page_id: str = "7", rank: int = 1, space: str = "ENG"
) -> RankedEvidence:
    found = make_facts_evidence(page_id, space, title, f"https://wiki/{page_id}", known)
    assert found
    return RankedEvidence(found, rank, 0.0)


def told(question: str, *found: RankedEvidence) -> str:
    answer = answer_from_facts(question, found)
    return answer.text if answer else ""


TOLD = [
    ("When was the page Notes 8.0 last updated?", "“Notes 8.0” was last updated on 12 March 2019 by Bo Hall. [1]"),
    ("Wann wurde Seite Notes 8.0 geändert?", "„Notes 8.0“ wurde zuletzt am 12. März 2019 von Bo Hall geändert. [1]"),
    ("Who changed Notes 8.0 last, and when?", "“Notes 8.0” was last updated on 12 March 2019 by Bo Hall. [1]"),
    ("who owns the notes 8.0", "“Notes 8.0” is owned by Ann Lee. [1]"),
    ("Who wrote the page Notes 8.0?", "Who wrote “Notes 8.0” is not stated; it is owned by Ann Lee. [1]"),
    ("Which version of the page Notes 8.0 is current?", "“Notes 8.0” is at version 7. [1]"),
    ("Which labels does the page Notes 8.0 have?", "“Notes 8.0” has 1 label: release. [1]"),
    ("Which files are on the page Notes 8.0?", "“Notes 8.0” has 2 files: a.pdf and b.png. [1]"),
    ("Which PDF is attached to the page Notes 8.0?", "Files on “Notes 8.0”: a.pdf. [1]"),
    ("How many comments does the page Notes 8.0 have?", "“Notes 8.0” has 2 comments, by Cy and Di. [1]"),
    ("Which organization holds the copyright for the page on Notes 8.0?", "“Notes 8.0” says: © Acme, CC BY 4.0. [1]"),
    ("Unter welcher Lizenz steht die Seite Notes 8.0?", "Auf „Notes 8.0“ steht: © Acme, CC BY 4.0. [1]"),
    ("Who commented on Notes 8.0?", "2 people commented on “Notes 8.0”: Cy and Di. [1]"),
    (
        "Who owns the page Notes 8.0, and how old is it?",
        "“Notes 8.0” is owned by Ann Lee. “Notes 8.0” was last updated on 12 March 2019 by Bo Hall. [1]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer"), TOLD, ids=[question for question, _ in TOLD])
def test_a_fact_is_told_in_a_sentence_of_the_question_s_language(question: str, answer: str) -> None:
    assert told(question, facts("Notes 8.0"), facts("Notes 9.0", page_id="8", rank=2)) == answer


def test_the_answer_cites_the_facts() -> None:
    answer = answer_from_facts("Who owns the page Bells?", [facts("Bells")])
    assert answer
    (cited,) = answer.citations
    assert (cited.kind, cited.title, cited.number) == ("facts", "Bells", 1)
    assert cited.quote.startswith("Owned by Ann Lee.")


@pytest.mark.parametrize(
    "question",
    [
        "When was the server last updated?",
        "When was the build server last updated?",
        "Who changed the port on the page Build server 8.0?",
        "Who owns the page Build server 9.0?",
        "Who owns the page?",
        "When was the page Build server 8.0 created?",
        "How many machines does the page Build server 8.0 have?",
    ],
)
def test_what_names_another_thing_or_is_not_known_is_left_to_the_words_of_the_page(question: str) -> None:
    assert told(question, facts("Build server 8.0")) == ""


def test_a_thing_is_no_page_by_its_name_unless_it_is_written_as_the_title() -> None:
    page = facts("Build server")
    assert told("When was the build server last updated?", page) == ""
    assert told("When was Build server last updated?", page) != ""
    assert told('When was "build server" last updated?', page) != ""
    assert told("When was the build server page last updated?", page) != ""


def test_a_list_or_plan_is_a_text_by_its_name() -> None:
    said = "„Serverliste“ wurde zuletzt am 12. März 2019 von Bo Hall geändert. [1]"
    assert told("wann wurde die serverliste aktualisiert", facts("Serverliste")) == said
    assert told("when was the server list updated", facts("Server list")) != ""
    assert told("wann wurde der server aktualisiert", facts("Server")) == ""


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("who last edited the 8.0 test matrix?", "8.0 Test Matrix (results)"),
        ("when was the service catalogue last updated?", "Service catalogue"),
        ("Wann wurde die Prüfanweisung für den Mirel zuletzt geändert?", "Prüfanweisung: Endprüfung Mirel"),
        ("when was the on-call rota last updated?", "On-call rota"),
        ("when was the remote work guideline last updated", "Remote work guideline"),
        ("when did somebody touch the borg prune page last?", "borg prune"),
        ("Wer hat die Seite Notes 8.0 zuletzt geändert?", "Notes 8.0"),
        ("When is the page Notes 8.0 updated?", "Notes 8.0"),
    ],
)
def test_texts_have_many_names(question: str, title: str) -> None:
    assert "12" in told(question, facts(title))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("When does the on-call rota change?", "On-call rota"),
        ("when is the duty roster updated", "Duty roster"),
        ("wann wird der dienstplan geändert", "Dienstplan"),
        ("How old are the laptops in the laptop catalogue?", "Laptop catalogue"),
        ("who owns the services in the service catalogue?", "Service catalogue"),
        ("who updated the matrix server?", "Matrix server"),
        ("wer hat die zuordnung der kostenstellen geändert", "Zuordnung der Kostenstellen"),
        ("Wer bearbeitet Rechnungen?", "Rechnungen"),
        ("who edited the release?", "Release notes"),
        ("when were the prices in the price catalogue last changed?", "Price catalogue"),
        ("who was last changed on the rota?", "On-call rota"),
        ("wann wurde die verordnung zuletzt geändert", "Verordnung über Glocken"),
    ],
)
def test_things_with_the_names_of_texts_are_no_pages(question: str, title: str) -> None:
    assert told(question, facts(title)) == ""


@pytest.mark.parametrize(
    "question",
    [
        "and when was that? (Server: changed firewall password)",
        "and when was that? (Server: zuletzt WLAN-Passwort geändert)",
        "and when was that? (Server: update planned)",
        "and when was that? (Server: last owner changed)",
        "and who? (Server: last version published)",
        "and since when? (Server: owner printer)",
        "and when is it? (Server)",
        "and when was it? (Server: Change management)",
        "and why? (Server: who last changed it)",
        "and when will it be? (Server: last updated)",
    ],
)
def test_a_follow_up_about_a_thing_is_not_about_the_page(question: str) -> None:
    assert told(question, facts("Server"), facts("Server: Change management", page_id="9")) == ""


def test_a_follow_up_may_leave_out_what_was_done() -> None:
    page = facts("Bells and ropes")
    assert "12 March 2019" in told("and when was that? (Bells and ropes: last changed)", page)
    assert "12 March 2019" in told("when was that? (Bells and ropes: made last change)", page)
    assert "Bo Hall" in told("and who was that? (Bells and ropes: last changed)", page)
    assert told("and how many? (Bells and ropes: last changed)", page) == ""


def test_the_text_of_the_page_says_who_revised_a_thing() -> None:
    page = evidences("<p>It was revised by Cy Moe after that.</p>", "Bells and ropes", "7")
    question = "And who revised it after that? (Bells and ropes: first draft)"
    assert told(question, facts("Bells and ropes")) != ""
    assert told(question, facts("Bells and ropes"), *page) == ""
    assert told("And who updated it? (Bells and ropes: first draft)", facts("Bells and ropes"), *page) != ""


def test_a_word_of_the_title_is_not_what_is_asked() -> None:
    known = PageFacts(editor="Bo Hall", updated=date(2019, 3, 12))
    page = facts("Service owners", known)
    said = "“Service owners” was last updated on 12 March 2019 by Bo Hall. [1]"
    assert told("Who last updated Service owners?", page) == said
    assert told("Who last updated the page Service owners?", page) == said
    assert told("When was Service owners last changed?", page) == said
    assert told("Who owns Service owners?", page) == ""
    assert told("Who owns Service owners?", facts("Service owners")) == "“Service owners” is owned by Ann Lee. [1]"
    assert told("Who is on Service owners?", facts("Service owners")) == ""


def test_a_text_may_be_named_by_most_of_its_title_and_all_that_fit_alike_are_told() -> None:
    known = {year: replace(KNOWN, updated=date(year, 1, 5)) for year in (2024, 2026)}
    policies = [facts(f"Travel and expenses policy {year}", known[year], str(year)) for year in known]
    assert told("how old is the travel policy?", *policies).count("\n") == 1
    assert "5 January 2026" in told("how old is the travel policy 2026?", *policies)
    assert "2024" not in told("how old is the travel policy 2026?", *policies)


def test_pages_of_one_title_are_told_apart_by_their_spaces() -> None:
    pages = [facts("Getting started", page_id="1"), facts("Getting started", page_id="2", space="PEO")]
    answer = told("Who owns the page Getting started?", *pages)
    assert "Getting started (ENG)" in answer
    assert "Getting started (PEO)" in answer


def test_a_page_may_be_named_by_what_is_on_it_where_it_was_found_first() -> None:
    first, second = evidences(PLUGINS, "Jenkins", "1"), evidences(MACHINES, "Hardware", "2", rank=9)
    known = [facts("Jenkins", page_id="1"), facts("Hardware", page_id="2", rank=9)]
    assert told("Who owns the page about the ThinBackup plugins?", *first, *second, *known).startswith("“Jenkins”")
    assert told("Who owns the page about the Dell machines?", *first, *second, *known) == ""
    assert told("Who owns the page about unicorns?", *first, *second, *known) == ""


def test_a_translated_word_beside_the_title_does_no_harm_but_a_number_does() -> None:
    page = facts("Argo: Hypervisor-Mediated data eXchange")
    assert told("Wem gehört die Seite zum Entwurf Argo Hypervisor-Mediated data eXchange?", page) != ""
    assert told("Wem gehört die Seite zu Argo 2.0 Hypervisor-Mediated data eXchange?", page) == ""


def test_a_follow_up_is_about_the_page_of_the_conversation() -> None:
    pages = [facts("Bells"), facts("Bells and ropes", page_id="8", rank=2)]
    assert told("When was it last updated? (Bells and ropes: weight)", *pages).startswith("“Bells and ropes”")
    assert told("When was the clapper last changed? (Bells and ropes: weight)", *pages) == ""


def test_who_changed_it_is_said_not_to_be_known_where_only_the_time_is() -> None:
    page = facts("Bells", PageFacts(updated=date(2019, 3, 12)))
    assert told("Who changed the page Bells?", page).endswith("by whom is not stated. [1]")
    assert told("Who owns the page Bells?", page) == ""


def test_brackets_in_a_title_do_not_look_like_citations() -> None:
    assert told("Who owns the page Bells?", facts("Bells [1]")) == "“Bells (1)” is owned by Ann Lee. [1]"


def test_another_page_does_not_answer_for_one_whose_facts_are_not_there() -> None:
    """As when sources are taken away for an explanation."""
    page = evidences(PLUGINS, "Notes 8.0", "1")
    assert told("Who owns the page Notes 8.0?", *page, facts("Release notes", page_id="2", rank=5)) == ""
