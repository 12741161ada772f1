from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack.blocks import render_message
from adapters.slack.windows import render_explanation, render_form, render_sources
from core.model.views import (
    BarView,
    ExplanationView,
    HelpView,
    LocationView,
    Notice,
    PageLink,
    SourcesView,
    SourceView,
    Waiting,
)
from core.views.help import build_correction_form, build_reason_form
from tests.adapters.slack.limits import check_blocks, check_view, read_texts

POLICY = LocationView("Travel policy", ("Rules", "Hotels"), "https://wiki/1#Hotels", (1, 3), "passage, 2 × table row")
KITCHEN = LocationView("Kitchen", (), "", (), "list")
EXPLANATION = ExplanationView(
    "t1",
    "en",
    "What this answer rests on",
    "What may a night cost?",
    "It rests on “Travel <policy>”.",
    bars=(BarView(0.62, "62%", (POLICY,)), BarView(0.376, "38%", (KITCHEN,)), BarView(0.004, "<1%", (KITCHEN,))),
    unmoved=("The answer stays the same without:", (KITCHEN, POLICY)),
    without_top=("Without the first source the answer would be:", "90 EUR.\nAsk <Ann>."),
    made="11 answers compared in 4.2 s",
)


def lines(view: ExplanationView) -> list[str]:
    return [line for line in read_texts(render_message(view, "")["blocks"]).split("\n") if line]


def test_the_verdict_is_followed_by_a_chart_and_its_shares_with_their_locations() -> None:
    shown = lines(EXPLANATION)
    assert shown[:4] == [
        "*It rests on “Travel &lt;policy&gt;”.*",
        "What may a night cost?",
        "*62%*",
        "[1][3] <https://wiki/1#Hotels|Travel policy › Rules › Hotels> (passage, 2 × table row)",
    ]
    [chart] = [block for block in render_message(EXPLANATION, "")["blocks"] if block["type"] == "data_visualization"]
    assert chart["title"] == "What this answer rests on"
    assert chart["chart"]["series"][0]["data"] == [
        {"label": "[1][3] Travel policy", "value": 62},
        {"label": "Kitchen", "value": 38},
        {"label": "Kitchen (2)", "value": 1},
    ]


def test_a_single_bar_is_not_a_chart() -> None:
    blocks = render_message(replace(EXPLANATION, bars=EXPLANATION.bars[:1]), "")["blocks"]
    assert "data_visualization" not in {block["type"] for block in blocks}


@pytest.mark.parametrize("plain", ["window", "message"])
def test_bars_of_characters_have_one_width(plain: str) -> None:
    blocks = render_message(EXPLANATION, "", with_tables=False)["blocks"]
    if plain == "window":
        blocks = render_explanation(EXPLANATION, "en")["blocks"]
    shown = [line for line in read_texts(blocks).split("\n") if line]
    assert shown[:7] == [
        "*It rests on “Travel &lt;policy&gt;”.*",
        "What may a night cost?",
        "*What this answer rests on*",
        "███████░░░░░ *62%*",
        "[1][3] <https://wiki/1#Hotels|Travel policy › Rules › Hotels> (passage, 2 × table row)",
        "█████░░░░░░░ *38%*",
        "Kitchen (list)",
    ]
    assert "█░░░░░░░░░░░ *&lt;1%*" in shown


def test_the_counterfactual_answer_follows() -> None:
    shown = lines(EXPLANATION)
    at = shown.index("Without the first source the answer would be:")
    assert shown[at : at + 3] == [
        "Without the first source the answer would be:",
        "> 90 EUR.",
        "> Ask &lt;Ann&gt;.",
    ]
    assert shown[-4:-2] == ["The answer stays the same without:", "Kitchen (list)"]
    assert shown[-1] == "11 answers compared in 4.2 s"


def test_items_of_the_counterfactual_answer_look_like_those_of_an_answer() -> None:
    sentence, _ = EXPLANATION.without_top
    shown = lines(replace(EXPLANATION, without_top=(sentence, "Bring:\n- a key\n- a badge - or two")))
    assert [line for line in shown if line.startswith(">")] == ["> Bring:", "> • a key", "> • a badge - or two"]


def test_details_are_closed_in_a_message_and_open_in_a_window_and_where_slack_refuses_them() -> None:
    *_, details = render_message(EXPLANATION, "")["blocks"]
    assert (details["type"], details["is_collapsible"], details["default_collapsed"]) == ("container", True, True)
    assert "The answer stays the same without:" in read_texts(details["child_blocks"])
    assert EXPLANATION.made in read_texts(details["child_blocks"])
    for blocks in (
        render_explanation(EXPLANATION, "en")["blocks"],
        render_message(EXPLANATION, "", with_tables=False)["blocks"],
    ):
        assert "container" not in {block["type"] for block in blocks}
        assert EXPLANATION.made in read_texts(blocks)


def test_the_notification_has_the_shares_in_words() -> None:
    text = render_message(EXPLANATION, "")["text"]
    assert "62 percent: [1][3] Travel policy › Rules › Hotels" in text
    assert "less than 1 percent: Kitchen" in text
    assert "█" not in text


def test_the_modal_of_an_explanation_has_a_share_button() -> None:
    window = render_explanation(replace(EXPLANATION, answer_id="1.5"), "en", "C1 1.0 1.5 t1")
    check_view(window)
    shown = read_texts(window["blocks"])
    assert shown.startswith("*It rests on")
    assert "Only you see this" in shown
    assert (window["callback_id"], window["private_metadata"]) == ("share", "C1 1.0 1.5 t1")
    assert window["submit"]["text"] == "Share"


@pytest.mark.parametrize("view", [Waiting("en", "explanation"), Notice("This answer could not be explained.")])
def test_a_modal_without_an_explanation_has_no_share_button(view: Waiting | Notice) -> None:
    window = render_explanation(view, "de")
    check_view(window)
    assert "submit" not in window
    assert window["title"]["text"] == "Erklärung"


def test_a_private_explanation_has_a_share_button() -> None:
    def buttons(view: ExplanationView) -> list[str]:
        blocks = render_message(view, "")["blocks"]
        return [each["action_id"] for block in blocks if block["type"] == "actions" for each in block["elements"]]

    assert buttons(replace(EXPLANATION, answer_id="1.5")) == ["share"]
    assert buttons(EXPLANATION) == []


def test_without_bars_only_the_verdict_is_shown() -> None:
    view = ExplanationView("t1", "en", "", "What?", "There is nothing to explain.")
    assert lines(view) == ["*There is nothing to explain.*"]


@pytest.mark.parametrize(
    ("waiting", "text"),
    [
        (Waiting("en", "answer"), "Reading the wiki …"),
        (Waiting("de", "answer"), "Ich lese im Wiki …"),
        (Waiting("en", "explanation"), "Checking which sources matter …"),
        (Waiting("en", "sync", about="<DOC>", done=1, total=2), "Syncing &lt;DOC&gt;: 1 of 2 pages …"),
    ],
)
def test_waiting_names_the_work(waiting: Waiting, text: str) -> None:
    message = render_message(waiting, "mark")
    assert (read_texts(message["blocks"]), message["text"]) == (text, text)
    assert message["blocks"][0]["block_id"] == "mark"


def test_a_notice_has_its_lines_and_links() -> None:
    notice = Notice(
        "Explained already:", ("A <line>.",), links=(PageLink("the explanation", "https://x.slack.com/p1"),)
    )
    shown = read_texts(render_message(notice, "")["blocks"])
    assert shown == "Explained already:\n• <https://x.slack.com/p1|the explanation>\nA &lt;line&gt;."
    assert read_texts(render_message(replace(notice, kind="problem"), "")["blocks"]).startswith(":warning: Explained")


def test_help_says_how_to_ask_and_commands_to_admins_only() -> None:
    view = HelpView("en", ("HR", "DOC"))
    shown = read_texts(render_message(view, "")["blocks"])
    assert "Mention @WikiWhy with a question" in shown
    assert "HR and DOC" in shown
    assert "/wiki sync" not in shown
    assert "/wiki sync" in read_texts(render_message(replace(view, admin=True), "")["blocks"])
    assert "Send me a question" in read_texts(render_message(replace(view, direct=True), "")["blocks"])
    assert "No wiki space" in read_texts(render_message(replace(view, spaces=()), "")["blocks"])


def source(rank: int, number: int | None = None) -> SourceView:
    return SourceView(rank, number, f"Page {rank}", ("Part",), "table row", "Some *text* <x>", f"https://wiki/{rank}")


def test_many_sources_keep_the_limit_of_blocks() -> None:
    many = SourcesView("en", "What?", tuple(source(at, at % 2) for at in range(1, 80)))
    check_blocks(render_message(many, "")["blocks"])
    check_view(render_sources(many))


def test_sources_are_a_modal_with_kind_and_number() -> None:
    modal = render_sources(SourcesView("en", "What?", (source(2, 1), source(1)), hidden=1))
    assert read_texts(modal["blocks"]).split("\n") == [
        "What?",
        "*[1]* <https://wiki/2|Page 2 › Part>",
        "Some *text* &lt;x&gt;",
        "table row, cited as [1]",
        "<https://wiki/1|Page 1 › Part>",
        "Some *text* &lt;x&gt;",
        "table row",
        "One source is not shown: its page is gone, or not everyone here may read it.",
    ]
    assert "Nothing was found" in read_texts(render_sources(SourcesView("en", "What?", ()))["blocks"])


def test_code_in_a_source_is_shown_as_code() -> None:
    text = 'A refusal:\n```json\n{\n  "limit": 120\n}\n```\nSee [1].'
    shown = read_texts(render_sources(SourcesView("en", "What?", (replace(source(1), text=text),)))["blocks"])
    assert '```\n{\n  "limit": 120\n}\n```' in shown
    assert "json" not in shown
    assert "See [1]." in shown


def test_forms_have_their_metadata_and_initial_value() -> None:
    form = render_form(build_correction_form("What may a night cost?", "en"), '{"turn": "t1"}')
    assert (form["callback_id"], form["private_metadata"]) == ("correction", '{"turn": "t1"}')
    assert form["blocks"][0]["element"]["initial_value"] == "What may a night cost?"
    reason = render_form(build_reason_form("What may a night cost?", "de"), "t1")
    assert reason["blocks"][-1]["optional"] is True
    assert "initial_value" not in reason["blocks"][-1]["element"]
    with pytest.raises(ValueError, match="metadata"):
        render_form(build_reason_form("What?", "en"), "x" * 3_001)
