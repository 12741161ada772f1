"""Which settings are usable, and what is said of those that are not."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.models import make_language_model
from bot.settings import Settings, load_settings
from core.errors import SettingsInvalid

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_key_that_is_no_text_is_refused_without_repeating_it() -> None:
    Path("wikiwhy.toml").write_text("llm_api_key = 5550123\n")
    with pytest.raises(SettingsInvalid) as raised:
        load_settings()
    assert "llm_api_key" in str(raised.value)
    assert "5550123" not in str(raised.value)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://ann:secret@host/v1", "http://", "/v1"])
def test_an_address_has_to_be_one_and_is_not_repeated(url: str) -> None:
    with pytest.raises(SettingsInvalid, match="llm_base_url") as raised:
        load_settings(llm_base_url=url)
    assert "secret" not in str(raised.value)


MAY_HOLD_SECRETS = [
    name for name in Settings.model_fields if name.endswith(("_key", "_token", "_secret", "_password", "_url"))
]


@pytest.mark.parametrize("name", MAY_HOLD_SECRETS)
def test_a_value_that_may_hold_a_secret_is_repeated_by_no_error_and_no_repr(name: str) -> None:
    secret = "ftp://ann:hidden@host/v1"
    with suppress(ValidationError):
        assert "hidden" not in repr(Settings(**{name: secret}))
    Path("wikiwhy.toml").write_text(f"{name} = [{secret!r}]\n")
    with pytest.raises(SettingsInvalid, match=name) as raised:
        load_settings()
    assert "hidden" not in str(raised.value)


def test_credentials_in_the_address_of_a_model_are_not_shown() -> None:
    settings = Settings(llm_base_url="http://ann:hidden@host/v1")
    assert "hidden" not in f"{settings!r} {settings}"


def test_no_language_model_without_settings_for_one() -> None:
    assert not Settings().has_language_model
    assert make_language_model(Settings()) is None


def test_a_key_and_a_model_mean_openai_itself() -> None:
    model = make_language_model(Settings(llm_api_key="sk-secret", llm_model="gpt"))
    assert model is not None
    assert (model.name, model.context_tokens) == ("gpt", 8192)
    assert "secret" not in repr(model)


@pytest.mark.parametrize(
    "half",
    [
        {"llm_model": "m"},
        {"llm_api_key": "k"},
        {"llm_api_key": "k", "llm_model": "m", "llm_api_version": "2024-10-21"},
        {"llm_api_key": "k", "llm_base_url": "https://x.example", "llm_api_version": "2024-10-21"},
    ],
)
def test_half_a_language_model_is_refused(half: dict[str, str]) -> None:
    with pytest.raises(SettingsInvalid, match="WIKIWHY_LLM_"):
        make_language_model(load_settings(**half))


@pytest.mark.parametrize(
    "wrong",
    [{"base_url": "ask.example.com"}, {"base_url": "javascript:alert(1)"}, {"port": 70000}, {"port": -1},
     {"metrics_token": "short"}, {"log_format": "xml"}, {"default_spaces": "EN G"}, {"limit_person": "-1"},
     {"daily_tokens": "many"}, {"slack_api_url": "slack"}],
)  # fmt: skip
def test_a_setting_that_is_no_use_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsInvalid, match=next(iter(wrong))) as refused:
        load_settings(**wrong)
    assert "short:" not in str(refused.value)
    assert "'short'" not in str(refused.value)


def test_what_only_a_server_needs_is_not_loaded_for_a_command(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.argv = ['wikiwhy', 'spaces', '--data-dir', sys.argv[1]]\n"
        "from bot.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "slow = {'aiohttp', 'openai', 'prometheus_client', 'bot.operations.serialisation', 'bot.server.web'}\n"
        "loaded = slow & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_admins_and_limits_are_read_as_they_are_written() -> None:
    assert load_settings().select_default_spaces(["ENG"]) == load_settings().admin_ids == frozenset()
    settings = load_settings(admins=" U1, T1:U2 ,,", limit_person=5, limit_channel=0, daily_tokens=9)
    assert settings.admin_ids == {"U1", "T1:U2"}
    assert (settings.limits.person, settings.limits.channel, settings.limits.daily_tokens) == (5, 0, 9)
    assert load_settings(default_spaces="ENG, HR").select_default_spaces(["ENG", "OPS"]) == {"ENG"}
    assert load_settings(default_spaces="*").select_default_spaces(["ENG", "OPS"]) == {"ENG", "OPS"}
