"""Previews of pasted links to pages, and questions about a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.contracts.conversation_access import sync_page
from tests.contracts.transcript import Chat
from tests.servers.teams import TeamsWorld
from tests.servers.teams.cards import actions, texts

PAGE = "https://hollerbell.example/wiki/spaces/PEO/pages/2097217/Travel+and+expenses+policy+2026"
CARD = "application/vnd.microsoft.card.adaptive"


def share(chat: Chat, teams: TeamsWorld, name: str, url: str = PAGE, where: str = "") -> str:
    """Paste a link, and send it with the card that Teams got for it."""
    user, where = chat.user(name), where or chat.channel
    card = teams.paste_link(user, where, url)
    assert card is not None
    return teams.say(user, where, url, mention=False, attachments=[{"contentType": CARD, "content": card}])


def see(chat: Chat, teams: TeamsWorld, name: str, ts: str, press: str = "preview", where: str = "") -> Any:
    """Return the card that a person sees after a click, or after the client's own refresh."""
    user, where = chat.user(name), where or chat.channel
    message = teams.message(where, ts)
    card = message.seen_by.get(user, message.cards[0])
    action = next(each for each in actions(card) if each.get("verb") == press)
    delivery = teams.press(user, where, ts, action)
    chat.awaited(lambda: delivery.status is not None and not teams.pending, lambda: "no response")
    return message.seen_by.get(user)


def ask(chat: Chat, teams: TeamsWorld, name: str, ts: str, question: str) -> None:
    form = see(chat, teams, name, ts, "page")
    (field,) = [each for each in form["body"] if each["type"] == "Input.Text"]
    assert field["value"] == "What does “Travel and expenses policy 2026” say about …?"
    send = next(each for each in actions(form) if each.get("verb") == "ask")
    teams.press(chat.user(name), chat.channel, ts, send, values={field["id"]: question}, deliveries=2)


def test_the_card_of_a_pasted_link_contains_no_text_of_the_wiki(chat: Chat, teams: TeamsWorld) -> None:
    card = teams.paste_link(chat.user("Ada"), chat.channel, PAGE)
    assert card is not None
    assert texts(card) == ["A page of the wiki"]
    assert card["refresh"]["action"]["verb"] == "preview"
    unknown = teams.paste_link(chat.user("Ada"), chat.channel, PAGE.replace("2097217", "1"))
    assert unknown is not None
    assert texts(unknown) == texts(card)


def test_each_reader_sees_the_preview_and_can_ask_the_page(chat: Chat, teams: TeamsWorld) -> None:
    ts = share(chat, teams, "Ada")
    shown = " ".join(texts(see(chat, teams, "Ben", ts)))
    assert "Travel and expenses policy 2026" in shown
    assert "updated on" in shown
    title = teams.message(chat.channel, ts).seen_by[chat.user("Ben")]["body"][0]["inlines"][0]
    assert title["weight"] == "Bolder"
    ask(chat, teams, "Ben", ts, "What does “Travel and expenses policy 2026” say about the Netherlands?")
    answer = chat.awaited(lambda: teams.answers(chat.channel, ts), lambda: "an answer was to come in the thread")
    chat.settles()
    assert len(teams.answers(chat.channel, ts)) == 1
    assert "165" in str(answer[0].activity)


def test_the_same_question_in_a_form_that_is_opened_again_is_asked_again(chat: Chat, teams: TeamsWorld) -> None:
    question = "What does “Travel and expenses policy 2026” say about the Netherlands?"
    ts = share(chat, teams, "Ada")
    for number in (1, 2):
        ask(chat, teams, "Ben", ts, question)
        chat.awaited(lambda number=number: len(teams.answers(chat.channel, ts)) == number, lambda: "no answer")
        chat.settles()
        shown = teams.message(chat.channel, ts).seen_by[chat.user("Ben")]
        assert texts(shown) == ["Reading the wiki …"]
        assert [each["verb"] for each in actions(shown)] == ["page"]
    assert len(teams.answers(chat.channel, ts)) == 2


@pytest.mark.parametrize("url", [PAGE, PAGE.replace("2097217", "1")])
def test_a_page_that_may_not_be_shown_looks_like_a_missing_one(chat: Chat, teams: TeamsWorld, url: str) -> None:
    chat.configures(spaces=["ENG"])
    ts = share(chat, teams, "Ada", url)
    assert texts(see(chat, teams, "Ada", ts)) == ["A page of the wiki"]


def test_a_page_of_another_wiki_with_the_same_id_is_not_shown(chat: Chat, teams: TeamsWorld) -> None:
    ts = share(chat, teams, "Ada", PAGE.replace("hollerbell.example", "other.example"))
    assert texts(see(chat, teams, "Ada", ts)) == ["A page of the wiki"]
    see(chat, teams, "Ada", ts, "page")
    assert "Travel and expenses policy" not in str(teams.deliveries[-1].answer)


def test_rights_are_checked_at_each_click(chat: Chat, teams: TeamsWorld, tmp_path: Path) -> None:
    sync_page(chat, tmp_path, "900", "<p>The ferret is called Wilma.</p>")
    chat.configures(spaces=["900"])
    ts = share(chat, teams, "Ada", "https://wiki.example/pages/9001")
    assert "The ferret is called Wilma." in texts(see(chat, teams, "Ada", ts))
    sync_page(chat, tmp_path, "900", "<p>The ferret is called Wilma.</p>", "user:ada")
    assert texts(see(chat, teams, "Ben", ts)) == ["A page of the wiki"]
    before = teams.message(chat.channel, ts).seen_by[chat.user("Ben")]
    assert see(chat, teams, "Ben", ts, "page") == before
    assert "it may not be read here" in str(teams.deliveries[-1].answer)


def test_links_to_anything_else_get_no_card(chat: Chat, teams: TeamsWorld) -> None:
    for url in ("https://hollerbell.example/wiki/spaces/PEO", "https://[x", "", "x" * 5_000):
        assert teams.paste_link(chat.user("Ada"), chat.channel, url) is None


def test_a_chat_that_the_bot_does_not_know_gets_no_answer(chat: Chat, teams: TeamsWorld) -> None:
    """Two people's own chat is a personal chat for Teams, too: no answer may be posted there, or to it later."""
    user = chat.user("Ada")
    data = {"wikiwhy": "ask", "link": PAGE, "question": "How many days of leave are there?"}
    value = {"action": {"type": "Action.Execute", "verb": "ask", "data": data}}
    body = teams.invoke(user, teams.personal(user), "adaptiveCard/action", value)
    body["conversation"]["id"] = "19:of-two@unq.gbl.spaces"
    assert "cannot write in this chat" in str(teams.send(body).answer)
    chat.settles()
    assert not teams.refusals
