"""The audit log names the settings that changed between two starts, and never a value."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from bot.audit import record_changed_settings
from bot.settings import load_settings
from bot.wiring import Application, open_application

SECRET = "xoxb-hippopotamus-secret"


def changed(application: Application, **values: object) -> None:
    application.settings = application.settings.model_copy(update=values)


def held(folder: Path, *words: str) -> list[str]:
    raw = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return [word for word in words if word.encode() in raw]


async def test_changed_settings_are_named_once_without_their_values(tmp_path: Path) -> None:
    with open_application(load_settings(data_dir=tmp_path, default_spaces="ENG")) as application:
        assert await record_changed_settings(application) == ("default_spaces",)
        changed(application, slack_bot_token=SecretStr(SECRET), limit_person=7, llm_base_url="https://a:b@model")
        assert await record_changed_settings(application) == ("limit_person", "llm_base_url", "slack_bot_token")
        assert await record_changed_settings(application) == ()
        changed(application, slack_bot_token=SecretStr(""))
        assert await record_changed_settings(application) == ("slack_bot_token",)
        entries = await application.audit.load_entries()
    assert [entry.object for entry in entries] == [
        "default_spaces",
        "limit_person, llm_base_url, slack_bot_token",
        "slack_bot_token",
    ]
    assert {(entry.actor, entry.action, entry.outcome) for entry in entries} == {("server", "change_settings", "done")}
    assert not held(tmp_path, SECRET, "a:b@model")
