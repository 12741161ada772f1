from tests.servers.confluence.fixtures import *  # noqa: F403
