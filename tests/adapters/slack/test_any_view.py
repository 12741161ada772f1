from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.blocks import render_message
from adapters.slack.streams import render_beginning
from adapters.slack.windows import render_explanation, render_form, render_sources
from core.languages import Language
from core.model.views import AnswerView, ExplanationView, SourcesView, View
from core.views.help import build_correction_form, build_reason_form
from tests.adapters.slack import strategies
from tests.adapters.slack.limits import (
    check_blocks,
    check_message_text,
    check_view,
    find_links,
    read_markup,
    read_texts,
)

MANY = strategies.MANY


def contact_of(view: View) -> list[str]:
    """Return the mention that an admin's contact may contain."""
    contact = view.contact.strip() if isinstance(view, AnswerView) and not view.answered else ""
    return [contact] if re.fullmatch(r"<(@U|@W|#C)[A-Z0-9]{2,20}>", contact) else []


@MANY
@given(strategies.views)
def test_any_view_fits_pings_nobody_and_links_only_to_its_own_addresses(view: View) -> None:
    message = render_message(view, "ask:slack:T1:C1:17.1")
    allowed = contact_of(view)
    check_blocks(message["blocks"], allowed=allowed)
    check_message_text(message["text"], allowed=allowed)
    assert message["blocks"][0]["block_id"] == "ask:slack:T1:C1:17.1"
    assert not any("block_id" in block for block in message["blocks"][1:])
    assert set(find_links(read_markup(message["blocks"]))) <= strategies.addresses_in(view)


@MANY
@given(strategies.answers)
def test_an_answer_ends_with_feedback_and_has_sources_only_where_it_answers(view: AnswerView) -> None:
    message = render_message(view, "")
    assert message["blocks"][-1]["type"] == "context_actions"
    ids = {
        element["action_id"]
        for block in message["blocks"]
        if block["type"] == "actions"
        for element in block["elements"]
    }
    assert ("sources" in ids) is view.answered
    assert ("explain" in ids) is view.answered


CONTROL = re.compile(r"<(?:!(?:channel|here|everyone|subteam\^|date\^)|@[UW][A-Z0-9]|#C[A-Z0-9])")


@MANY
@given(strategies.answers, st.sampled_from(["{}", "`{}`", "```\n{}\n```", "- {}"]))
def test_the_text_of_any_stream_pings_nobody(view: AnswerView, form: str) -> None:
    text = form.format(
        "<!channel> <!here|x> <!everyone> <!subteam^S1> <@U0000000001> <#C0000000001> <!date^1^{date}|x>"
    )
    for shown in (view, replace(view, text=text), replace(view, text=f"{text}\n\n{view.text}")):
        assert not CONTROL.search(render_beginning(shown)[0])


@MANY
@given(strategies.sources)
def test_any_sources_fit_into_a_modal(view: SourcesView) -> None:
    modal = render_sources(view)
    check_view(modal)
    assert set(find_links(read_markup(modal["blocks"]))) <= strategies.addresses_in(view)


@MANY
@given(strategies.explanations, strategies.languages)
def test_any_explanation_fits_into_a_window(view: ExplanationView, language: Language) -> None:
    modal = render_explanation(view, language, "C1 1.0 1.5 turn-1")
    check_view(modal)
    assert set(find_links(read_markup(modal["blocks"]))) <= strategies.addresses_in(view)


@MANY
@given(strategies.nasty, strategies.languages)
def test_any_form_fits(question: str, language: Language) -> None:
    check_view(render_form(build_correction_form(question, language), "turn-1"))
    check_view(render_form(build_reason_form(question, language), "turn-1"))


@MANY
@given(st.from_regex(r"<[@#!][A-Z^|a-z0-9 ]{1,12}>", fullmatch=True))
def test_a_contact_may_mention_only_one_user_or_channel(contact: str) -> None:
    view = AnswerView("t", "en", "Not found.", False, contact=contact)
    shown = read_texts(render_message(view, "")["blocks"])
    named = contact[1:3] in ("@U", "@W", "#C") and contact[2:-1].isalnum() and contact[2:-1].isupper()
    assert (contact in shown) is (named and len(contact[2:-1]) >= 3)
