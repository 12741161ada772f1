"""Programs from npm that tests start: installed once per lock file, into the user's cache folder."""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from pathlib import Path

import platformdirs
from filelock import FileLock


@functools.cache
def why_not(what: str, node: int = 20) -> str:
    """Why this cannot be started here; empty where it can. ``what``: begins the sentence. ``node``: oldest version."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        return f"{what} needs {' and '.join(missing)}, which this machine does not have"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < node:
        return f"{what} needs node {node} or later, this machine has {version}"
    return ""


def installed(name: str, package: Path) -> Path:
    """The folder with its ``node_modules``, in the user's cache; installs it where this lock file's is missing.

    ``package``: the folder with package.json, package-lock.json and .npmrc. Raises RuntimeError with npm's own words.
    """
    files = [package / "package.json", package / "package-lock.json", package / ".npmrc"]
    locked = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    folder = Path(platformdirs.user_cache_dir("wikiwhy")) / name / locked
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "installed").exists():
            for path in files:
                shutil.copy(path, folder)
            command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"npm ci failed in {folder}: {done.stderr[-2000:]}")
            (folder / "installed").touch()
    return folder
