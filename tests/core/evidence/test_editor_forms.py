"""The forms of the new editor, each as its documentation writes it in the storage format.

https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html and
https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

from __future__ import annotations

import pytest

from core.evidence.extract import extract
from core.model import Evidence, Page

CLOUD = "https://example.atlassian.net/wiki/spaces/DOC/pages/42"
MARA = '<ac:link><ri:user ri:account-id="a" ri:local-id="3b1f"/></ac:link>'


def read(content: str) -> list[Evidence]:
    page = Page("1", "DOC", "Bells", "", content)
    return list(extract(page, names={"account-id:a": "Mara Lind"}).evidences)


def macro(name: str, body: str = "", **parameters: str) -> str:
    given = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in parameters.items())
    return f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{given}{body}</ac:structured-macro>'


def rich(text: str) -> str:
    return f"<ac:rich-text-body>{text}</ac:rich-text-body>"


def extension(node: str, fallback: str) -> str:
    return f"<ac:adf-extension>{node}<ac:adf-fallback>{fallback}</ac:adf-fallback></ac:adf-extension>"


def decision(text: str) -> str:
    state = '<ac:adf-attribute key="state">DECIDED</ac:adf-attribute>'
    return f'<ac:adf-node type="decision-item">{state}<ac:adf-content>{text}</ac:adf-content></ac:adf-node>'


def custom_panel(text: str) -> str:
    icon = '<ac:adf-attribute key="panel-icon">:bell:</ac:adf-attribute>'
    node = f'<ac:adf-node type="panel">{icon}<ac:adf-content><p>{text}</p></ac:adf-content></ac:adf-node>'
    return extension(node, f'<div class="panel"><p>{text}</p></div>')


STATUS = macro("status", title="In progress", colour="Blue")
EMOJI = '<ac:emoticon ac:name="blue-star" ac:emoji-shortname=":bell:" ac:emoji-id="1f514" ac:emoji-fallback="🔔"/>'
ROCKET = '<ac:emoticon ac:emoji-shortname=":awesome:" ac:emoji-id="atlassian-awesome" ac:name="blue-star"/>'
CODE = "<ac:plain-text-body><![CDATA[ring(<b>3</b>)]]></ac:plain-text-body>"
LAYOUT = (
    '<ac:layout><ac:layout-section ac:type="two_equal" ac:breakout-mode="default"><ac:layout-cell><p>Left.</p>'
    "</ac:layout-cell><ac:layout-cell><p>Right.</p></ac:layout-cell></ac:layout-section></ac:layout>"
)
DECISIONS = extension(
    f'<ac:adf-node type="decision-list">{decision("Use bronze.")}{decision(f"{MARA} pays.")}</ac:adf-node>',
    '<ul class="decision-list"><li>Use bronze.</li><li>Somebody pays.</li></ul>',
)


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (macro("panel", rich("<p>Oil it.</p>"), title="Weekly", bgColor="#72bc72"), ["Weekly: Oil it."]),
        (macro("info", rich("<p>Oil it.</p>")), ["Info: Oil it."]),
        (custom_panel("Oil it."), ["Oil it."]),
        (macro("expand", rich("<p>Oil it.</p>"), title="Click here to expand"), ["Click here to expand: Oil it."]),
        (LAYOUT, ["Left.\nRight."]),
        (DECISIONS, ["- Use bronze.\n- Mara Lind pays."]),
        ('<p>Due <time datetime="2026-05-01" />, or later</p>', ["Due 2026-05-01, or later"]),
        (f"<p>State: {STATUS} now</p>", ["State: In progress now"]),
        (f"<p>State: {macro('status', colour='Green')}</p>", ["State: GREEN"]),
        (f"<p>Ring {EMOJI} twice {ROCKET}</p>", ["Ring 🔔 twice :awesome:"]),
        (macro("code", CODE, title="Ring it", language="py"), ["Ring it\n```py\nring(<b>3</b>)\n```"]),
        (
            '<p>The <ac:inline-comment-marker ac:ref="1">tenor</ac:inline-comment-marker> rings.</p>',
            ["The tenor rings."],
        ),
        ('<p>Text <ac:placeholder ac:type="text">Type here</ac:placeholder></p>', ["Text"]),
        (f"<p>See {macro('jira', key='BELL-12', server='System Jira')}</p>", ["See BELL-12"]),
        (macro("frobnicate", rich("<p>Its body.</p>"), secret="no"), ["Its body."]),
        (macro("frobnicate", CODE), ["```\nring(<b>3</b>)\n```"]),
    ],
)
def test_a_form_reads_as_people_see_it(content: str, texts: list[str]) -> None:
    assert [evidence.text for evidence in read(content)] == texts


@pytest.mark.parametrize("shown", [MARA, STATUS, '<time datetime="2026-05-01"/>', EMOJI])
def test_forms_within_table_cells_are_values(shown: str) -> None:
    cells = f"<tr><th><p>What</p></th><th><p>Value</p></th></tr><tr><td><p>Tenor</p></td><td><p>{shown}</p></td></tr>"
    table = f'<table data-layout="default" ac:local-id="7"><tbody>{cells}</tbody></table>'
    row = next(evidence for evidence in read(table) if evidence.kind == "table_row")
    values = {MARA: "Mara Lind", STATUS: "In progress", EMOJI: "🔔"}
    assert row.rows == ((("What", "Tenor"), ("Value", values.get(shown, "2026-05-01"))),)
    assert [person.name for person in row.people] == (["Mara Lind"] if shown == MARA else [])


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (f"{CLOUD}/Door+codes", f"See Door codes ({CLOUD}/Door+codes) first."),
        (f"{CLOUD}/T%C3%BCr+%26+Tor#Key", f"See Tür & Tor ({CLOUD}/T%C3%BCr+%26+Tor#Key) first."),
        ("https://wiki.example.com/display/DOC/Door+codes", None),
        ("https://example.atlassian.net/browse/BELL-12", None),
        (CLOUD, f"See {CLOUD} first."),
        ("https://example.com/a/Door+codes", "See https://example.com/a/Door+codes first."),
    ],
)
@pytest.mark.parametrize("has_text", [True, False])
def test_a_smart_link_shows_what_its_address_says_of_the_page(address: str, text: str | None, has_text: bool) -> None:
    link = f'<a href="{address}" data-card-appearance="inline">{address if has_text else ""}</a>'
    title = "BELL-12" if "BELL" in address else "Door codes"
    (evidence,) = read(f"<p>See {link} first.</p>")
    assert evidence.text == (text or f"See {title} ({address}) first.")


def test_a_link_with_words_of_its_own_keeps_them() -> None:
    address = f"{CLOUD}/Door+codes"
    (evidence,) = read(f'<p>See <a href="{address}" data-card-appearance="inline">the list</a>.</p>')
    assert evidence.text == f"See the list ({address})."


def test_macros_that_nothing_is_known_of_are_named() -> None:
    content = macro("frobnicate", rich(macro("panel", rich("<p>Oil it.</p>")))) + macro("toc") + macro("frobnicate")
    assert extract(Page("1", "DOC", "Bells", "", content)).unknown_macros == {"frobnicate"}
