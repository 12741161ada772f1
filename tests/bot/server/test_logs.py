"""The log of the server: its form, and what never gets into it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from aiohttp.http_exceptions import BadHttpMessage
from dbos._logger import init_logger

from bot.server.logs import Redaction, RefusalLog, collect_secrets, log_to, make_http_logger
from bot.settings import load_settings

SECRETS = {
    "llm_api_key": "key-of-the-model",
    "confluence_token": 'token "with" quotes\\',
    "webhook_secret": "a-secret-of-thirty-two-characters",
    "metrics_token": "metrics-token-of-some-length",
    "database_url": "postgresql+psycopg://wiki:pass-word@db.example/wiki",
}
HIDDEN = ("key-of-the-model", '"with" quotes', "thirty-two", "metrics-token", "pass-word")

Log = Callable[[str], io.StringIO]


@pytest.fixture
def log() -> Iterator[Log]:
    """Opens a log of a format, with the settings above."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    quiet = {name: logging.getLogger(name).level for name in ("aiohttp", "sqlalchemy", "dbos", "slack_bolt")}

    def opened(form: str) -> io.StringIO:
        stream = io.StringIO()
        log_to(stream, load_settings(log_format=form, **SECRETS), "DEBUG")
        return stream

    yield opened
    root.handlers[:] = before
    root.setLevel(level)
    logging.captureWarnings(False)
    for name, was in quiet.items():
        logging.getLogger(name).setLevel(was)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize("secret", [secret for name, secret in SECRETS.items() if name != "database_url"])
def test_no_secret_of_the_settings_gets_into_the_log(log: Log, form: str, secret: str) -> None:
    stream = log(form)
    logger = logging.getLogger("bot.test")
    logger.info("It is %s.", secret)
    logger.info("With a field.", extra={"url": f"https://x/?token={secret}"})
    try:
        raise RuntimeError(f"refused: {secret}")
    except RuntimeError:
        logger.exception("It failed.")
    assert "refused" in stream.getvalue()
    assert not any(hidden in stream.getvalue() for hidden in HIDDEN)


WRITINGS: dict[str, Callable[[str], str]] = {
    "repr": repr,
    "json": json.dumps,
    "quoted": lambda secret: quote(secret, safe=""),
    "query": quote_plus,
    "bytes": lambda secret: repr(secret.encode()),
}


@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
@pytest.mark.parametrize("secret", ['tok"en\\with%of+all /ö', "p@ss:word/é"])
def test_a_secret_is_left_out_in_each_writing(secret: str, write: Callable[[str], str]) -> None:
    address = f"postgresql+psycopg://wiki:{quote(secret, safe='')}@db.example/wiki"
    for settings in (load_settings(llm_api_key=secret), load_settings(database_url=address)):
        redacted = Redaction(collect_secrets(settings)).redact(f"It is {write(secret)}.")
        assert redacted.count("[redacted]") == 1
        assert len(redacted) <= len("It is b'[redacted]'.")


@pytest.mark.parametrize(
    "text",
    ["xoxb-123456789012-abcDEF", "xapp-1-A0123-456-abcdef", "xoxe.xoxp-1-abcdef", "Authorization: Bearer abc.def-ghi",
     "postgresql://me:hunter2@db/wiki", "https://me:hunter2@proxy.example:3128/"],
)  # fmt: skip
def test_what_looks_like_a_secret_is_left_out_too(log: Log, text: str) -> None:
    stream = log("json")
    logging.getLogger("slack_bolt").warning("Sent %s to the server", text)
    assert "[redacted]" in stream.getvalue()
    assert not any(part in stream.getvalue() for part in ("abc", "hunter2", "0123-456"))


def test_a_password_in_an_address_is_left_out_wherever_it_stands(log: Log) -> None:
    stream = log("json")
    logging.getLogger("bot.test").warning("%s", {"url": SECRETS["database_url"], "again": "pass-word"})
    assert "pass-word" not in stream.getvalue()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Space ~jane.doe@example.com was synced", "Space personal was synced"),
        ("ask sync:~557058ab-12:2026-11-24 failed.", "ask sync:personal:2026-11-24 failed."),
        ("Spaces ENG, ~Zoë, OPS.", "Spaces ENG, personal, OPS."),
        ("https://x/wiki/spaces/~jane/pages/1 and %7Ejane", "https://x/wiki/spaces/personal/pages/1 and personal"),
        ("In ~/.cache/wikiwhy, in ~ 5 s", "In ~/.cache/wikiwhy, in ~ 5 s"),
    ],
)
def test_keys_of_personal_spaces_are_not_told_apart(log: Log, text: str, written: str) -> None:
    stream = log("json")
    logging.getLogger("bot.test").info("%s", text, extra={"space": text})
    (line,) = lines(stream)
    assert (line["message"], line["space"]) == (written, written)


def test_a_line_is_one_json_object_with_its_fields(log: Log) -> None:
    stream = log("json")
    logging.getLogger("bot.test").info("Space %s was\nsynced.", "ENG", extra={"space": "ENG", "seconds": 1.5})
    (line,) = lines(stream)
    assert line.pop("time").startswith("20")
    assert line == {
        "level": "INFO", "logger": "bot.test", "message": "Space ENG was\nsynced.", "space": "ENG", "seconds": 1.5,
    }  # fmt: skip


def test_an_error_has_its_traceback_in_the_same_line(log: Log) -> None:
    stream = log("json")
    try:
        raise RuntimeError("why")
    except RuntimeError:
        logging.getLogger("bot.test").exception("It failed.")
    (line,) = lines(stream)
    assert "RuntimeError: why" in line["traceback"]


def test_text_is_for_people(log: Log) -> None:
    stream = log("text")
    logging.getLogger("bot.test").warning("Something is odd.")
    assert stream.getvalue().endswith(" WARNING Something is odd.\n")


FORGED = "1\r\n12:00:00 ERROR The database is gone.\x1b[2J\x9b2J\u202e\u2028\x85\ud800\x00"


def log_forged() -> None:
    """Log a text of another person, in a message and in an error."""
    try:
        raise RuntimeError(FORGED)
    except RuntimeError:
        logging.getLogger("bot.test").exception("Page %s cannot be read.", FORGED, extra={"space": FORGED})


def test_text_of_others_forges_no_line_of_text(log: Log) -> None:
    stream = log("text")
    log_forged()
    first, *others = stream.getvalue().split("\n")[:-1]
    assert first.endswith(" ERROR Page 1")
    assert any("The database is gone." in line for line in others)
    assert all(line.startswith("    ") for line in others)
    assert all(line.isprintable() for line in (first, *others))
    stream.getvalue().encode()


def test_text_of_others_forges_no_line_of_json(log: Log) -> None:
    stream = log("json")
    log_forged()
    (line,) = stream.getvalue().splitlines()
    assert line.isprintable()
    line.encode()
    read = json.loads(line)
    assert FORGED in read["message"]
    assert FORGED in read["traceback"]
    assert read["space"] == FORGED


def test_without_a_terminal_it_is_json(log: Log) -> None:
    stream = log("auto")
    logging.getLogger("bot.test").info("Hello.")
    assert lines(stream)[0]["message"] == "Hello."


@pytest.mark.parametrize("first", [True, False])
def test_a_librarys_own_handler_writes_nothing_past_the_log(
    log: Log, first: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dbos = logging.getLogger("dbos")
    monkeypatch.setattr(dbos, "handlers", [])
    monkeypatch.setattr(dbos, "propagate", True)
    if first:
        init_logger()  # as DBOS does when it is made
    stream = log("json")
    if not first:
        init_logger()
    dbos.error("It is %s.", "metrics-token-of-some-length")
    assert [line["message"] for line in lines(stream)] == ["It is [redacted]."]
    assert "metrics-token" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["aiohttp.access", "sqlalchemy.engine", "dbos", "slack_bolt.App"])
def test_libraries_are_quiet(log: Log, name: str) -> None:
    stream = log("json")
    logging.getLogger(name).info("chatter")
    logging.getLogger(name).warning("trouble")
    assert [line["message"] for line in lines(stream)] == ["trouble"]


def test_a_flood_of_refusals_makes_few_lines_and_says_how_many_there_were(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    now = 0.0
    refusals = RefusalLog(logging.getLogger("tests"), lines=2, seconds=60, clock=lambda: now)
    for _ in range(1000):
        refusals.warn("A request was refused: %s", "why")
    assert [record.getMessage() for record in caplog.records] == ["A request was refused: why"] * 2
    now = 61.0
    refusals.warn("A request was refused: %s", "why")
    assert [record.getMessage() for record in caplog.records][2:] == [
        "998 more requests were refused and not logged one by one.", "A request was refused: why",
    ]  # fmt: skip


def test_what_is_no_http_leaves_no_traceback_and_a_defect_of_ours_does(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    logger = make_http_logger("tests.refusals.http")
    for error in [BadHttpMessage("\r\nforged line")] * 50 + [RuntimeError("a defect")]:
        try:
            raise error
        except Exception:
            logger.exception("Error handling request from %s", "10.0.0.1")
    assert len(caplog.records) == 6
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 5 + ["ERROR"]
    assert [bool(record.exc_info) for record in caplog.records] == [False] * 5 + [True]
    assert "forged" not in caplog.text
