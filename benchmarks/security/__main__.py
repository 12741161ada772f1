"""`python -m benchmarks.security NAME [options]`: runs one attack; without a name, lists them."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks.security as package


def attack_names() -> list[str]:
    """Return the modules of this package that can be run, sorted. Helpers start with an underscore."""
    return sorted(found.name for found in pkgutil.iter_modules(package.__path__) if not found.name.startswith("_"))


def main(arguments: list[str]) -> int:
    """Run the attack that the first argument names, with the other arguments. Return the exit code."""
    names = attack_names()
    if not arguments or arguments[0] not in names:
        usage = "Usage: python -m benchmarks.security NAME [options]; NAME is one of:"
        print(usage, *names, sep="\n  ", file=sys.stderr)
        return 2
    attack = importlib.import_module(f"{package.__name__}.{arguments[0]}")
    return int(attack.main(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
