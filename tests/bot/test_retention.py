"""What is older than the retention goes, in steps that can be cut off; what is younger stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.store import administration
from bot.maintenance import remove_old, remove_old_unless_clock_is_wrong
from bot.settings import load_settings
from bot.wiring import Application, open_application
from core.ports.chat import Place, ThreadMessage
from core.ports.chat_stores import Feedback, Post
from tests.contracts.examples import indexed_page, trace, turn

START = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = Place("slack", "T1", "C1", "1.0")


def iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    with open_application(load_settings(data_dir=tmp_path, retention_days=30, audit_days=90)) as application:
        yield application


async def asked(application: Application, turn_id: str, at: datetime, conversation: str = "slack:T1:C1:1.0") -> None:
    page = indexed_page("1")
    made = turn(turn_id, conversation, iso(at), (page,), (page,), f"answer{turn_id}")
    await application.turns.add(replace(made, trace=trace(f"trace{turn_id}")))
    await application.feedback.save(Feedback(turn_id, "slack:T1:U1", "bad", f"reason{turn_id}", iso(at)))


async def test_old_turns_go_with_all_that_belongs_to_them_and_young_ones_stay(application: Application) -> None:
    await asked(application, "old", START)
    await asked(application, "young", START + timedelta(days=20))
    await application.feedback.save(Feedback("young", "slack:T1:U2", "bad", "reasonold", iso(START)))
    assert await remove_old(application, START + timedelta(days=29)) == 0
    assert await application.turns.load_turn("old")
    assert await remove_old(application, START + timedelta(days=40)) > 0
    assert await application.turns.load_turn("old") is None
    young = await application.turns.load_turn("young")
    assert young
    assert young.answer.text == "answeryoung"
    assert not any(call.prompt.messages for call in young.trace.calls)  # they may repeat the older one's words
    assert [given.turn_id for given in await application.feedback.load_all()] == ["young"]
    data = b"".join(path.read_bytes() for path in application.directory.path.glob("wikiwhy.db*"))
    assert b"answerold" not in data
    assert b"reasonold" not in data
    assert await remove_old(application, START + timedelta(days=40)) == 0


async def test_keys_of_posts_and_messages_go_by_when_they_were_kept(application: Application) -> None:
    await application.posts.save(Post("ask:slack:T1:C1:1.0", PLACE, "2.0", "gone", True))
    await application.threads.add(PLACE.conversation_id, [ThreadMessage("1.0", "U1", "Ada", "said")])
    now = datetime.now(UTC)
    application.settings = application.settings.model_copy(update={"retention_days": 1})
    await remove_old(application, now + timedelta(days=2))
    assert await application.threads.load_messages(PLACE.conversation_id) == []
    assert await application.posts.load_post("ask:slack:T1:C1:1.0")  # Slack may still repeat the event
    await remove_old(application, now + timedelta(days=8))
    assert await application.posts.load_post("ask:slack:T1:C1:1.0") is None


@pytest.mark.parametrize("ahead", [65, 900])
async def test_a_clock_that_is_far_ahead_removes_nothing_until_a_day_confirms_it(
    application: Application, ahead: int
) -> None:
    for at in range(3):
        await asked(application, f"t{at}", START + timedelta(days=at))
    wrong = START + timedelta(days=ahead)
    assert await remove_old_unless_clock_is_wrong(application, wrong) == 0
    assert await remove_old_unless_clock_is_wrong(application, wrong + timedelta(hours=2)) == 0
    assert await remove_old_unless_clock_is_wrong(application, START + timedelta(days=29)) == 0
    assert await application.turns.load_turn("t0")
    refused = [entry.outcome for entry in await application.audit.load_entries()]
    assert refused == ["refused", "refused"]
    assert await remove_old_unless_clock_is_wrong(application, wrong + timedelta(days=2)) > 0
    assert await application.turns.load_turn("t2") is None


async def test_what_is_old_goes_every_day_where_people_ask(application: Application) -> None:
    for at in range(5):
        await asked(application, f"t{at}", START + timedelta(days=at * 10))
    assert await remove_old_unless_clock_is_wrong(application, START + timedelta(days=45)) > 0
    left = [at for at in range(5) if await application.turns.load_turn(f"t{at}")]
    assert left == [2, 3, 4]


async def test_nothing_goes_where_no_retention_is_set(application: Application) -> None:
    application.settings = application.settings.model_copy(update={"retention_days": 0, "audit_days": 0})
    await asked(application, "old", START)
    assert await remove_old(application, START + timedelta(days=10_000)) == 0
    assert await application.turns.load_turn("old")


async def test_the_audit_log_tells_of_it_and_has_a_time_of_its_own(application: Application) -> None:
    await asked(application, "old", START)
    await application.audit.begin(iso(START), "cli:ada", "sync", "ENG")
    await remove_old(application, START + timedelta(days=40))
    first, second = await application.audit.load_entries()
    assert (first.action, second.action, second.outcome) == ("sync", "remove_old_turns", "done")
    await remove_old(application, START + timedelta(days=100))
    assert [entry.action for entry in await application.audit.load_entries()] == ["remove_old_turns"]


@settings(max_examples=6, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(days=st.lists(st.integers(0, 60), min_size=1, max_size=12), steps=st.integers(0, 4), most=st.integers(1, 4))
async def test_a_removal_that_is_cut_off_goes_on_where_it_stopped(
    tmp_path_factory: pytest.TempPathFactory, days: list[int], steps: int, most: int
) -> None:
    with (
        pytest.MonkeyPatch.context() as patch,
        open_application(load_settings(data_dir=tmp_path_factory.mktemp("data"), retention_days=30)) as application,
    ):
        patch.setattr(administration, "MOST", most)
        for at, day in enumerate(days):
            await asked(application, f"t{at}", START + timedelta(days=day), f"c{at % 2}")
        now = START + timedelta(days=60)
        for _ in range(steps):  # of a process that dies then
            await application.retention.remove_some(iso(now - timedelta(days=30)), iso(now - timedelta(days=30)))
        await remove_old(application, now)
        kept = [f"t{at}" for at, day in enumerate(days) if day >= 30]
        assert [f"t{at}" for at in range(len(days)) if await application.turns.load_turn(f"t{at}")] == kept
        assert sorted({given.turn_id for given in await application.feedback.load_all()}) == sorted(kept)
