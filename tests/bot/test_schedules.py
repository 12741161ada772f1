"""Schedules: how they are written, and which spaces are due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.schedules import Schedule, find_due, find_next_due, parse_schedules
from bot.settings import load_settings
from core.errors import SettingsInvalid

EXPRESSIONS = ["* * * * *", "*/15 * * * *", "0 6 * * *", "30 2 * * *", "0,30 8-18 * * 1-5", "0 0 1 * *", "0 0 29 2 *"]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"]
moments = st.datetimes(datetime(2024, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC))
cron = st.builds(
    lambda text, zone: Schedule(text, ZoneInfo(zone)), st.sampled_from(EXPRESSIONS), st.sampled_from(ZONES)
)


@given(st.dictionaries(st.sampled_from("ABCDE"), cron), st.dictionaries(st.sampled_from("ABCDEF"), moments), moments)
def test_a_space_is_due_if_its_time_came_since_its_last_sync(
    schedules: dict[str, Schedule], last: dict[str, datetime], now: datetime
) -> None:
    found = find_due(schedules, dict(last), now)
    assert len(found) == len(set(found))
    assert set(found) <= schedules.keys()
    for key, schedule in schedules.items():
        came = key not in last or (last[key] < now and schedule.find_next(last[key]) <= now)
        assert (key in found) == came
    # Never synced ones first, then by how long they have waited.
    times = [schedules[key].find_next(last[key]) if key in last else datetime.min.replace(tzinfo=UTC) for key in found]
    assert times == sorted(times)
    # Who has just been synced is not due until the next time comes, and then is.
    synced = dict.fromkeys(schedules, now)
    assert find_due(schedules, synced, now) == []
    for key, at in find_next_due(schedules, synced, now).items():
        assert at > now
        assert key not in find_due(schedules, synced, at - timedelta(seconds=1))
        assert key in find_due(schedules, synced, at)


@given(moments, moments)
def test_a_minute_matches_if_its_local_time_does(last: datetime, now: datetime) -> None:
    """Against the plain meaning of ``0 6 * * *`` in Berlin, day by day."""
    schedule = Schedule("0 6 * * *", ZoneInfo("Europe/Berlin"))
    first, day = min(last, now), min(last, now).astimezone(schedule.zone).date()
    sixes = [datetime(each.year, each.month, each.day, 6, tzinfo=schedule.zone) for each in (day, day + timedelta(1))]
    assert schedule.find_next(first) == min(six for six in sixes if six > first)


def test_a_clock_that_was_put_back_makes_nothing_due() -> None:
    schedules = parse_schedules("ENG: @hourly")
    now = datetime(2026, 1, 1, 12, 30, tzinfo=UTC)
    assert find_due(schedules, {"ENG": now + timedelta(days=3)}, now) == []


def test_commas_stay_commas_of_cron_and_of_keys() -> None:
    schedules = parse_schedules(" ENG, ~ann.b: 0,30 8-18 * * MON-FRI ;PEO:@Daily; ")
    assert {key: schedule.expression for key, schedule in schedules.items()} == {
        "ENG": "0,30 8-18 * * MON-FRI", "~ann.b": "0,30 8-18 * * MON-FRI", "PEO": "0 0 * * *",
    }  # fmt: skip
    assert parse_schedules("") == parse_schedules(" ; ") == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ENG 0 6 * * *", "'ENG 0 6 * * *' has no key or no schedule"),
        ("ENG:", "'ENG:' has no key or no schedule"),
        (": @daily", "'' in ': @daily' is not the key"),
        ("EN G: @daily", "'EN G' in"),
        ("ENG,: @daily", "is not the key of a space"),
        ("ENG: @dayly", "@dayly is none of @hourly"),
        ("ENG: 0 6 * *", "'0 6 * *' does not have five fields"),
        ("ENG: 0 0 6 * * *", "does not have five fields"),
        ("ENG: 61 6 * * *", "'61 6 * * *' is not a cron expression: bad minute"),
        ("ENG: 0 6 * * FUN", "bad day-of-week"),
        ("ENG: 0 0 30 2 *", "'0 0 30 2 *' is not a cron expression"),
        ("ENG: @daily, PEO: @hourly", "@daily, PEO: @hourly is none of"),
        ("ENG: @daily; PEO, ENG: @hourly", "space ENG has two schedules"),
    ],
)
def test_a_wrong_schedule_is_a_wrong_setting_that_says_which_part(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsInvalid) as raised:
        load_settings(sync_schedule=text)
    assert says in str(raised.value)
    assert "sync_schedule" in str(raised.value)


def test_a_time_zone_has_to_be_one_and_holds_for_the_schedules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings(sync_schedule="ENG: 0 6 * * *", timezone="Europe/Berlin")
    assert settings.schedules["ENG"].find_next(datetime(2026, 7, 1, tzinfo=UTC)) == datetime(2026, 7, 1, 4, tzinfo=UTC)
    for zone in ("Berlin", "../../etc/passwd", "", "Europe"):
        with pytest.raises(SettingsInvalid, match="timezone"):
            load_settings(timezone=zone)


def test_a_short_webhook_secret_is_refused_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsInvalid, match="shorter than 16 characters") as raised:
        load_settings(webhook_secret="hunter2")
    assert "hunter2" not in str(raised.value)
    assert load_settings(webhook_secret="0123456789abcdef").webhook_secret.get_secret_value()
