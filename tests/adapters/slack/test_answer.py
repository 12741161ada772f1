from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest

from adapters.slack.blocks import render_message
from core.model import Citation
from core.model.views import AnswerView, PageLink
from tests.adapters.slack.limits import check_blocks, find_links, read_texts

LIMITS = "https://wiki/1?a=1&b=2#Hotel-limits"
SIGNS = "https://wiki/2#Who-signs"
CITED = (
    Citation(1, "e1", "1", "Travel policy", "Hotel limits", LIMITS, "table", ""),
    Citation(2, "e2", "2", "Travel <approvals>", "", SIGNS, "list", ""),
)
ONE = "<https://wiki/1?a=1&amp;b=2#Hotel-limits|[1]>"
TWO = "<https://wiki/2#Who-signs|[2]>"
FOUND = AnswerView("t1", "en", "A night may cost 140 EUR. [1]", True, "plain", CITED)
NOT_FOUND = AnswerView("t1", "en", "I could not find that in the wiki.", False)


def body(text: str, markup: str = "markdown", citations: tuple[Citation, ...] = CITED) -> str:
    view = AnswerView("t1", "en", text, True, "plain" if markup == "plain" else "markdown", citations)
    return "\n--\n".join(
        block["text"]["text"] for block in render_message(view, "")["blocks"] if block["type"] == "section"
    )


def body_without_tables(text: str) -> str:
    """Return the sections for a workspace that has no blocks for tables."""
    view = AnswerView("t1", "en", text, True, "markdown", CITED)
    blocks = render_message(view, "", with_tables=False)["blocks"]
    return "\n--\n".join(block["text"]["text"] for block in blocks if block["type"] == "section")


def texts(view: AnswerView, kind: str) -> list[str]:
    blocks = [block for block in render_message(view, "")["blocks"] if block["type"] == kind]
    return [element["text"] for block in blocks for element in block["elements"]]


def buttons(view: AnswerView) -> list[tuple[str, str, str]]:
    blocks = [block for block in render_message(view, "")["blocks"] if block["type"] == "actions"]
    elements = [element for block in blocks for element in block["elements"]]
    return [(element["action_id"], element["text"]["text"], element["value"]) for element in elements]


# --------------------------------------------------------------------------------------- the text


def test_marks_are_links_to_page_and_heading_also_in_a_row() -> None:
    assert body("It is 140. [1][2]") == f"It is 140. {ONE}{TWO}"
    assert body("- 140 [1]\n- Ann [2]", "plain") == f"• 140 {ONE}\n• Ann {TWO}"


def test_uncited_numbers_and_numbers_in_code_stay_text() -> None:
    assert body("It is [7] or `a[1]`. [1]") == f"It is [7] or `a[1]`. {ONE}"
    assert body("It is [7] or `a[1]`. [1]", "plain") == f"It is [7] or `a[1]`. {ONE}"
    assert body("```\na[1]\n```\n[1]", "plain") == f"```\na[1]\n```\n{ONE}"


def test_a_mark_without_an_address_is_not_a_link() -> None:
    assert body("It is. [1]", citations=(replace(CITED[0], url="javascript:alert(1)"),)) == "It is. [1]"


def test_markdown_of_a_model_is_rendered() -> None:
    text = body(
        "# Limits\nIt is **140** or *less*, ~~150~~, `x<y` & <b>z</b>\n\n> Ask\n> first\n\n![A plan](https://x.y/z)"
    )
    assert text == (
        "*Limits*\n\nIt is *140* or _less_, ~150~, `x&lt;y` &amp; &lt;b&gt;z&lt;/b&gt;\n\n> Ask\n> first\n\nA plan"
    )


def test_lists_may_be_nested_numbered_and_contain_code() -> None:
    text = body("Do:\n- a\n  - b\n    - c\n- d\n\n3. x\n   ```sh\n     ls <a>\n   ```\n4. y\n   z")
    assert text == ("Do:\n• a\n    ◦ b\n        ▪ c\n• d\n\n3. x\n```\n  ls &lt;a&gt;\n```\n4. y\n    z")


def test_a_link_of_the_model_becomes_text_unless_the_answer_cites_its_address() -> None:
    assert body("[here](https://evil.example) and <https://evil.example>") == "here and &lt;https://evil.example&gt;"
    assert body(f"[the signs]({SIGNS})") == "<https://wiki/2#Who-signs|the signs>"
    assert body("It is 140 [1].\n\n[1]: https://evil.example") == f"It is 140 {ONE}.\n\n{ONE}: https://evil.example"
    assert body("[1](https://evil.example)") == ONE


def test_a_table_with_wide_characters_is_aligned() -> None:
    text = body_without_tables("| City | Limit |\n|---|---|\n| 東京 | 1 & 2 |\n| München | **3** |")
    assert text == "```\nCity    │ Limit\n────────┼──────\n東京    │ 1 &amp; 2\nMünchen │ 3\n```"


def test_a_wide_table_becomes_a_list() -> None:
    text = body_without_tables(f"| City | Rule |\n|---|---|\n| Berlin | {'long ' * 20}|\n| Rome | short [1] |")
    assert text.endswith(f"\n• City: Rome; Rule: short {ONE}")
    assert text.startswith("• City: Berlin; Rule: long long")


def test_text_of_the_wiki_has_no_markup() -> None:
    text = body("<b> & **not bold** [x](https://evil.example) <!channel>\n\n> 5", "plain")
    assert text == "&lt;b&gt; &amp; **not bold** [x](https://evil.example) &lt;!channel&gt;\n\n&gt; 5"


def test_code_of_the_wiki_stays_code() -> None:
    text = body("Run:\n```sh\n- ls <x>\n  *a*\n```\n[1]\nThen ```x", "plain")
    assert text.startswith(f"Run:\n```\n- ls &lt;x&gt;\n  *a*\n```\n{ONE}\nThen `")
    assert text.count("```") == 2


# ------------------------------------------------------------------------------------ around the text


def test_sources_are_numbered_links_by_title_and_heading() -> None:
    assert texts(FOUND, "context") == [
        "[1] <https://wiki/1?a=1&amp;b=2#Hotel-limits|Travel policy › Hotel limits>\n"
        "[2] <https://wiki/2#Who-signs|Travel &lt;approvals&gt;>"
    ]
    assert buttons(FOUND) == [("explain", "Explain", "t1"), ("sources", "Sources", "t1")]


def test_the_completed_question_is_shown_above_and_can_be_corrected() -> None:
    view = replace(FOUND, understood_as="What may a night in <Berlin> cost?")
    assert render_message(view, "mark")["blocks"][0]["block_id"] == "mark"
    assert texts(view, "context")[0] == "Understood as: What may a night in &lt;Berlin&gt; cost?"
    assert buttons(view)[-1] == ("correct", "Not what I meant", "t1")


def test_suggestions_are_buttons() -> None:
    view = replace(FOUND, suggestions=("And Paris?", "And Rome?"))
    assert buttons(view)[2:] == [("suggest:0", "And Paris?", "t1"), ("suggest:1", "And Rome?", "t1")]


@pytest.mark.parametrize("length", [31, 75, 76, 110])
def test_long_suggestions_are_shown_in_full_beside_their_buttons(length: int) -> None:
    asked = ("And <what> about " + "a very long name, " * 6)[: length - 1].strip() + "?"
    view = replace(FOUND, suggestions=("And Paris?", asked))
    shown = [block for block in render_message(view, "")["blocks"] if "accessory" in block]
    assert [unescape(block["text"]["text"]) for block in shown] == ["And Paris?", asked]
    assert [(block["accessory"]["action_id"], block["accessory"]["text"]["text"]) for block in shown] == [
        ("suggest:0", "Ask"),
        ("suggest:1", "Ask"),
    ]


def test_a_suggestion_without_visible_characters_is_left_out() -> None:
    view = replace(FOUND, suggestions=("\x9c\x80", "And a question that is longer than a button?"))
    blocks = render_message(view, "")["blocks"]
    check_blocks(blocks)
    assert [block["accessory"]["action_id"] for block in blocks if "accessory" in block] == ["suggest:1"]


def test_feedback_buttons_name_the_turn() -> None:
    (element,) = render_message(FOUND, "")["blocks"][-1]["elements"]
    assert element["action_id"] == "feedback"
    assert (element["positive_button"]["value"], element["negative_button"]["value"]) == ("good:t1", "bad:t1")


def test_not_found_shows_the_closest_pages_and_the_contact() -> None:
    view = replace(
        NOT_FOUND,
        closest=(PageLink("Canteen", "https://wiki/7", passage="Lunch <!here> is at noon."), PageLink("Hours", "")),
        contact="<#C0123AB>",
    )
    shown = read_texts(render_message(view, "")["blocks"])
    canteen = "• <https://wiki/7|Canteen>: Lunch &lt;!here&gt; is at noon."
    assert f"These pages come closest:\n{canteen}\n• Hours\nWho can help: <#C0123AB>" in shown
    assert render_message(view, "")["text"].endswith("\nWho can help: <#C0123AB>")
    assert buttons(view) == []
    assert find_links(shown) == ["https://wiki/7"]


@pytest.mark.parametrize("contact", ["<!channel>", "<@U123> <!here>", "<@u12>", "<https://evil|x>"])
def test_a_contact_cannot_ping_a_channel(contact: str) -> None:
    shown = read_texts(render_message(replace(NOT_FOUND, contact=contact), "")["blocks"])
    assert contact not in shown
    assert "&lt;" in shown


def test_the_notification_has_answer_and_sources_without_markup() -> None:
    view = replace(FOUND, text="It is **140** [1], see https://x.y", markup="markdown", understood_as="What?")
    assert render_message(view, "")["text"] == (
        "It is 140 [1], see https:\u200b//x.y\nUnderstood as: What?\n"
        "[1] Travel policy › Hotel limits\n[2] Travel &lt;approvals&gt;"
    )


# --------------------------------------------------------------------------------------- too long


def test_a_long_answer_is_split_between_sentences() -> None:
    blocks = render_message(replace(FOUND, text="This is a sentence & more. " * 200), "")["blocks"]
    check_blocks(blocks)
    cut = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    assert len(cut) > 1
    assert all(text.endswith("more.") for text in cut)
    assert sum(text.count("sentence") for text in cut) == 200


def test_split_code_is_code_on_both_sides() -> None:
    text = body("```\n" + "\n".join(f"line {at:03} " + "x" * 280 for at in range(25)) + "\n```", "plain")
    first, *others = text.split("\n--\n")
    assert others
    assert all(part.startswith("```\nline") and part.endswith("x\n```") for part in (first, *others))


def test_a_shortened_answer_links_to_its_continuation() -> None:
    text = body("A paragraph of words [2].\n\n" * 2_000)
    assert text.endswith(f"… the answer continues {ONE}")


def test_more_than_twenty_sources_are_counted() -> None:
    citations = tuple(replace(CITED[0], number=at, heading=f"Part {at}") for at in range(1, 31))
    assert texts(replace(FOUND, citations=citations), "context")[-1].endswith("\nand 10 more")
