"""The fixtures of the servers' own tests."""

from tests.servers.confluence.fixtures import *  # noqa: F403
