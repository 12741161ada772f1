"""``python -m benchmarks.attachments``: print figures; exit code 1 if one misses its target."""

from __future__ import annotations

import argparse
import asyncio
import sys

from benchmarks.attachments.files import make_bad_files, make_good_files
from benchmarks.attachments.measure import count_requests, measure_memory, sync_files
from tests.servers.confluence import Flavour

_MOST_MEMORY = 512  # MB
_MOST_REQUESTS = 1.5  # times the requests for the pages alone
_LAST_PART = 1  # request: the last part of a listing counts as one, however short, which matters in a small wiki


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attachments")
    parser.add_argument("--files", type=int, default=300, help="attached files, bad ones among them")
    parser.add_argument("--pages", type=int, default=10_000, help="pages of the sync without changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--causes", action="store_true", help="print what is said of each bad file")
    options = parser.parse_args(arguments)
    kept = _measure_files(options.files, options.seed, options.causes)
    flavours: tuple[Flavour, ...] = ("cloud", "datacenter")
    for flavour in flavours:
        files, comments = options.pages // 2, 2 * options.pages
        found = asyncio.run(count_requests(options.pages, files, comments, flavour))
        ratio = found.now / found.before
        what = f"{options.pages:,} unchanged pages, {files:,} files, {comments:,} comments"
        print(f"{flavour}: {what}: {found.now} requests, {ratio:.2f} times the {found.before} for the pages alone")
        kept = kept and found.now <= _MOST_REQUESTS * found.before + _LAST_PART
    return 0 if kept else 1


def _measure_files(count: int, seed: int, shows_causes: bool) -> bool:
    bad = make_bad_files()
    good = list(make_good_files(count - len(bad), seed))
    found = asyncio.run(sync_files([*good, *bad], "cloud"))
    memory = measure_memory([*good[:8], *bad])
    print(f"{count} files, {len(bad)} of them bad: {len(bad) - len(found.unnamed)} of these named in the report")
    print(f"  good ones read: {len(good) - len(found.unread)} of {len(good)}; pages that failed: {found.errors}")
    print(f"  crashes: {found.crashes}; memory of a process: at most {memory:.0f} MB")
    for name in (*found.unnamed, *found.unread):
        print(f"  not as it should be: {name}")
    for name, cause in found.causes.items() if shows_causes else ():
        print(f"  {name} {cause}")
    return not found.unnamed and not found.unread and not found.crashes + found.errors and memory <= _MOST_MEMORY


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
