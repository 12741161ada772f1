"""Runs the Dockerfile's steps without an engine: in root file systems of their own, with chroot and mount namespaces.

Needs root on Debian, and mmdebstrap, which makes the stand-in for the base image from Debian's packages: the release
and the Python version that the image's tag names, nothing else.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.container.dockerfile import Stage, Step, expanded, json_words

_TAG = re.compile(r"python:(?P<python>3\.\d+)-slim-(?P<release>\w+)$")
_OF_THE_NETWORK = re.compile(r"(?i)\w+_proxy|pip_(cert|\w*timeout)")
_BUILDING = frozenset({"ARG", "ENV", "WORKDIR", "USER", "SHELL", "COPY", "RUN"})
_ABOUT_RUNNING = frozenset({"LABEL", "VOLUME", "STOPSIGNAL", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"})
INSTRUCTIONS = _BUILDING | _ABOUT_RUNNING
_NEUTRAL_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(slots=True)
class Image:
    """A root file system, and what the instructions say about running something in it."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": _NEUTRAL_PATH})
    arguments: dict[str, str] = field(default_factory=dict)
    working_directory: str = "/"
    user: str = "0:0"
    shell: tuple[str, ...] = ("/bin/sh", "-c")

    @property
    def variables(self) -> dict[str, str]:
        return self.arguments | self.environment


def make_base(image: str, target: Path) -> None:
    """Makes the stand-in for ``image`` (``python:3.N-slim-RELEASE``)."""
    tag = _TAG.search(image)
    if tag is None:
        raise ValueError(f"{image} is not of the form python:3.N-slim-RELEASE: no stand-in for it can be made here")
    python = f"python{tag['python']}"
    sources = [*Path("/etc/apt/sources.list.d").glob("debian.sources"), *Path("/etc/apt").glob("sources.list")]
    packages = f"--include={python},{python}-venv,ca-certificates"
    command = ["mmdebstrap", "--quiet", "--variant=minbase", packages, tag["release"], str(target), *map(str, sources)]
    subprocess.run(command, check=True)
    for name in ("python", "python3", python):
        (target / "usr/local/bin" / name).symlink_to(f"/usr/bin/{python}")


def build(stages: list[Stage], context: Path, work: Path, build_arguments: dict[str, str]) -> Image:
    """Runs every stage; returns the last. Raises CalledProcessError if a step fails."""
    built: dict[str, Image] = {}
    image = Image(work)
    for number, stage in enumerate(stages):
        base = work / "base"
        if not base.exists():
            make_base(stage.image, base)
        image = Image(work / f"stage-{number}")
        subprocess.run(["cp", "-a", "--reflink=auto", base, image.root], check=True)
        for step in stage.steps:
            _apply(step, image, context, built, build_arguments)
        built[stage.name] = image
    return image


def _apply(step: Step, image: Image, context: Path, built: dict[str, Image], build_arguments: dict[str, str]) -> None:
    match step.instruction:
        case "ARG":
            for name, default in step.assignments().items():
                image.arguments[name] = build_arguments.get(name, default)
        case "ENV":
            values = step.assignments().items()
            image.environment |= {name: expanded(value, image.variables) for name, value in values}
        case "WORKDIR":
            image.working_directory = step.value
            _inside(image, step.value).mkdir(parents=True, exist_ok=True)
        case "USER":
            image.user = step.value
        case "SHELL":
            image.shell = tuple(json_words(step.value))
        case "COPY":
            _copy(step, image, built[step.flag("from")].root if step.flag("from") else context)
        case "RUN":
            _run(step, image)
        case instruction if instruction in _ABOUT_RUNNING:
            pass
        case _:
            raise ValueError(f"{step.instruction} is not known here")


def _inside(image: Image, path: str) -> Path:
    return image.root / (Path(image.working_directory) / path).relative_to("/")


def _copy(step: Step, image: Image, origin: Path) -> None:
    """As engines do: a folder's content, not the folder itself; a pattern may match nothing."""
    *sources, target = step.words()
    destination = _inside(image, target)
    for pattern in sources:
        pattern = pattern.lstrip("/")
        found = [origin] if pattern == "." else sorted(origin.glob(pattern))
        if not found and not set("*?[") & set(pattern):
            raise FileNotFoundError(f"COPY {pattern}: not in {origin}")
        for source in found:
            if source.is_dir():
                # Nothing changes a stage's files any more once another copies them: links take no time and no room.
                keep = os.link if step.flag("from") else shutil.copy2
                shutil.copytree(source, destination, symlinks=True, dirs_exist_ok=True, copy_function=keep)
            else:
                shutil.copy2(source, destination)


def _run(step: Step, image: Image) -> None:
    mounts = []
    for name, value in step.flags:
        options = dict(option.split("=", 1) for option in value.split(","))
        match name, options.get("type"):
            case "mount", "cache":
                cache = Path(os.environ.get("PIP_CACHE_DIR", Path.home() / ".cache/pip"))
                cache.mkdir(parents=True, exist_ok=True)
                mounts.append((str(cache), options["target"]))
            case "mount", "secret":
                mounts += [(options["target"], options["target"])] if Path(options["target"]).exists() else []
            case _:
                raise ValueError(f"--{name}={value} is not known here")
    # Names, certificates and proxies of this machine's network, as an engine hands them to its builds.
    mounts += [(path, path) for path in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt")]
    network = {name: value for name, value in os.environ.items() if _OF_THE_NETWORK.fullmatch(name)}
    environment = {"HOME": "/root", "PIP_QUIET": "1"} | network | image.variables
    command = inside(image, [*image.shell, step.value], environment, mounts=mounts)
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)


def inside(
    image: Image,
    command: list[str],
    environment: dict[str, str],
    *,
    mounts: list[tuple[str, str]] | None = None,
    isolated: bool = False,
) -> list[str]:
    """The command line that runs ``command`` as process 1 of the image, as the image's user and in its folder.

    ``mounts`` are (here, there). ``isolated``: the root is read-only, /tmp is empty and writable, there is no network,
    no capability, and none can be gained: ``docker run --read-only --tmpfs /tmp --network none --cap-drop ALL
    --security-opt no-new-privileges``. The mounts end with the command.
    """
    user, group = image.user.split(":")
    switch = ["/usr/bin/setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]
    switch += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"] if isolated else []
    variables = [f"{name}={value}" for name, value in environment.items()]
    start = ["/usr/bin/env", "-i", f"--chdir={image.working_directory}", *variables, *command]
    setup = _mounting(image.root, mounts or [], isolated)
    script = "; ".join(["set -eu", *setup, f"exec {shlex.join(['chroot', str(image.root), *switch, *start])}"])
    namespaces = ["--mount", "--pid", "--fork", "--kill-child", *(["--net"] if isolated else [])]
    return ["unshare", *namespaces, "/bin/sh", "-c", script]


def _mounting(root: Path, mounts: list[tuple[str, str]], isolated: bool) -> list[str]:
    """Commands for the shell, in a mount namespace of its own."""
    top = shlex.quote(str(root))
    commands = [f"mount --bind {top} {top}", f"mount -t proc proc {top}/proc", f"mount --rbind /dev {top}/dev"]
    for here, there in mounts:
        place = root / there.lstrip("/")
        if Path(here).is_dir():
            commands.append(shlex.join(["mkdir", "-p", str(place)]))
        else:
            commands += [shlex.join(["mkdir", "-p", str(place.parent)]), shlex.join(["touch", str(place)])]
        commands.append(shlex.join(["mount", "--bind", here, str(place)]))
    if isolated:
        commands.append("ip link set lo up")  # an engine does so too
        commands += [f"mount -t sysfs -o ro sysfs {top}/sys", f"mount -t tmpfs tmpfs {top}/tmp"]
        commands.append(f"mount -o remount,bind,ro {top}")
    return commands
