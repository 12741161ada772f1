"""What an answer says besides its quotations: days of blog posts, items left out, issues that are elsewhere."""

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.compose import compose, quote_units
from core.answering.extractive.quoting.remarks import add_remarks, find_issue_list
from core.model import Evidence
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import chosen, evidence, ranked

POST = evidence("We moved to Postgres.", "The change took two hours.", heading="Blog post of 4 March 2026", page_id="7")


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("When did we move to Postgres?", "Blog post of {date}: "),
        ("Wann sind wir zu Postgres gewechselt?", "Blogbeitrag vom 4. März 2026: "),
        ("Who moved to Postgres?", ""),
    ],
)
def test_a_question_about_a_time_is_told_the_day_of_the_blog_post(question: str, before: str) -> None:
    focus = find_focus(question)
    quotations = [quote_units(focus, chosen(ranked(POST)[0], index)) for index in (0, 1)]
    first, second = compose(add_remarks(focus, quotations)).text.split("\n")
    assert first == f"{before.format(date='4 March 2026')}We moved to Postgres. [1]"
    assert second == "The change took two hours. [1]"
    assert compose(add_remarks(focus, quotations)).citations == compose(quotations).citations


@pytest.mark.parametrize(
    "item",
    [
        replace(POST, parts=("We moved to Postgres on 1 February 2026.",)),
        replace(POST, parts=("We moved to Postgres in 2025.",)),
        replace(POST, thread="c1"),
        replace(POST, origin="8"),
        replace(POST, context=replace(POST.context, heading_path=("Postgres",))),
        replace(POST, context=replace(POST.context, heading_path=())),
    ],
)
def test_the_day_of_a_post_is_not_said_of_other_texts_and_other_dates(item: Evidence) -> None:
    focus = find_focus("When did we move to Postgres?")
    quotations = [quote_units(focus, chosen(ranked(item)[0], 0))]
    assert add_remarks(focus, quotations) == quotations


ISSUES = evidence("Please read them first.", "[Jira: project = BELL]", title="Open work", page_id="4")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Which issues are open?",
            "“Open work” lists issues from Jira (project = BELL). They are shown on the page only. [1]",
        ),
        (
            "Welche Vorgänge sind noch offen?",
            "„Open work“ zeigt eine Liste von Jira-Vorgängen (project = BELL). "
            "Die Vorgänge stehen nur auf der Seite selbst. [1]",
        ),
    ],
)
def test_for_a_query_of_issues_the_answer_says_that_the_page_lists_them(question: str, said: str) -> None:
    focus = find_focus(question)
    listed = find_issue_list(focus, ranked(ISSUES))
    assert compose(add_remarks(focus, listed)).text == said


def test_the_text_around_a_query_is_quoted() -> None:
    quotation = quote_units(find_focus("What is open?"), chosen(ranked(ISSUES)[0], 0, 1))
    lines = add_remarks(find_focus("What is open?"), [quotation])[0].text.split("\n")
    assert lines[0] == "Please read them first."
    assert lines[1].startswith("“Open work” lists issues from Jira")


def test_only_questions_about_issues_are_told_about_a_query() -> None:
    assert find_issue_list(find_focus("Who rings the bell?"), ranked(ISSUES)) == []
    assert find_issue_list(find_focus("Which tickets are open?"), ranked(evidence("Nothing here."))) == []


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Who signs off plane tickets?", False),
        ("Wer bezahlt Tickets für die Bahn?", False),
        ("Which tickets are resolved?", True),  # only the tracker knows that
        ("Which tickets of the open work does Ann have?", True),
    ],
)
def test_a_query_of_issues_is_named_only_if_its_page_may_be_meant(question: str, is_told: bool) -> None:
    assert bool(find_issue_list(find_focus(question), ranked(ISSUES))) is is_told


def test_code_with_the_form_of_a_query_is_left_as_it_is() -> None:
    code = Quotation("```\n[Jira: a]\n```", ISSUES, "")
    assert add_remarks(find_focus("What is it?"), [code]) == [code]
