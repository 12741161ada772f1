"""Fixtures, for a ``conftest.py`` to import: ``from tests.servers.confluence.fixtures import *``.

``confluence_site`` is the sample wiki as a site; ``confluence_cloud`` and ``confluence_data_center`` serve it, both
the same one; ``confluence`` is each in turn, of the ``flavour``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.confluence.contents import from_documents
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

SAMPLES = Path(__file__).parents[3] / "samples" / "documents"

__all__ = ["confluence", "confluence_cloud", "confluence_data_center", "confluence_site", "flavour"]


@pytest.fixture
def confluence_site() -> Site:
    return from_documents(SAMPLES)


@pytest.fixture
def confluence_cloud(confluence_site: Site) -> Iterator[ConfluenceServer]:
    with ConfluenceServer(confluence_site, "cloud") as server:
        yield server


@pytest.fixture
def confluence_data_center(confluence_site: Site) -> Iterator[ConfluenceServer]:
    with ConfluenceServer(confluence_site, "datacenter") as server:
        yield server


@pytest.fixture(params=["cloud", "datacenter"])
def flavour(request: pytest.FixtureRequest) -> Flavour:
    chosen: Flavour = request.param
    return chosen


@pytest.fixture
def confluence(flavour: Flavour, confluence_site: Site) -> Iterator[ConfluenceServer]:
    with ConfluenceServer(confluence_site, flavour) as server:
        yield server
