from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.index.lexical import SqliteLexicalIndex
from bot.health.checks import check_settings_files, find_unknown_settings
from bot.storage.data_directory import DataDirectory, delete, describe_owner, own_directory
from core.errors import EmbedderUnavailable
from tests.bot.cli.running import ROOT, Ran, environment, wikiwhy
from tests.servers.scripted_model import Reply, ScriptedModel, Step, failing


def states(ran: Ran) -> dict[str, str]:
    return {finding["part"]: finding["state"] for finding in ran.json["findings"]}


def test_everything_works_after_a_sync(data: Path) -> None:
    ran = wikiwhy("doctor", "--data-dir", data, "--json")
    assert ran.code == 0
    assert ran.json["works"]
    assert set(states(ran).values()) == {"works"}
    assert set(states(ran)) == {
        "Python", "SQLite", "settings", "settings files", "data directory", "file permissions", "disk space",
        "embedder", "language model", "database", "spaces", "full-text index", "dense index",
    }  # fmt: skip


def test_files_that_were_copied_to_postgresql_are_a_note_until_they_are_deleted(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", f"postgresql+psycopg://wikiwhy@/x?host={tmp_path}")
    (data / "workflows.db").touch()
    ran = wikiwhy("doctor", "--data-dir", data, "--json")
    (finding,) = [each for each in ran.json["findings"] if each["part"] == "old files"]
    assert finding["state"] == "note"
    assert all(name in finding["found"] for name in ("wikiwhy.db", "lexical.db", "workflows.db", "chroma"))
    assert "stay in these files" in finding["advice"]
    for path in DataDirectory(data).databases:
        delete(path)
    assert states(wikiwhy("doctor", "--data-dir", data, "--json"))["old files"] == "works"


def test_looking_creates_nothing(tmp_path: Path) -> None:
    ran = wikiwhy("doctor", "--data-dir", tmp_path / "data")
    assert ran.code == 0
    assert ran.says("does not exist yet", "wikiwhy sync folder")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "data").mkdir()
    assert wikiwhy("doctor", "--data-dir", tmp_path / "data").code == 0
    assert list((tmp_path / "data").iterdir()) == []


def test_wrong_settings_do_not_keep_the_rest_from_being_checked(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_CONTEXT", "LOTS")
    ran = wikiwhy("doctor", "--data-dir", data, "--json")
    assert ran.code == 1
    assert states(ran)["settings"] == "broken"
    assert states(ran)["dense index"] == "works"


def test_names_that_look_like_settings_are_pointed_out(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("WIKIWHY_FUSSION=rrf\nOTHER=1\n")
    (tmp_path / "wikiwhy.toml").write_text('candidats = 50\nfusion = "rrf"\n')
    unknown = find_unknown_settings(tmp_path, {"WIKIWHY_EMBEDER": "e5", "WIKIWHY_FUSION": "rrf", "PATH": "/bin"})
    assert unknown == [
        "WIKIWHY_EMBEDER (WIKIWHY_EMBEDDER?)",
        "WIKIWHY_FUSSION (WIKIWHY_FUSION?)",
        "candidats in wikiwhy.toml (candidates?)",
    ]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (".env", "WIKIWHY_SLACK_BOT_TOKEN=xoxb-1"),
        (".env", "wikiwhy_database_url='postgresql://me:secret@host/wiki'"),
        ("wikiwhy.toml", 'llm_api_key = "sk-1"'),
    ],
)
def test_secrets_in_a_file_that_others_can_read_are_a_note(tmp_path: Path, name: str, line: str) -> None:
    file = tmp_path / name
    file.write_text(f"{line}\n")
    file.chmod(0o644)
    finding = check_settings_files(tmp_path)
    assert (finding.state, "xoxb-1" in f"{finding}", name in finding.found) == ("note", False, True)
    assert f"chmod go= {name}" in finding.advice
    file.chmod(0o600)
    assert check_settings_files(tmp_path).state == "works"
    file.write_text("")
    file.chmod(0o644)
    assert check_settings_files(tmp_path).state == "works"


def test_an_embedder_that_does_not_load_is_one_finding_of_many(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: E5Embedder) -> object:
        raise EmbedderUnavailable("The embedding model cannot be loaded: no file. Reinstall what it needs.")

    monkeypatch.setattr(E5Embedder, "_get_engine", fail)
    ran = wikiwhy("doctor", "--data-dir", data, "--json")
    assert ran.code == 1
    assert states(ran)["embedder"] == "broken"
    assert states(ran)["full-text index"] == states(ran)["database"] == "works"


@pytest.mark.parametrize(
    ("reply", "given", "state", "said"),
    [
        (None, {}, "works", "none configured"),
        (Reply("one two three four", pause=0.01), {}, "works", "tokens a second"),
        ("<think>Let me see", {}, "note", "llama"),
        (failing(401, "Incorrect: sk-secret"), {"API_KEY": "sk-secret"}, "broken", "WIKIWHY_LLM_API_KEY"),
        (None, {"MODEL": "something"}, "broken", "WIKIWHY_LLM_BASE_URL"),
        (None, {"API_KEY": "something"}, "broken", "WIKIWHY_LLM_MODEL"),
    ],
)
def test_a_language_model_is_tried_where_one_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Step | None, given: dict[str, str], state: str, said: str
) -> None:
    with ScriptedModel(reply or "", models=["llama"]) as server:
        for name, value in {**given, **({"BASE_URL": server.base_url} if reply else {})}.items():
            monkeypatch.setenv(f"WIKIWHY_LLM_{name}", value)
        findings = wikiwhy("doctor", "--data-dir", tmp_path / "data", "--json").json["findings"]
    (finding,) = [finding for finding in findings if finding["part"] == "language model"]
    assert (finding["state"], said in finding["found"]) == (state, True)
    assert "sk-secret" not in str(finding)


def test_indexes_are_owned_while_they_are_checked(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owners: list[str] = []
    real = SqliteLexicalIndex.open

    def noting(path: Path) -> SqliteLexicalIndex:
        owners.append(describe_owner(data))
        return real(path)

    monkeypatch.setattr(SqliteLexicalIndex, "open", noting)
    assert wikiwhy("doctor", "--data-dir", data).code == 0
    assert "wikiwhy doctor" in owners[0]
    assert describe_owner(data) == ""


def test_indexes_of_another_process_are_left_alone(data: Path) -> None:
    with own_directory(data):
        ran = wikiwhy("doctor", "--data-dir", data, "--json")
    assert ran.code == 0
    assert ran.says("in use by another process", "not checked")
    assert states(ran)["indexes"] == "note"
    assert "dense index" not in states(ran)


def test_a_sync_that_failed_is_shown(data: Path) -> None:
    (data.parent / "documents" / "broken.json").write_text("{")
    wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data)
    ran = wikiwhy("doctor", "--data-dir", data, "--json")
    assert states(ran)["spaces"] == "note"
    assert "broken.json" in json.dumps(ran.json)


# As root nothing is unreadable, so the command becomes somebody else once everything is imported and loaded.
AS_NOBODY = """
import os, sys
import bot.cli.app
import chromadb
from adapters.embedding.e5 import E5Embedder
if os.geteuid() == 0:
    os.seteuid(65534)
sys.exit(bot.cli.app.main())
"""


@pytest.mark.slow
def test_a_data_directory_out_of_reach_is_a_finding(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    (locked / "data").mkdir(parents=True)
    locked.chmod(0o700 if os.geteuid() == 0 else 0)
    arguments = ["doctor", "--data-dir", str(locked / "data"), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, *arguments],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    locked.chmod(0o700)
    ran = Ran(done.returncode, done.stdout, done.stderr)
    assert ran.code == 1, ran.err
    assert ran.says("Permission denied", "--data-dir")
    assert states(ran)["data directory"] == states(ran)["database"] == "broken"
    assert states(ran)["Python"] == "works"


def test_the_file_of_accounts_is_checked_line_by_line(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "accounts.csv"
    monkeypatch.setenv("WIKIWHY_ACCOUNTS", str(file))
    ran = wikiwhy("doctor", "--data-dir", data)
    assert ran.code == 1
    assert ran.says("WIKIWHY_ACCOUNTS names", "cannot be read", "Put the file there")
    file.write_text("slack:T1:U1,ada\nslack:T1:U2;ben\n")
    ran = wikiwhy("doctor", "--data-dir", data, "--json")
    (finding,) = [each for each in ran.json["findings"] if each["part"] == "chat accounts"]
    assert (ran.code, finding["state"]) == (0, "note")
    assert "has the accounts of 1 chat users; line 2: it has not two columns" in finding["found"]
    file.write_text("slack:T1:U1,ada\n")
    assert states(wikiwhy("doctor", "--data-dir", data, "--json"))["chat accounts"] == "works"
