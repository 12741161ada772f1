"""Audit the locked dependencies for known vulnerabilities with pip-audit.

pip-audit asks an advisory service, so it needs the internet. If the service cannot be reached, nothing is audited. The
command then says so, checks what it can offline (every package is pinned and has hashes), and exits with 0 unless
`--require-service` is given. A vulnerability that does not concern WikiWhy is accepted in `ACCEPTED`, with the reason.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.txt", "requirements-evaluation.txt", "requirements-bge.txt")

ACCEPTED: Mapping[str, str] = {}
"""Reasons why advisories do not concern WikiWhy, by their ids."""

_PINNED = re.compile(r"^[A-Za-z0-9._-]+(?:\[[^\]]*\])?==[^\s;\\]+")


@dataclass(frozen=True, slots=True)
class AuditResult:
    """``vulnerable``: one line per vulnerability that is not accepted. ``skipped``: packages without an answer."""

    audited: int
    vulnerable: tuple[str, ...]
    skipped: tuple[str, ...]


def find_unpinned(lock: str) -> list[str]:
    """Return the requirements of a lock file's text that lack an exact version or a hash."""
    joined = re.sub(r"\\\n\s*", " ", lock)
    requirements = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith(("#", "-"))]
    return [line.split()[0] for line in requirements if not _PINNED.match(line) or "--hash=" not in line]


def read_report(report: Mapping[str, Any], accepted: Mapping[str, str] = ACCEPTED) -> AuditResult:
    """Read pip-audit's JSON report (https://github.com/pypa/pip-audit, "Usage")."""
    skipped = [item["name"] for item in report["dependencies"] if "skip_reason" in item]
    vulnerable = [
        f"{item['name']} {item['version']}: {found['id']}, fixed in {', '.join(found['fix_versions']) or 'no version'}"
        for item in report["dependencies"]
        for found in item.get("vulns", [])
        if not {found["id"], *found.get("aliases", [])} & accepted.keys()
    ]
    return AuditResult(len(report["dependencies"]) - len(skipped), tuple(vulnerable), tuple(skipped))


def audit(lock: Path) -> AuditResult | str:
    """Audit one lock file. Return the last line of pip-audit's error if the service did not answer."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(lock), "--disable-pip", "--no-deps"]
    done = subprocess.run([*command, "--format", "json", "--progress-spinner", "off"], capture_output=True, text=True)
    try:
        return read_report(json.loads(done.stdout))
    except ValueError:
        return (done.stderr.strip().splitlines() or ["pip-audit printed nothing"])[-1]


def main(arguments: Sequence[str]) -> int:
    """Print one line per lock file. Return 1 if a vulnerability was found, or a package is not pinned."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security dependencies", description=__doc__)
    parser.add_argument("--require-service", action="store_true", help="fail where nothing could be audited")
    options = parser.parse_args(arguments)
    failed = False
    for name in LOCKS:
        unpinned = find_unpinned((ROOT / name).read_text("utf-8"))
        result = audit(ROOT / name)
        if unpinned:
            print(f"{name}: without exact version or hash: {', '.join(unpinned)}")
        if isinstance(result, str):
            print(f"{name}: NOT AUDITED, pip-audit failed: {result}")
        elif not result.audited:
            print(f"{name}: NOT AUDITED, the advisory service knows none of {len(result.skipped)} packages from here")
        else:
            print(f"{name}: {result.audited} packages audited, {len(result.vulnerable)} vulnerabilities", end="")
            print(f"; without an answer: {', '.join(result.skipped)}" if result.skipped else "")
            print(*result.vulnerable, sep="\n")
        unaudited = isinstance(result, str) or not result.audited
        vulnerable = not isinstance(result, str) and bool(result.vulnerable)
        failed |= bool(unpinned) or vulnerable or (unaudited and options.require_service)
    return int(failed)
