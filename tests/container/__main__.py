"""``python -m tests.container``: builds the image's root file system without an engine, and uses it as an admin would.

The build is with BGE=0. The commands run as process 1 with a read-only root and no network, like ``docker run
--read-only --tmpfs /tmp --network none -v …:/data``: whatever would be written elsewhere fails. Takes minutes, most of
them for installing; needs root on Debian. Exit code 1 if anything is not as the documentation promises.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.container.dockerfile import ROOT, Stage, copy_context, json_words, read_stages
from tests.container.image import Image, build, inside

WORK = ROOT / "build" / "container"
COMPLAINTS = (
    "cannot be written",
    "built anew",
    "temporary cache",
    "Traceback",
    "slower engine",
    "Read-only file system",
)


class CheckFailed(Exception):
    """The image does something else than promised."""


class Container:
    """What ``docker run`` would do with the image; every command is a new container over the same volume."""

    def __init__(self, image: Image, stage: Stage, data: Path) -> None:
        self.data = data
        self._image = image
        self.entrypoint = json_words(stage.last("ENTRYPOINT").value)
        self._mounts = [(str(data), "/data"), (str(ROOT / "samples" / "documents"), "/pages")]

    def command(self, *arguments: str, entrypoint: list[str] | None = None) -> list[str]:
        command = [*(self.entrypoint if entrypoint is None else entrypoint), *arguments]
        return inside(self._image, command, self._image.environment, mounts=self._mounts, isolated=True)

    def run(self, *arguments: str, entrypoint: list[str] | None = None, expected: int = 0) -> str:
        """What it printed. Raises CheckFailed for another exit code, and for complaints about places to write to."""
        command = self.command(*arguments, entrypoint=entrypoint)
        started = time.perf_counter()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        said = done.stdout + done.stderr
        print(f"    {' '.join([*(entrypoint or self.entrypoint), *arguments])}: {time.perf_counter() - started:.1f} s")
        _require(done.returncode == expected, f"exit code {done.returncode} in place of {expected}: {said}")
        _require(not any(complaint in said for complaint in COMPLAINTS), said)
        return said


def main() -> int:
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        print("Needs root on Debian or Ubuntu, and: apt install mmdebstrap", file=sys.stderr)
        return 2
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "context").mkdir(parents=True)
    stages = read_stages()
    try:
        with _timed("build"):
            copy_context(WORK / "context")
            image = build(stages, WORK / "context", WORK, {"BGE": "0"})
        with _timed("use"):
            _check_content(image)
            _check_use(Container(image, stages[-1], _volume(image)), stages[-1])
    except (CheckFailed, subprocess.SubprocessError, OSError, ValueError) as error:
        print(f"The image is not right: {error}", file=sys.stderr)
        return 1
    finally:
        with _timed("clearing away"):
            shutil.rmtree(WORK, ignore_errors=True)
    print("The image does what docs/docker.md says.")
    return 0


def _check_content(image: Image) -> None:
    """Every file of the packages is installed, also templates; the sources are not, nor what builds need."""
    installed = next(image.root.glob("opt/venv/lib/python3*/site-packages"))
    for folder in ("bot", "adapters", "core", "evaluation", "migrations", "prompts"):
        for path in (WORK / "context" / folder).rglob("*"):
            there = installed / path.relative_to(WORK / "context")
            _require(there.exists(), f"{there} is missing: see [tool.setuptools.package-data] in pyproject.toml")
    _require(not (image.root / "src").exists(), "the sources' folder is in the image")
    _require(len(list(image.root.glob("opt/cache/wikiwhy/*.onnx"))) == 1, "the model's graph is not in the image")


def _check_use(container: Container, stage: Stage) -> None:
    health = json_words(stage.last("HEALTHCHECK").value.removeprefix("CMD "))
    identity = container.run("-c", "id -u; touch /opt/x /x 2>&1 | wc -l; echo $$", entrypoint=["/bin/sh"])
    _require(identity.split() == ["10001", "2", "1"], f"user, refused writes, process: {identity}")
    container.run("doctor")  # before anything is synced
    _check_signal(container, stage.last("STOPSIGNAL").value)
    container.run("sync", "folder", "/pages")
    answer = container.run("ask", "Who approves a hotel above the limit?")
    _require("[1]" in answer, f"no citation in: {answer}")
    container.run("doctor")
    _check_server(container, [*container.entrypoint, *json_words(stage.last("CMD").value)], health)
    container.run("spaces")


def _check_server(container: Container, serve: list[str], health: list[str]) -> None:
    """The server that the image starts is healthy by the image's own check, and ends in good order."""
    script = (
        f"{shlex.join(serve)} & server=$!; for try in $(seq 60); do sleep 0.5; {shlex.join(health)} 2> /dev/null && "
        "break; done; echo healthy after $try tries; kill -INT $server; wait $server; echo ended with $?"
    )
    said = container.run("-c", script, entrypoint=["/bin/bash", "-m"])
    _require("healthy after 60" not in said and "ended with 0" in said, said)


def _check_signal(container: Container, name: str) -> None:
    """A sync under way ends at the image's stop signal, before an engine would kill it."""
    command, pipe = container.command("sync", "folder", "/pages"), subprocess.PIPE
    # An engine starts it with no signal ignored; a shell that runs this check in the background ignores SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        command, text=True, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT
    ) as outside:
        while not (container.data / "owner.json").exists() and outside.poll() is None:
            time.sleep(0.1)
        time.sleep(1)
        children = Path(f"/proc/{outside.pid}/task/{outside.pid}/children").read_text().split()
        _require(len(children) == 1, f"the sync ended by itself: {outside.poll()}")
        started = time.perf_counter()
        os.kill(int(children[0]), signal.Signals[name])
        try:
            said, _ = outside.communicate(timeout=10)
        except subprocess.TimeoutExpired as error:
            outside.kill()
            raise CheckFailed(f"{name} was not heard within 10 s") from error
    seconds = time.perf_counter() - started
    print(f"    {name} to a sync: ended after {seconds:.1f} s, exit code {outside.returncode}")
    _require(outside.returncode == 130 and "Traceback" not in said, said)


def _volume(image: Image) -> Path:
    """A new named volume: owner and mode are those of the image's folder."""
    owner = (image.root / "data").stat()
    data = WORK / "volume"
    data.mkdir(mode=owner.st_mode & 0o777)
    os.chown(data, owner.st_uid, owner.st_gid)
    return data


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise CheckFailed(otherwise)


@contextmanager
def _timed(what: str) -> Iterator[None]:
    started = time.perf_counter()
    print(f"--> {what}", flush=True)
    yield
    print(f"--> {what} took {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
