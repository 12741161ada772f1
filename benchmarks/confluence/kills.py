"""Kill syncs with SIGKILL at random moments, and check that the next sync has the result of an undisturbed one.

Every other kill hits a first sync; the others hit a sync that replaces earlier pages.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.child import MeasurementFailed
from benchmarks.confluence.served import FOLDER, environment, sync_command
from benchmarks.confluence.state import State, list_keys, list_versions, read_state
from benchmarks.figure import Figure, at_most
from tests.servers.confluence import ConfluenceServer, Site

_BATCH = 64  # the most texts that core/indexing/indexer.py embeds before it stores the vectors
_POLL = 0.005


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A sync without a kill. ``before``: its initial state, None if empty. ``seconds``: from first request to end."""

    before: Path | None
    begun: State | None
    ended: State
    seconds: float


@dataclass(frozen=True, slots=True)
class Killed:
    """One kill. ``at``: share of the sync's time; ``mixed``: pages of two versions; ``stale``: surplus entries."""

    at: float
    differences: list[str]
    mixed: set[str]
    twice: int
    stale: int


def measure_kills(server: ConfluenceServer, kills: int, seed: int, first: bool = True) -> list[Figure]:
    """Kill syncs of all spaces of the server's site, which is revised between them. ``first``: include first syncs."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    old = FOLDER / "kills-old"
    _undisturbed(server, old, None)
    revise(server.site)
    kinds = [_undisturbed(server, FOLDER / "kills-new", old)]
    kinds += [_undisturbed(server, FOLDER / "kills-first", None)] if first else []
    done = [kill_and_compare(server, kinds[number % len(kinds)], chance) for number in range(kills)]
    differing = [each for each in done if each.differences]
    moments = ", ".join(f"{each.at:.0%}" for each in sorted(done, key=lambda each: each.at))
    name, what = f"kill -9 at {kills} moments", sorted({part for each in differing for part in each.differences})
    left = sum(each.stale > 0 for each in done)
    return [
        Figure(f"{name}: other indexes after the next sync", "syncs", len(differing), at_most(0), ", ".join(what)),
        Figure(f"{name}: pages of mixed versions", "pages", sum(len(each.mixed) for each in done), at_most(0),
               f"seed {seed}; {left} left entries to clean; at {moments} of the sync"),
        Figure(f"{name}: embedded twice by one kill", "texts", max(each.twice for each in done), at_most(_BATCH),
               f"{sum(each.twice for each in done)} in all"),
    ]  # fmt: skip


def revise(site: Site) -> None:
    """Make a new version of every page: longer text, every third renamed, every fifth restricted."""
    site.add_group("board", [site.syncing])
    for number, page_id in enumerate(sorted(site.pages)):
        site.edit_body(page_id, f"{site.pages[page_id].body}<p>Page {number} was revised in autumn.</p>")
        if number % 3 == 0:
            site.rename(page_id, f"{site.pages[page_id].title}, revised")
        if number % 5 == 0:
            site.restrict(page_id, groups=["board"])


def kill_and_compare(server: ConfluenceServer, kind: Undisturbed, chance: random.Random) -> Killed:
    """Kill a sync, check the state that it left, sync again, and compare."""
    data, log = FOLDER / "killed", FOLDER / "killed.log"
    at = _kill(server, kind, data, log, chance)
    left = read_state(data)
    begun = log.read_text("ascii").split() if log.exists() else []
    log.unlink(missing_ok=True)
    _finish(_start(server, data, log))
    again = set(log.read_text("ascii").split()) if log.exists() else set()
    stale = len(left.rows["stale_entries"])
    return Killed(at, read_state(data).differences(kind.ended), find_mixed(left, kind), len(again & set(begun)), stale)


def find_mixed(left: State, kind: Undisturbed) -> set[str]:
    """Return the pages that are not completely of the old or of the new version, in the store or in answers.

    What a page shows of other pages may lack or be of an earlier version: it is stored again after the others.
    """
    versions = [list_versions(state) for state in (kind.begun, kind.ended) if state]
    stored = {
        page_id
        for page_id, version in list_versions(left).items()
        if not any(page_id in each and version.is_part_of(each[page_id]) for each in versions)
    }
    keys = list_keys(left)
    return stored | {page for page in keys.keys() | left.answering.keys() if keys.get(page) != left.answering.get(page)}


def _undisturbed(server: ConfluenceServer, data: Path, before: Path | None) -> Undisturbed:
    _begin(data, before)
    server.forget()
    _finish(_start(server, data, FOLDER / "undisturbed.log"))
    seconds = time.monotonic() - server.requests[0].at
    return Undisturbed(before, read_state(before) if before else None, read_state(data), seconds)


def _begin(data: Path, before: Path | None) -> None:
    shutil.rmtree(data, ignore_errors=True)
    if before:
        shutil.copytree(before, data)


def _kill(server: ConfluenceServer, kind: Undisturbed, data: Path, log: Path, chance: random.Random) -> float:
    """Kill a sync while it runs; repeat if it ended before. Return the share of its time at the kill."""
    for _ in range(10):
        _begin(data, kind.before)
        log.unlink(missing_ok=True)
        server.forget()
        child = _start(server, data, log)
        while child.poll() is None and not server.requests:
            time.sleep(_POLL)
        after = chance.uniform(0, kind.seconds)
        time.sleep(after)
        alive = child.poll() is None
        child.kill()
        child.communicate()
        if alive:
            return after / kind.seconds
    raise MeasurementFailed("ten syncs ended before they could be killed")


def _start(server: ConfluenceServer, data: Path, log: Path) -> subprocess.Popen[str]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    command = sync_command(data, *sorted(server.site.spaces), module=("-m", "benchmarks.confluence.counted", str(log)))
    return subprocess.Popen(
        command, cwd=FOLDER, env=environment(server), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _finish(child: subprocess.Popen[str]) -> None:
    _, said = child.communicate()
    if child.returncode != 0:
        raise MeasurementFailed(f"a sync ended with exit code {child.returncode}: {' '.join(said.split())[-300:]}")
