"""Responses, refusals and failures of Jira, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapters.jira import Connection, Jira
from adapters.retries import read_rate_limits
from core.errors import IssuesUnavailable
from core.ports.wiki import Issue
from tests.servers.jira import ACCOUNT, TOKEN, IssueInJira, JiraServer


@pytest.fixture(params=["cloud", "datacenter"])
def server(request: pytest.FixtureRequest) -> Iterator[JiraServer]:
    issues = {f"BELL-{number}": IssueInJira(f"Tune bell {number}") for number in range(1, 251)}
    issues["LAW-1"] = IssueInJira("The lawsuit")
    with JiraServer(request.param, issues) as server:
        yield server


def jira(server: JiraServer, token: str = TOKEN, timeout: float = 10) -> Jira:
    account = ACCOUNT if server.flavour == "cloud" else ""
    return Jira(Connection(server.url, server.flavour, token, account, timeout, first_pause=0.01), {"BELL"})


async def test_issues_are_found_in_few_requests(server: JiraServer) -> None:
    found = await jira(server).find_issues([f"BELL-{number}" for number in range(1, 251)])
    assert len(server.queries) == 3
    assert found["BELL-7"] == Issue("Tune bell 7", "In Progress")
    assert len(found) == 250


async def test_a_response_may_have_fewer_than_asked_for(server: JiraServer) -> None:
    server.cap = 40
    found = await jira(server).find_issues([f"BELL-{number}" for number in range(1, 101)])
    assert all(found.values())
    assert len(server.queries) == 3


async def test_projects_that_not_everybody_may_read_are_not_asked_about(server: JiraServer) -> None:
    tracker = jira(server)
    assert await tracker.find_issues(["LAW-1"]) == {}
    assert not server.queries
    assert (tracker.covers("BELL-1"), tracker.covers("LAW-1"), tracker.covers("BELL-X-1")) == (True, False, False)


async def test_an_issue_with_a_security_level_stays_a_key(server: JiraServer) -> None:
    server.issues["BELL-2"].security = "Board only"
    found = await jira(server).find_issues(["BELL-1", "BELL-2"])
    assert found == {"BELL-1": Issue("Tune bell 1", "In Progress"), "BELL-2": None}


async def test_unknown_issues_do_not_keep_the_others_from_being_found(server: JiraServer) -> None:
    for number in (3, 77):
        del server.issues[f"BELL-{number}"]
    found = await jira(server).find_issues([f"BELL-{number}" for number in range(1, 101)])
    assert [key for key, issue in found.items() if issue is None] == ["BELL-3", "BELL-77"]
    assert len(found) == 100
    assert len(server.queries) < 31


async def test_where_jira_refuses_everything_it_is_not_asked_forever(server: JiraServer) -> None:
    server.issues.clear()
    found = await jira(server).find_issues([f"BELL-{number}" for number in range(1, 101)])
    assert not any(found.values())
    assert len(server.queries) == 30


@pytest.mark.parametrize("statuses", [[429], [503, 500], [502, 429, 504]])
async def test_a_busy_jira_is_asked_again(server: JiraServer, statuses: list[int]) -> None:
    server.statuses = list(statuses)
    before = read_rate_limits().get("jira", 0)
    assert (await jira(server).find_issues(["BELL-1"]))["BELL-1"]
    assert len(server.queries) == len(statuses) + 1
    assert read_rate_limits().get("jira", 0) - before == statuses.count(429)


@pytest.mark.parametrize(
    ("statuses", "cause"),
    [([429] * 9, "number of requests"), ([500] * 9, r"failed \(500\)"), ([403], r"\(403\)"), ([404], r"\(404\)"),
     ([302], r"\(302\)")],
)  # fmt: skip
async def test_what_does_not_get_better_is_said(server: JiraServer, statuses: list[int], cause: str) -> None:
    server.statuses = list(statuses)
    with pytest.raises(IssuesUnavailable, match=cause):
        await jira(server).find_issues(["BELL-1"])
    assert len(server.queries) == min(len(statuses), 4)


async def test_a_wrong_token_is_said_and_not_shown(server: JiraServer) -> None:
    with pytest.raises(IssuesUnavailable, match="WIKIWHY_JIRA_TOKEN") as raised:
        await jira(server, token="secret-of-ours").find_issues(["BELL-1"])
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("body", ["<title>Log in</title>", "[]", '{"issues": 3}', "[" * 100_000])
async def test_what_is_no_answer_of_jira_is_said(server: JiraServer, body: str) -> None:
    server.body = body
    with pytest.raises(IssuesUnavailable, match="WIKIWHY_JIRA_URL"):
        await jira(server).find_issues(["BELL-1"])


async def test_nobody_there() -> None:
    tracker = Jira(Connection("http://127.0.0.1:9", "cloud", TOKEN, ACCOUNT, first_pause=0.01), {"BELL"})
    with pytest.raises(IssuesUnavailable, match="cannot be reached"):
        await tracker.find_issues(["BELL-1"])


async def test_the_doctor_asks_for_the_projects(server: JiraServer) -> None:
    await jira(server).check()
    assert server.queries == ['project in ("BELL")']
    server.issues.clear()
    with pytest.raises(IssuesUnavailable, match="WIKIWHY_JIRA_PROJECTS"):
        await jira(server).check()
