"""``python -m benchmarks.slack``; for the options see :mod:`benchmarks.chat.options`."""

from benchmarks import slack
from benchmarks.chat.options import measured

if __name__ == "__main__":
    measured(slack)
