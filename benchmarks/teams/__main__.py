"""``python -m benchmarks.teams``; for the options see :mod:`benchmarks.chat.options`."""

from benchmarks import teams
from benchmarks.chat.options import measure_group

if __name__ == "__main__":
    measure_group(teams)
