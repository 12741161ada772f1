"""People whom a page mentions, in its evidences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.extract import Extraction, extract
from core.model import Comment, Evidence, NamedPerson, Page, PageFacts

MARA, BO = "account-id:557058:a", "userkey:2c9d"
NAMES = {MARA: "Mara Lind", BO: "Bo Hall"}
MARA_HERE = '<ac:link><ri:user ri:account-id="557058:a" /></ac:link>'
BO_HERE = '<ac:link><ri:user ri:userkey="2c9d"/></ac:link>'


def extracted(content: str, names: dict[str, str] | None = None, title: str = "Ropes") -> Extraction:
    return extract(Page("1", "DOC", title, "", content), names=NAMES if names is None else names)


def texts(content: str, names: dict[str, str] | None = None, title: str = "Ropes") -> list[str]:
    return [evidence.text for evidence in extracted(content, names, title).evidences]


def all_words(evidence: Evidence) -> list[str]:
    context, structure = evidence.context, evidence.structure
    cells = [text for row in evidence.rows for pair in row for text in pair]
    labels = [structure.caption, *structure.labels] if structure else []
    around = [context.title, *context.heading_path, context.before, context.after]
    names = [person.name for person in evidence.people]
    return [evidence.text, *evidence.parts, *cells, *labels, *around, *names, evidence.url, evidence.evidence_id]


def test_a_mention_is_a_name_in_text_cells_headings_and_code() -> None:
    content = (
        f"<h2>Of {MARA_HERE}</h2><p>Ask {MARA_HERE}, or {BO_HERE}.</p><pre>call {BO_HERE}</pre>"
        f"<table><tr><th>Role</th><th>Who</th></tr><tr><td>Lead</td><td>{MARA_HERE}</td></tr></table>"
    )
    found = extracted(content).evidences
    assert [evidence.text for evidence in found] == [
        "Ask Mara Lind, or Bo Hall.\n```\ncall Bo Hall\n```",
        "Row 1 in Table 1: Role is Lead, and Who is Mara Lind",
        "Row 1 in Table 1: Role is Lead, and Who is Mara Lind",
    ]
    assert found[0].context.heading_path == ("Of Mara Lind",)
    assert found[0].people == (NamedPerson(MARA, "Mara Lind"), NamedPerson(BO, "Bo Hall"))
    assert found[1].rows == ((("Role", "Lead"), ("Who", "Mara Lind")),)
    assert found[1].people == (NamedPerson(MARA, "Mara Lind"),)


@pytest.mark.parametrize(
    ("mention", "text"),
    [
        (BO_HERE, "Ask @user."),
        ('<ac:link><ri:user ri:username="alice"/></ac:link>', "Ask @alice."),
        ("<ri:user/>", "Ask @user."),
        ('<ac:link><ri:group ri:group-name="Ringers"/></ac:link>', "Ask Ringers."),
        (f"<ac:link>{MARA_HERE}<ac:link-body>the boss</ac:link-body></ac:link>", "Ask the boss."),
    ],
)
def test_who_is_not_known_is_nobody_in_particular_and_groups_have_their_names(mention: str, text: str) -> None:
    assert texts(f"<p>Ask {mention}.</p>", {}) == [text]


@pytest.mark.parametrize(("macro", "parameter"), [("profile", "user"), ("profile-picture", "User")])
def test_the_macro_of_a_profile_is_a_mention(macro: str, parameter: str) -> None:
    user = f'<ac:parameter ac:name="{parameter}"><ri:user ri:account-id="557058:a"/></ac:parameter>'
    shown = f'<ac:structured-macro ac:name="{macro}">{user}</ac:structured-macro>'
    cells = f"<tr><th>Role</th><th>Who</th></tr><tr><td>Lead</td><td>{shown}</td></tr>"
    passage, row, _ = extracted(f"<p>Ask{shown}first.</p>{shown}<table>{cells}</table>").evidences
    assert (passage.text, row.rows) == ("Ask Mara Lind first.\nMara Lind", ((("Role", "Lead"), ("Who", "Mara Lind")),))
    assert [person.name for person in passage.people] == ["Mara Lind"]
    empty = extracted(f'<p>x</p><ac:structured-macro ac:name="{macro}"/>')
    assert ([each.text for each in empty.evidences], empty.unknown_macros) == (["x"], frozenset())


def test_names_move_the_lines_of_a_shortened_neighbour() -> None:
    lines = "".join(f"<p>{MARA_HERE} rings bell {number}</p><p>{BO_HERE} listens</p>" for number in range(20))
    [item] = [found for found in extracted(f"{lines}<ul><li>Ropes</li></ul>").evidences if found.kind == "list"]
    assert item.context.before_breaks
    assert item.context.lines_before[-3:] == ["Bo Hall listens", "Mara Lind rings bell 19", "Bo Hall listens"]


def test_who_is_not_there_any_more_is_called_so_in_the_language_of_the_page() -> None:
    assert texts(f"<p>Please ask {MARA_HERE} for the key.</p>", {MARA: ""}) == ["Please ask former user for the key."]
    german = texts(f"<p>Den Schlüssel hat {MARA_HERE} im Büro.</p>", {MARA: ""}, "Schlüssel für die Türme")
    assert german == ["Den Schlüssel hat ehemalige Person im Büro."]


def test_a_name_that_is_no_name_is_made_one() -> None:
    assert texts(f"<p>Ask {MARA_HERE}.</p>", {MARA: " Mara \n Lind\u00a0 "}) == ["Ask Mara Lind."]
    assert len(texts(f"<p>Ask {MARA_HERE}.</p>", {MARA: "M" * 5000})[0]) < 150


def test_a_sentence_may_begin_with_a_mention() -> None:
    (evidence,) = extracted(f"<p>The ropes are old. {MARA_HERE} buys new ones.</p>").evidences
    assert evidence.parts == ("The ropes are old.", "Mara Lind buys new ones.")


def test_only_evidences_with_the_name_change_with_it_and_ids_do_not() -> None:
    sentences = " ".join(f"Sentence {number} is about ropes and bells and towers." for number in range(60))
    content = f"<p>Ask {MARA_HERE}. {sentences}</p><p>{sentences}</p>"
    before, after = (extracted(content, {MARA: name}).evidences for name in ("Al", "Alexandra van den Berg-Holm " * 3))
    assert [one.evidence_id for one in before] == [other.evidence_id for other in after]
    changed = [other for one, other in zip(before, after, strict=True) if one.text != other.text]
    assert len(before) > 3
    assert len(changed) == 1


def test_the_wiki_s_accounts_become_names_in_the_facts() -> None:
    page = Page(
        "1", "DOC", "Ropes", "", "<p>Pull.</p>", facts=PageFacts(creator_account=MARA, editor_account="x", editor="Al")
    )
    found = extract(page, names=NAMES)
    assert (found.facts.creator, found.facts.editor) == ("Mara Lind", "Al")
    assert found.names == {MARA: "Mara Lind", "x": None}


def test_a_byline_with_a_mention_is_read() -> None:
    found = extracted(f"<p>Owned by {MARA_HERE}</p><p>Pull the rope.</p>")
    assert found.facts.owner == "Mara Lind"


anything = st.text(st.characters(codec=None), max_size=30)
pieces = st.lists(
    st.one_of(
        anything,
        st.sampled_from([
            MARA_HERE, BO_HERE, "<ri:user/>", "<td>", "</td>", "<table><tr>", "</tr></table>", "<h2>", "</h2>", "<p>",
            '<ri:user mark="\ud800"/>', "&#xD800;", "&#55296;", "\ud800\ud801", "<li>", "<ac:task><ac:task-body>",
            "<time datetime='2026-05-03'/>", "<ac:task-list>", "Owned by ",
            '<ac:structured-macro ac:name="info"><ac:rich-text-body><p>Copyright 2016 by ', "</p></ac:rich-text-body>",
            "</ac:structured-macro>", "</ac:task-body></ac:task>",
        ]),
    ),
    max_size=20,
)  # fmt: skip


@given(pieces, anything, anything, st.sampled_from([MARA, BO, ""]))
def test_no_mark_leaves_the_extraction_whatever_a_page_holds(
    content: list[str], name: str, title: str, author: str
) -> None:
    comments = (
        Comment("1", "".join(content), author=name, author_account=author, marked=title),
        Comment("2", "".join(content[::-1]), author_account=MARA, parent_id="1"),
    )
    page = Page("1", "DOC", title, "", "".join(content), comments=comments)
    found = extract(page, names={MARA: name})
    for evidence in found.evidences:
        for words in all_words(evidence):
            words.encode()
    facts = found.facts
    for words in (facts.owner, facts.creator, facts.editor, facts.licence, *facts.commenters):
        words.encode()


def test_a_mention_in_a_licence_banner_is_a_name() -> None:
    banner = (
        '<ac:structured-macro ac:name="info"><ac:rich-text-body>'
        f"<p>Copyright 2016 by {MARA_HERE}. All rights reserved.</p></ac:rich-text-body></ac:structured-macro>"
    )
    assert extracted(f"<p>Pull.</p>{banner}").facts.licence == "Copyright 2016 by Mara Lind. All rights reserved."


def test_more_people_than_there_are_marks() -> None:
    mentions = "".join(f'<p><ri:user ri:account-id="{number}"/> rings.</p>' for number in range(2100))
    names = {f"account-id:{number}": f"Person {number}" for number in range(2100)}
    text = "\n".join(texts(mentions, names))
    assert "Person 0 rings." in text
    assert "Person 2099 rings." in text
