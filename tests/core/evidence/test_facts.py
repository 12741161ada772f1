from dataclasses import replace
from datetime import date
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.extract import extract
from core.evidence.facts import make_facts_evidence, read_byline
from core.model import PageFacts
from tests.core.evidence.pages import page

MARCH, MAY = date(2019, 3, 12), date(2016, 5, 6)

BYLINES = {
    "Owned by Ann Lee Last updated: May 06, 2016 by Bo Hall": PageFacts("Ann Lee", editor="Bo Hall", updated=MAY),
    "Owned by Ann Lee\nLast updated: 12 March 2019 by bo hall 3 min read 2 comments": PageFacts(
        "Ann Lee", editor="bo hall", updated=MARCH, comments=2
    ),
    "Created by Ann Lee, last modified by Bo Hall on Mar 12, 2019": PageFacts(
        creator="Ann Lee", editor="Bo Hall", updated=MARCH
    ),
    "Created by Ann Lee, last modified on Mar 12, 2019": PageFacts(creator="Ann Lee", updated=MARCH),
    "Created by Ann Lee on Mar 12, 2019": PageFacts(creator="Ann Lee", created=MARCH),
    "Created on 2019-03-12 by Ann Lee": PageFacts(creator="Ann Lee", created=MARCH),
    "Erstellt von Ann Lee, zuletzt geändert von Bo Hall am 12. März 2019": PageFacts(
        creator="Ann Lee", editor="Bo Hall", updated=MARCH
    ),
    "Zuletzt aktualisiert: 12. März 2019 von Bo Hall 4 Min. Lesezeit 1 Kommentar": PageFacts(
        editor="Bo Hall", updated=MARCH, comments=1
    ),
    "Last updated yesterday by Bo Hall • 5 min read": PageFacts(editor="Bo Hall"),
    "Page owner: Platform Team – ask there": PageFacts("Platform Team"),
    "Author: J. R. Smith": PageFacts(creator="J. R. Smith"),
    "Verantwortlich: Ann Lee, Sicherheit. Stand: 2026-05-04.": PageFacts("Ann Lee"),
}


@pytest.mark.parametrize("line", BYLINES)
def test_a_byline_is_read_in_the_forms_that_wikis_and_people_write(line: str) -> None:
    assert read_byline(line) == BYLINES[line]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "The tower is owned by Ann Lee",
        "Created by the marketing team to explain what we do",
        "Owned by everybody",
        "Last updated: 05/06/2016",
        "Ownership: Ann Lee",
        "The last update was on 12 March 2019.",
    ],
)
def test_other_sentences_are_no_byline(line: str) -> None:
    assert read_byline(line) == PageFacts()


MARKS = ["Owned by ", "Last updated: ", "last modified by ", " on ", " by ", "Author: ", "Mar 12, 2019", "Ann ", "von "]


@given(st.lists(st.sampled_from(MARKS) | st.text(max_size=20), max_size=60).map("".join))
def test_any_line_is_read_without_an_error_and_names_are_short(line: str) -> None:
    facts = read_byline(line)
    assert all(len(name) <= 60 for name in (facts.owner, facts.creator, facts.editor))


@pytest.mark.parametrize("piece", [*MARKS, "Author: A Date: ", "<ri:attachment ", 'ri:filename="', "1 comment "])
def test_facts_take_time_in_proportion_to_a_page(piece: str) -> None:
    def seconds(times: int) -> float:
        text = page(f"<p>Owned by Ann Last updated: May 06, 2016 by Bo</p><p>{piece.replace('<', '&lt;') * times}</p>")
        started = process_time()
        extract(text)
        return process_time() - started

    small, large = min(seconds(2_000) for _ in range(3)), min(seconds(16_000) for _ in range(3))
    assert large < 8 * 3 * max(small, 0.005)


def facts_of(content: str, **changes: object) -> PageFacts:
    return extract(replace(page(content), **changes)).facts  # type: ignore[arg-type]


BYLINE = "<p>Owned by Ann Lee\nLast updated: May 06, 2016 by Bo Hall</p>"


def test_what_the_page_says_counts_before_its_date_and_what_the_wiki_says_before_both() -> None:
    assert facts_of(BYLINE, date="2024-11-15").updated == MAY
    assert facts_of("<p>Text</p>", date="2024-11-15T10:00:00Z").updated == date(2024, 11, 15)
    told = PageFacts(updated=MARCH, version=7)
    facts = facts_of(BYLINE, date="2024-11-15", facts=told)
    assert facts == PageFacts("Ann Lee", updated=MARCH, version=7), "Bo Hall changed it on another day"


def test_a_byline_is_the_first_thing_on_a_page_and_an_owner_may_be_the_last() -> None:
    git = "<p>Fix it</p><p>Author: Peter Smith</p>"
    assert facts_of(f"{BYLINE}{git}<p>End</p>").creator == ""
    assert facts_of("<p>Words.</p><p>More.</p><p>Page owner: Ann Lee, who collects words.</p>").owner == "Ann Lee"
    assert facts_of("<p>Words.</p><p>Page owner: Ann Lee</p><p>More.</p>").owner == ""


def test_the_comments_at_the_end_of_an_export_are_counted_with_their_authors() -> None:
    comments = "".join(
        f"<p>Author: {name} Date: 2018-07-31T00:54:53.585Z Comment: Well</p>" for name in ("Ann Lee", "bo", "Ann Lee")
    )
    facts = facts_of(f"{BYLINE}<p>Text</p>{comments}")
    assert (facts.comments, facts.commenters) == (3, ("Ann Lee", "bo"))


def test_a_licence_banner_is_a_fact_and_no_text_of_the_page() -> None:
    banner = "Copyright 2016 by Acme, Inc. This work is licensed under the Creative Commons Attribution 4.0 License."
    panel = f'<ac:structured-macro ac:name="info"><ac:rich-text-body><p>{banner}</p></ac:rich-text-body>'
    content = f"{panel}</ac:structured-macro><p>Text</p>"
    assert facts_of(content).licence == banner
    assert [evidence.text for evidence in extract(page(content)).evidences] == ["Text"]


def test_files_are_those_of_the_wiki_s_list_or_else_those_that_the_page_shows() -> None:
    shown = '<ac:image><ri:attachment ri:filename="a.png"/></ac:image>'
    elsewhere = '<ac:link><ri:attachment ri:filename="b.pdf"><ri:page ri:content-title="B"/></ri:attachment></ac:link>'
    assert facts_of(shown + elsewhere).files == ("a.png",)
    assert facts_of(shown, attachments=("a.png", "c.pdf")).files == ("a.png", "c.pdf")


def test_the_other_evidences_of_a_page_are_the_same_whatever_is_known_of_it() -> None:
    content = f"{BYLINE}<p>Text</p>"
    told = replace(page(content), facts=PageFacts("Cy", version=2), labels=("a",), date="2024-11-15")
    assert extract(told).evidences == extract(page(content)).evidences
    assert [evidence.text for evidence in extract(told).evidences] == ["Text"]


def test_the_evidence_says_each_fact_in_a_part() -> None:
    facts = PageFacts("Ann", "Bo", MAY, "Cy", MARCH, 7, ("x", "y"), ("a.png",), 2, ("Di",))
    found = make_facts_evidence("7", "ENG", "Bells", "https://wiki/7", facts)
    assert found
    assert (found.kind, found.context.title, found.url, found.facts) == ("facts", "Bells", "https://wiki/7", facts)
    assert found.parts == (
        "Owned by Ann.",
        "Created on 6 May 2016 by Bo.",
        "Last updated on 12 March 2019 by Cy.",
        "Version 7.",
        "Labels: x, y.",
        "Files: a.png.",
        "2 comments, by Di.",
    )
    assert found.text == " ".join(found.parts)


def test_a_page_of_which_nothing_is_known_has_no_such_evidence() -> None:
    assert make_facts_evidence("7", "ENG", "Bells", "", PageFacts()) is None
