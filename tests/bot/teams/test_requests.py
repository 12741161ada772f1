"""Authentication and validation of requests at /api/messages."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest

from bot.settings import Settings
from bot.teams.service import _parse_activity, find_missing_teams_settings
from tests.servers.running_bot import RunningBot
from tests.servers.teams import FORGERIES, TeamsWorld

QUESTION = "What is the hotel limit per night in the Netherlands for a trip in 2026?"


@pytest.mark.parametrize("kind", FORGERIES)
def test_forged_requests_are_refused_without_effect(teams: TeamsWorld, kind: str) -> None:
    ada = teams.add_user("Ada")
    activity = teams.activity(ada, ada, QUESTION)
    assert teams.send(activity, FORGERIES[kind](teams.tokens)).status == 401
    assert not teams.calls


def test_a_valid_request_is_answered(teams: TeamsWorld) -> None:
    ada = teams.add_user("Ada")
    assert teams.send(teams.activity(ada, ada, QUESTION)).status == 200
    teams.await_message(ada, predicate=lambda message: message.cards)


@pytest.mark.parametrize("service_url", ["https://example.com/", "", "http://169.254.169.254/"])
def test_another_service_url_than_the_tokens_is_refused(teams: TeamsWorld, service_url: str) -> None:
    ada = teams.add_user("Ada")
    activity = teams.activity(ada, ada, QUESTION, serviceUrl=service_url)
    assert teams.send(activity).status in {400, 401}
    assert not teams.calls


def test_another_tenant_is_ignored(teams: TeamsWorld) -> None:
    ada = teams.add_user("Ada")
    activity = teams.activity(ada, ada, QUESTION)
    activity["channelData"]["tenant"] = {"id": "another"}
    activity["conversation"]["tenantId"] = "another"
    assert teams.send(activity).status == 200
    assert not teams.calls


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"{}", b"[" * 50_000, b'{"type": 1}', b"\xff\xfe", b'{"type":"message"}',
     b'{"type":"message","serviceUrl":"http://[x","channelId":"msteams","conversation":{"id":"a"}}',
     b'{"type":"message","serviceUrl":"http://x","channelId":"msteams","conversation":"a"}'],
)  # fmt: skip
async def test_a_malformed_body_is_a_bad_request(teams: TeamsWorld, bot: RunningBot, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {teams.tokens.good()}", "Content-Type": "application/json"}
    url = f"{bot.url}/api/messages"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
        assert response.status == 400


@pytest.mark.parametrize(
    "changed",
    [{"from": None}, {"from": {}}, {"text": None}, {"text": 7}, {"entities": "x"}, {"entities": [None, {"type": 3}]},
     {"attachments": {}}, {"channelData": "x"}, {"type": "event"}, {"type": "invoke"}, {"recipient": 5},
     {"type": "invoke", "name": "adaptiveCard/action", "value": [1]}, {"id": "\ud800"}, {"text": "\ud800\x00 ?"},
     {"type": "invoke", "name": "message/submitAction", "value": {"actionName": "feedback", "actionValue": 1}},
     {"type": "invoke", "name": "message/submitAction",
      "value": {"actionName": "feedback", "actionValue": {"reaction": ["like"]}}}],
)  # fmt: skip
def test_missing_and_wrongly_typed_fields_are_accepted(teams: TeamsWorld, changed: dict[str, Any]) -> None:
    ada = teams.add_user("Ada")
    activity = teams.activity(ada, ada, QUESTION) | changed
    if changed.get("channelData"):
        activity["conversation"]["tenantId"] = teams.tenant
    activity = json.loads(json.dumps(activity))
    assert teams.send(activity).status == 200


def test_lone_surrogates_are_replaced() -> None:
    body = (
        b'{"type":"message","serviceUrl":"u","channelId":"m","conversation":{"id":"c"},"text":"\\ud800 \\ud83d\\ude00"}'
    )
    activity = _parse_activity(body)
    assert activity
    assert activity["text"] == "? \U0001f600"


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, 0),
        ({"teams_anonymous": True}, 0),
        ({"teams_anonymous": True, "host": "0.0.0.0"}, 1),
        ({"teams_anonymous": True, "teams_app_id": "a", "host": "::"}, 2),
        ({"teams_app_id": "a"}, 1),
        ({"teams_app_password": "p"}, 1),
        ({"teams_app_id": "a", "teams_app_password": "p", "teams_tenant_id": "t"}, 0),
    ],
)
def test_incomplete_settings_are_reported(settings: dict[str, Any], missing: int) -> None:
    assert len(list(find_missing_teams_settings(Settings(**settings)))) == missing
