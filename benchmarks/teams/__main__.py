"""``python -m benchmarks.teams``; for the options see :mod:`benchmarks.chat.options`."""

from benchmarks import teams
from benchmarks.chat.options import measured

if __name__ == "__main__":
    measured(teams)
