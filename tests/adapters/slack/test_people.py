"""Slack users as members."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.calls import SlackCalls
from adapters.slack.events import parse_member
from adapters.slack.platform import SlackPlatform
from core.errors import ChatRefused
from core.ports.chat import Member, Place
from tests.servers.slack import Fault, SlackWorld

ADA = {
    "id": "U1",
    "team_id": "T1",
    "name": "ada",
    "is_email_confirmed": True,
    "profile": {"email": "ada@example.org", "display_name": "Ada", "real_name": "Ada Lovelace"},
}


def count_calls(slack: SlackWorld, user: str) -> int:
    return sum(call.method == "users.info" and call.arguments["user"] == user for call in slack.calls)


def test_a_member_has_name_and_email() -> None:
    assert parse_member(ADA, "T1", "U1") == Member("U1", "Ada", "ada@example.org")
    assert parse_member({**ADA, "locale": "de-DE"}, "T1", "U1").language == "de"


@pytest.mark.parametrize(
    ("profile", "name"),
    [
        ({"display_name": "", "real_name": "Ada Lovelace"}, "Ada Lovelace"),
        ({"display_name": "", "real_name": ""}, "ada"),
        ({}, "ada"),
    ],
)
def test_other_names_replace_a_missing_display_name(profile: dict[str, str], name: str) -> None:
    assert parse_member({**ADA, "profile": profile}, "T1", "U1").name == name
    assert parse_member({}, "T1", "U1").name == "U1"


@pytest.mark.parametrize("flag", ["is_restricted", "is_ultra_restricted", "is_stranger", "is_bot", "deleted"])
def test_guests_bots_and_foreigners_have_no_email(flag: str) -> None:
    foreign = flag == "is_stranger"
    assert parse_member({**ADA, flag: True}, "T1", "U1") == Member("U1", "Ada", None, guest=True, foreign=foreign)


def test_an_unconfirmed_email_is_not_used() -> None:
    assert parse_member({**ADA, "is_email_confirmed": False}, "T1", "U1") == Member("U1", "Ada")
    assert parse_member({**ADA, "profile": {"display_name": "Ada", "email": ""}}, "T1", "U1").email is None


@pytest.mark.parametrize(
    ("elsewhere", "enterprise", "guest"),
    [
        ({}, "", True),
        ({}, "E1", True),
        ({"enterprise_user": {"id": "W1", "enterprise_id": "E1", "teams": ["T1", "T2"]}}, "", False),
        ({"enterprise_user": {"id": "W1", "enterprise_id": "E1", "teams": ["T2"]}}, "E1", False),
        ({"enterprise_user": {"id": "W1", "enterprise_id": "E2", "teams": ["T2"]}}, "E1", True),
        ({"enterprise_user": {"id": "W1", "enterprise_id": "E2", "teams": ["T2"]}}, "", True),
        ({"enterprise_user": {"id": "W1"}}, "", True),
    ],
)
def test_people_of_other_workspaces_are_members_only_in_the_same_organisation(
    elsewhere: dict[str, Any], enterprise: str, guest: bool
) -> None:
    """In shared channels, people of other organisations have no ``is_stranger``."""
    member = parse_member({**ADA, "team_id": "T2", **elsewhere}, "T1", "U1", enterprise)
    assert (member.guest, member.email) == (guest, None if guest else "ada@example.org")


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "team_id": st.sampled_from(["T1", "T2", "", None]),
            "is_email_confirmed": st.booleans(),
            "is_restricted": st.booleans(),
            "is_stranger": st.booleans(),
            "deleted": st.booleans(),
            "profile": st.sampled_from([{}, None, {"email": "ada@example.org"}, {"email": None}]),
            "enterprise_user": st.sampled_from([None, {}, {"id": "W1"}, {"enterprise_id": "E9", "teams": ["T9"]}]),
            "name": st.sampled_from(["ada", "", None]),
        },
    )
)
def test_no_guest_has_an_email(user: dict[str, Any]) -> None:
    member = parse_member(user, "T1", "U1", "E1")
    assert member.name
    assert not (member.guest and member.email)
    if user.get("team_id") == "T2":
        assert member.guest


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("@U9999999999 what is the limit?", "what is the limit?"),
        ("what is the limit, @U9999999999?", "what is the limit, ?"),
        ("@U9999999999 asks @ADA about @U8888888888 again", "asks @ada about again"),
        ("@U9999999999", ""),
        ("what does @UNIQUEKEY do on root@WEBSERVER01?", "what does @UNIQUEKEY do on root@WEBSERVER01?"),
        (" ".join(f"@U99999999{at:02}" for at in range(30)) + " who?", "who?"),
    ],
)
async def test_a_mention_that_cannot_be_resolved_is_no_part_of_the_text(
    slack: SlackWorld, calls: SlackCalls, text: str, resolved: str
) -> None:
    platform, ada = SlackPlatform(calls, lambda: 0.0), slack.add_user("ada")
    place = Place("slack", slack.team, "C1", "")
    assert await platform.resolve_mentions(place, text.replace("ADA", ada)) == resolved


async def test_a_person_is_requested_once_in_15_minutes(slack: SlackWorld, calls: SlackCalls) -> None:
    seconds = [0.0]
    known = SlackPlatform(calls, lambda: seconds[0])
    ada = slack.add_user("ada", email="ada@example.org")
    place = Place("slack", slack.team, "C1", "")
    for seconds[0] in (0.0, 10.0, 899.0):
        assert await known.find_member(place, ada) == Member(ada, "ada", "ada@example.org")
    assert count_calls(slack, ada) == 1
    slack.workspace.users[ada].restricted = True
    seconds[0] = 900.0
    assert (await known.find_member(place, ada)).guest
    assert count_calls(slack, ada) == 2


async def test_a_person_whom_slack_does_not_tell_is_requested_once_in_30_seconds(
    slack: SlackWorld, calls: SlackCalls
) -> None:
    seconds = [0.0]
    known = SlackPlatform(calls, lambda: seconds[0])
    ada = slack.add_user("ada")
    place = Place("slack", slack.team, "C1", "")
    slack.faults.add("users.info", Fault(error="user_not_found"), times=None)
    for seconds[0] in (0.0, 29.0):
        with pytest.raises(ChatRefused):
            await known.find_member(place, ada)
        assert await known.resolve_mentions(place, f"What did @{ada} ask?") == "What did ask?"
    assert count_calls(slack, ada) == 1
    slack.faults.clear()
    seconds[0] = 30.0
    assert (await known.find_member(place, ada)).name == "ada"
