"""As much CQL as a sync asks: ``type``, ``space`` and ``id``, joined by ``and``.

https://developer.atlassian.com/server/confluence/advanced-searching-using-cql/
"""

from __future__ import annotations

import re

from tests.servers.confluence.asked import Asked, Refused, number_of
from tests.servers.confluence.parts import Page

_TERM = re.compile(r"""(type|space|id)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"]+)""")


def search(asked: Asked, cql: str) -> list[Page]:
    """The current pages that it finds, by id. Raises :class:`Refused`, 400, if it cannot be parsed.

    What the account may not see is still among them.
    """
    terms = [_TERM.fullmatch(term.strip()) for term in cql.split(" and ")]
    wanted = {term[1]: re.sub(r"\\(.)", r"\1", term[2].strip('"')) for term in terms if term}
    if len(wanted) < len(terms):
        raise unparsable(cql)
    found = [
        page
        for page, status, space in asked.site.indexed()
        if status == "current" and {"type": page.kind, "space": space, "id": page.page_id}.items() >= wanted.items()
    ]
    return sorted(found, key=lambda page: number_of(page.page_id))


def unparsable(cql: str) -> Refused:
    return Refused(400, f"Could not parse cql : {cql}")
