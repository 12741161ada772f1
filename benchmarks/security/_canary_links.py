"""Acts with links to pages: previews, the form to ask about a page, and its question.

In Slack everybody in a place sees one preview. In Teams each person sees their own, also in a personal chat.
"""

from __future__ import annotations

from random import Random
from typing import Any

from adapters.teams.elements import QUESTION
from adapters.teams.links import LinkActionName, parse_link_action
from benchmarks.security._canary_case import Case
from benchmarks.security._canary_world import PEOPLE, TEAMS_TENANT
from bot.teams.chat_sessions import ChatSessions
from bot.teams.links import LinkCards
from core.ports.chat import Click, Place
from core.ports.teams import Reference


async def show_previews(case: Case, random: Random, place: Place, person: str) -> None:
    """Post links to two pages."""
    urls = [_page_url(case, letter) for letter in random.sample(sorted(case.world.ids), 2)]
    if place.platform == "slack":
        found = await case.chat.links.find(place, person, urls, "en")
        case.oracle.leaves(place, "return of links", found)
    else:
        for url in urls:
            await _press(case, random, place, person, "preview", url)


async def show_form(case: Case, random: Random, place: Place, person: str) -> None:
    """Open the question form of a page, which shows the page's title."""
    letter = random.choice("abefg")
    if place.platform == "slack":
        title = await case.chat.links.load_title(place, person, case.world.ids[letter], "en")
        case.oracle.leaves(place, "return of page form", title, person)
    else:
        await _press(case, random, place, person, "page", _page_url(case, letter))


async def ask_page(case: Case, random: Random, place: Place, person: str, question: str) -> None:
    """Send the form's question. Its answer is for everybody in the place."""
    if place.platform == "slack":
        number = case.platform.next_id()
        click = Click(place, place.thread or number, person, number, "")
        await case.chat.service.ask_in_form(click, question, case.world.ids[random.choice("abefg")])
    else:
        url = _page_url(case, random.choice("abefg"))
        await case.application.references.save(Reference(place.team, place.room, "https://smba.example", "28:bot"))
        await _press(case, random, place, person, "ask", url, question)


def _page_url(case: Case, letter: str) -> str:
    return f"https://wiki.example.com/wiki/pages/{case.world.ids[letter]}/title"


async def _press(
    case: Case, random: Random, place: Place, person: str, name: LinkActionName, url: str, question: str = ""
) -> None:
    """Press a button of a Teams card. Also in a chat that only this person sees, since links are pasted anywhere."""
    if not question and random.random() < 0.3:
        person = random.choice(sorted(PEOPLE))
        place = Place("teams", TEAMS_TENANT, person, "", direct=True)
    activity = _make_activity(place, person, case.platform.next_id().partition(".")[0], name, url, question)
    action = parse_link_action(activity)
    assert action is not None
    cards = LinkCards(
        case.chat.links, case.chat.service, ChatSessions(case.application.posts), case.application.references
    )
    case.oracle.leaves(place, f"return of {name} card", await cards.respond(action, activity), person)


def _make_activity(place: Place, person: str, number: str, name: str, url: str, question: str) -> dict[str, Any]:
    kind = "personal" if place.direct else "channel" if place.room != place.channel else "groupChat"
    data = {"wikiwhy": name, "link": url, QUESTION: question}
    return {
        "type": "invoke",
        "name": "adaptiveCard/action",
        "id": number,
        "replyToId": place.thread or number,
        "from": {"id": f"29:{person}", "aadObjectId": person},
        "recipient": {"id": "28:bot"},
        "conversation": {"id": place.channel, "conversationType": kind, "tenantId": place.team},
        "channelData": {
            "tenant": {"id": place.team},
            "channel": {"type": "shared" if place.shared else "standard"},
        },
        "value": {"action": {"type": "Action.Execute", "verb": name, "data": data}},
    }
