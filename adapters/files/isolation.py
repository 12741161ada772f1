"""Bounds the process that reads a file: its memory, its time, and what it can reach.

After :func:`isolate` the process can open nothing any more, neither files nor sockets: it may have no file descriptor
beside the pipes that it was started with. So whatever a library is made to do by a file, what comes out is text.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress

MOST_MEMORY = 512 * 1024 * 1024  # bytes of address space
MOST_CPU_SECONDS = 60
_NOBODY = 65534


def limit() -> None:
    """Bounds memory, processor time and writing. To be called before anything else."""
    _set(resource.RLIMIT_AS, MOST_MEMORY)
    _set(resource.RLIMIT_CPU, MOST_CPU_SECONDS)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_CORE, 0)


def isolate() -> None:
    """Takes away new file descriptors and new processes. All modules that are needed have to be loaded by then."""
    _set(resource.RLIMIT_NOFILE, 0)
    if os.geteuid() == 0:  # root could lift the limits again
        with suppress(PermissionError):  # a container's root may not become anybody else, and lift no limits either
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
    _set(resource.RLIMIT_NPROC, 0)


def _set(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (bound, bound))
