"""A real server process: how it begins, says what is wrong, and ends."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.storage.data_directory import describe_owner
from tests.bot.cli.running import wikiwhy
from tests.servers.serving import environment, serving, until

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(data: Path, number: signal.Signals) -> None:
    with serving(data) as server:
        assert stat.S_IMODE((data / "admin.json").stat().st_mode) == 0o600
        assert server.get("/healthz") == (200, "ok\n")
        assert server.end(number) == 0
        assert "Traceback" not in server.log.read_text()
        assert server.messages.endswith("Stopped.")
    assert not (data / "admin.json").exists()
    assert describe_owner(data) == ""


def test_an_index_that_lacks_entries_is_named(data: Path) -> None:
    shutil.rmtree(data / "chroma")
    with serving(data, ready=False) as server:
        until(lambda: json.loads(server.get("/readyz")[1])["parts"]["indexes"] not in {"starting", "ready"})
        status, body = server.get("/readyz")
        assert status == 503
        assert "wikiwhy db rebuild-index" in json.loads(body)["parts"]["indexes"]
        assert server.get("/healthz")[0] == 200
        assert wikiwhy("ask", "Who approves travel?", "--data-dir", data).says("The indexes lack evidences")


def test_a_damaged_index_leaves_the_server_alive_and_says_so(data: Path) -> None:
    for name in ("lexical.db-wal", "lexical.db-shm"):  # SQLite would repair the file from them
        (data / name).unlink(missing_ok=True)
    (data / "lexical.db").write_bytes(b"no database" * 1000)
    with serving(data, ready=False) as server:
        until(lambda: "see the log" in server.get("/readyz")[1])
        assert server.get("/healthz")[0] == 200
        assert str(data) not in server.get("/readyz")[1]
        assert "lexical.db" in server.messages


def test_a_port_in_use_is_one_message(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = refused(data, "--port", str(port))
    assert ran.returncode == 1
    assert f"Port {port} of 127.0.0.1 is in use by another program." in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (data / "admin.json").exists()


def test_a_host_that_is_not_this_machine_is_one_message(data: Path) -> None:
    ran = refused(data, "--port", "0", "--host", "192.0.2.1")
    assert ran.returncode == 1
    assert "cannot listen on 192.0.2.1" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_second_signal_ends_it_at_once(data: Path) -> None:
    # A request whose body never ends keeps the first signal waiting.
    confluence = {"confluence_url": "http://127.0.0.1:9/wiki", "confluence_flavour": "datacenter"}
    secrets = {"confluence_token": "none", "webhook_secret": "x" * 32}
    with serving(data, **confluence, **secrets) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as slow:
            headers = b"Host: x\r\nX-Hub-Signature: sha256=00\r\nContent-Length: 100\r\n\r\n"
            slow.sendall(b"POST /webhooks/confluence/datacenter HTTP/1.1\r\n" + headers)
            server.until("wikiwhy_http_requests_in_flight", 2)
            server.process.send_signal(signal.SIGTERM)
            until(lambda: "Stopping" in server.messages)
            assert server.end() == 128 + signal.SIGTERM
    assert not (data / "admin.json").exists()


def test_a_thousand_silent_connections_neither_stop_it_nor_fill_its_log(data: Path) -> None:
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2048)), hard))
    try:
        with serving(data) as server, ExitStack() as opened:
            host, port = server.url.removeprefix("http://").split(":")
            lines = server.log.read_text().count("\n")
            for _ in range(1500):
                opened.enter_context(socket.create_connection((host, int(port))))
            for _ in range(3):
                assert server.get("/healthz") == (200, "ok\n")
            assert server.metric("process_open_fds") < 1024
            assert server.log.read_text().count("\n") < lines + 10
            assert server.end() == 0
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("command", [["db", "upgrade"], ["db", "rebuild-index"]])
def test_what_needs_the_directory_alone_asks_to_stop_the_server(data: Path, command: list[str]) -> None:
    with serving(data) as server:
        ran = wikiwhy(*command, "--data-dir", data)
        assert ran.code == 1
        assert ran.says(f"in use by `wikiwhy serve` (pid {server.process.pid})", "Stop the server")


def refused(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", "serve", "--data-dir", str(data), *arguments],
        env=environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
