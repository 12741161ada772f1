"""Parsing of Teams' activities, including malformed ones."""

from __future__ import annotations

from html import escape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.teams.activities import (
    parse_action,
    parse_command,
    parse_message,
    parse_message_id,
    parse_place,
    parse_text,
    parse_thumb_feedback,
)
from adapters.teams.elements import FORM, QUESTION, REASON
from adapters.teams.links import parse_link_action

BOT = "28:app"


def activity(text: str | None, *mentions: tuple[str, str], **more: Any) -> dict[str, Any]:
    entities = [{"type": "mention", "mentioned": {"id": account}, "text": span} for account, span in mentions]
    return {
        "type": "message", "id": "1700000000001", "text": text, "entities": entities,
        "from": {"id": "29:ada", "aadObjectId": "ada"}, "recipient": {"id": BOT},
        "conversation": {"id": "19:c@thread.tacv2;messageid=1700000000000", "conversationType": "channel"},
        "channelData": {"tenant": {"id": "T"}}, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "mentions", "read"),
    [
        ("<at>Wiki</at> what is a Wiki?", [(BOT, "<at>Wiki</at>")], "what is a Wiki?"),
        ("what does the wiki say, <at>wiki</at>?", [(BOT, "<at>wiki</at>")], "what does the wiki say, ?"),
        ("<at>the</at> where is the cat", [(BOT, "<at>the</at>")], "where is the cat"),
        ("<at>W</at> <at>W</at> hi", [(BOT, "<at>W</at>"), (BOT, "<at>W</at>")], "hi"),
        ("<at>W</at> ask <at>Ada L</at>", [(BOT, "<at>W</at>"), ("29:x", "<at>Ada L</at>")], "ask @Ada L"),
        ('<at id="0">W</at> R&amp;D &lt; 3?', [(BOT, '<at id="0">W</at>')], "R&D < 3?"),
        (None, [], ""),
        ("a\x00b&nbsp;c", [], "ab c"),
    ],
)
def test_only_the_span_of_the_bots_mention_is_removed(
    text: str | None, mentions: list[tuple[str, str]], read: str
) -> None:
    assert parse_text(activity(text, *mentions)) == read


QUOTE = (
    '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1700000000000">\n'
    '<strong itemprop="mri" itemid="28:app">{sender}</strong><span itemprop="time" itemid="1700000000000"></span>\n'
    '<p itemprop="preview">{quoted}</p>\n</blockquote>\n'
)
MENTION = '<span itemscope="" itemtype="http://schema.skype.com/Mention" itemid="0">{name}</span>'
QUOTED = QUOTE.format(sender="Ada L", quoted="The limit is &euro;165 for R&amp;D.")


def attach(*contents: object) -> dict[str, Any]:
    return {"attachments": [{"contentType": "text/html", "content": content} for content in contents]}


@pytest.mark.parametrize(
    ("text", "html", "read"),
    [
        ("Ada LThe limit is €165 for R&amp;D.And in Delft?", f"{QUOTED}<p>And in Delft?</p>", "And in Delft?"),
        ("Ada L\r\nThe limit is €165\r\nfor R&D.\r\n\r\nAnd now?", f"{QUOTED}<p>And now?</p>", "And now?"),
        ("Ada LThe limit is €165 for R&D.<at>W</at> help", f"{QUOTED}<p>{MENTION.format(name='W')} help</p>", "help"),
        ("Ada LThe limit is €165 for R&amp;D.", QUOTED, ""),
        ("And in Delft?", f"{QUOTED}<p>And in Delft?</p>", "And in Delft?"),
        ("Ada L wrote what?", f"{QUOTED}<p>Ada L wrote what?</p>", "Ada L wrote what?"),
        ("Ada L…<at>W</at> And?", f"{QUOTED}<p>{MENTION.format(name='W')} And&nbsp;R&amp;D?</p>", "And R&D?"),
        ("Ada LThe limit is €165 for R&D. And Bonn.Why?", f"{QUOTED}<p>Why?</p>", "Why?"),
        ("Ada LThe limit is €165 for R&D.Why? 😀", f"{QUOTED}<p>Why?</p><img>", "Why? 😀"),
        ("Ada LThe limit … Ask Ben", f"{QUOTED}<p>Ask {MENTION.format(name='Ben')}</p><p>now</p>", "Ask @Ben now"),
        ("Ah.Ada LThe limit is €165 for R&D.", f"<p>Ah.</p>{QUOTED}", "Ah."),
        ("Ada L 1 2 What? Ada L 3 4 Why?", f"{QUOTED}<p>What?</p>{QUOTED}<p>Why?</p>", "What? Why?"),
        ("Why?Rules are rules", "<p>Why?</p><blockquote>Rules are rules</blockquote>", "Why?Rules are rules"),
        ("Ada LHi 😀Why?", QUOTE.format(sender="Ada L", quoted='Hi <emoji alt="😀"></emoji>') + "<p>Why?</p>", "Why?"),
        ("Ada LHiWhy?", QUOTE.format(sender="Ada L", quoted='Hi <emoji alt="😀"></emoji>') + "<p>Why?</p>", "Why?"),
        ("What?", "<blockquote itemtype='http://schema.skype.com/Reply'", "What?"),
        ("What?", 17, "What?"),
        ("What?", "", "What?"),
    ],
)  # fmt: skip
def test_only_the_reply_to_a_quoted_message_is_the_text(text: str, html: object, read: str) -> None:
    assert parse_text(activity(text, (BOT, "<at>W</at>"), **attach(html))) == read


@pytest.mark.parametrize("reply", ["And in Delft?", "Thanks!", "help", ""])
def test_the_placeholder_of_a_quoted_message_is_no_part_of_the_text(reply: str) -> None:
    text = f'<quoted messageId="1700000000000"/> <at>W</at> {reply}'
    quoted = activity(text, (BOT, "<at>W</at>"))
    quoted["entities"].append({"type": "quotedReply", "quotedReply": {"messageId": "1700000000000", "preview": "Hi"}})
    assert parse_text(quoted) == parse_text(quoted | attach(f"{QUOTED}<p>{reply}</p>")) == reply


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=40)


@given(sender=WORDS, quoted=WORDS, reply=WORDS, gap=st.sampled_from(["", " ", "\r\n", "\r\n\r\n"]))
def test_any_text_is_the_reply_whatever_it_quotes(sender: str, quoted: str, reply: str, gap: str) -> None:
    """The plain text of Teams contains both, with or without something between them."""
    text = gap.join(map(escape, (sender, quoted, reply)))
    content = QUOTE.format(sender=escape(sender), quoted=escape(quoted)) + f"<p>{escape(reply)}</p>"
    assert parse_text(activity(text, **attach(content))) == " ".join(reply.split())


def test_a_message_in_a_channel_has_the_full_conversation_id() -> None:
    message = parse_message(activity("<at>W</at> hi", (BOT, "<at>W</at>")))
    assert message.place.channel == "19:c@thread.tacv2;messageid=1700000000000"
    assert (message.place.thread, message.place.room) == ("1700000000000", "19:c@thread.tacv2")
    assert (message.user, message.place.team, message.mentioned, message.reply) == ("ada", "T", True, True)
    root = activity("hi", id="1700000000000")
    assert not parse_message(root).reply


def test_other_ids_become_stable_rising_numbers() -> None:
    one = activity("a", id="f5d9ac41", timestamp="2026-11-22T09:08:57.204Z")
    two = activity("a", id="cc85e273", timestamp="2026-11-22T09:08:57.205Z")
    assert parse_message_id(one) == parse_message_id(dict(one))
    assert float(parse_message_id(one)) < float(parse_message_id(two))
    assert parse_message_id(activity("a", id="x", timestamp="never")).startswith("0.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sync ENG", ("sync", "ENG")), ("/sync ENG", ("sync", "ENG")), ("Help", ("help",)), ("Hilfe", ("hilfe",)),
        ("sync", ("sync",)),
        ("forget ~ada", ("forget", "~ada")), ("sync the wiki", None), ("help me", None),
        ("spaces in Berlin?", None), ("", None), ("forget it", ("forget", "it")),
    ],
)  # fmt: skip
def test_a_command_is_the_whole_message(text: str, words: tuple[str, ...] | None) -> None:
    found = parse_command(parse_message(activity(f"<at>W</at> {text}", (BOT, "<at>W</at>"))))
    assert (found and found.words) == words
    assert parse_command(parse_message(activity("help"))) is None, "nobody called the bot"


def test_a_repeated_click_with_a_new_id_has_the_same_action_id() -> None:
    data = {"wikiwhy": "correct", "turn": "t1", "question": "Who?"}
    first = activity("", type="invoke", value={"action": {"data": data}}, replyToId="17", id="a")
    fallback = activity("", value=data, replyToId="17", id="b")
    other = activity("", value={**data, "question": "What?"}, replyToId="17")
    found = [parse_action(each) for each in (first, fallback, other)]
    ids = [each.click.action_id for each in found if each]
    assert ids[0] == ids[1] != ids[2]
    assert found[0]
    assert (found[0].name, found[0].text, found[0].click.message_id) == ("correct", "Who?", "17")


BUTTONS = {
    **dict.fromkeys(("explain", "share", "sources", "suggest", "answer", "good", "bad"), ""),
    "correction": QUESTION, "correct": QUESTION, "reason": REASON,
}  # fmt: skip
"""Each button of an answer, with the field of its text."""


@given(
    name=st.sampled_from(sorted(BUTTONS)), text=st.text(max_size=20), forms=st.lists(st.text(), min_size=2, max_size=2),
    ids=st.lists(st.uuids().map(str), min_size=2, max_size=2),
)  # fmt: skip
def test_any_click_is_one_however_often_it_is_delivered_and_another_in_another_form(
    name: str, text: str, forms: list[str], ids: list[str]
) -> None:
    def click(number: int, form: str) -> dict[str, Any]:
        """A delivery with an id and a time of its own."""
        data = {"wikiwhy": name, "turn": "t1", BUTTONS[name] or "index": text, FORM: form}
        times = {"id": ids[number], "timestamp": f"2026-11-22T09:08:5{number}Z"}
        return activity("", type="invoke", value={"action": {"data": data}}, replyToId="17", **times)

    def asked(number: int, form: str) -> dict[str, Any]:
        data = {"wikiwhy": "ask", "link": "https://wiki/pages/1", QUESTION: text, FORM: form}
        return click(number, form) | {"name": "adaptiveCard/action", "value": {"action": {"data": data}}}

    for make, parse in ((click, parse_action), (asked, parse_link_action)):
        first, again, other = (parse(make(*one)) for one in ((0, forms[0]), (1, forms[0]), (0, forms[1])))
        assert first
        assert again
        assert other
        assert first.click.action_id == again.click.action_id
        assert (other.click.action_id == first.click.action_id) == (forms[0] == forms[1])


@pytest.mark.parametrize(
    ("feedback", "reason"),
    [('{"feedbackText":"Old"}', "Old"), ("Old", "Old"), ({"feedbackText": "Old"}, "Old"), (None, ""), ("{}", ""),
     ("[" * 9_999, "[" * 9_999), ("17", "17")],
)  # fmt: skip
def test_feedback_is_parsed_in_all_its_formats(feedback: object, reason: str) -> None:
    value = {"actionName": "feedback", "actionValue": {"reaction": "dislike", "feedback": feedback}}
    found = parse_thumb_feedback(activity("", type="invoke", value=value))
    assert found
    assert (found.reaction, found.reason) == ("bad", reason)


def test_missing_and_malformed_fields_are_accepted() -> None:
    assert parse_place({}).channel == ""
    assert parse_action({"value": {"action": "x"}}) is None
    assert parse_thumb_feedback({"value": []}) is None
