"""The restrictions of a page and all of its ancestors apply together; if any is unknown, nobody may read the page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.confluence.restrictions import (
    NOBODY,
    Node,
    find_effective_restrictions,
    find_unknown_parents,
    parse_restriction,
)
from core.model import Scope

PRINCIPALS = ("user:anna", "user:ben", "group:crew", "group:board")
readers = st.none() | st.frozensets(st.sampled_from(PRINCIPALS), min_size=1)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Node]:
    """Nodes whose parents precede them."""
    nodes: dict[str, Node] = {}
    for number in range(draw(st.integers(1, 12))):
        parent = draw(st.sampled_from(["", *nodes]))
        nodes[str(number)] = Node(str(number), parent, draw(readers))
    return nodes


@given(nodes=trees(), asker=st.frozensets(st.sampled_from(PRINCIPALS)))
def test_a_reader_passes_every_restriction_on_the_way_up(nodes: dict[str, Node], asker: frozenset[str]) -> None:
    scope = Scope(principals=asker)
    for node in nodes.values():
        above = (
            scope.admits("S", find_effective_restrictions(node.parent, nodes).read_restrictions)
            if node.parent
            else True
        )
        own = node.readers is None or bool(node.readers & asker)
        assert scope.admits("S", find_effective_restrictions(node.node_id, nodes).read_restrictions) == (above and own)


@given(nodes=trees())
def test_without_restrictions_a_page_has_none(nodes: dict[str, Node]) -> None:
    free = {node_id: Node(node_id, node.parent) for node_id, node in nodes.items()}
    assert all(find_effective_restrictions(node_id, free).read_restrictions == () for node_id in free)


@given(nodes=trees(), data=st.data())
def test_below_what_is_unknown_nobody_may_read(nodes: dict[str, Node], data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(sorted(nodes)))
    reason = data.draw(st.sampled_from(["circle", "missing", "defect"]))
    below = {node_id for node_id in nodes if at in _up(node_id, nodes)}
    node = nodes[at]
    if reason == "circle":
        nodes[at] = Node(at, data.draw(st.sampled_from(sorted(below))), node.readers)
    else:
        nodes[at] = Node(at, "999", node.readers) if reason == "missing" else Node(at, node.parent, None, "is broken")
    for node_id in nodes:
        found = find_effective_restrictions(node_id, nodes)
        assert (found.read_restrictions == (NOBODY,)) == bool(found.defect) == (node_id in below)
    assert find_unknown_parents(nodes) == ({"999"} if reason == "missing" else set())


def _up(node_id: str, nodes: dict[str, Node]) -> list[str]:
    chain = []
    while node_id:
        chain.append(node_id)
        node_id = nodes[node_id].parent
    return chain


def _subjects(*results: object, limit: int = 200) -> dict[str, object]:
    return {"results": list(results), "start": 0, "limit": limit, "size": len(results)}


def test_an_empty_list_is_inherited_and_a_missing_one_unknown() -> None:
    empty = parse_restriction({"user": _subjects(), "group": _subjects()}, "accountId")
    assert empty is not None
    assert (empty.readers, empty.complete) == (None, True)
    assert parse_restriction({"user": _subjects()}, "accountId") is None
    assert parse_restriction({}, "accountId") is None


def test_somebody_without_a_name_still_restricts() -> None:
    own = parse_restriction({"user": _subjects({"type": "unknown"}), "group": _subjects()}, "username")
    assert own is not None
    assert own.readers == NOBODY


def test_a_full_list_may_not_be_all_of_it() -> None:
    two = [{"username": "anna"}, {"username": "ben"}]
    own = parse_restriction({"user": _subjects(*two, limit=2), "group": _subjects({"name": "crew"})}, "username")
    assert own is not None
    assert own.readers == {"user:anna", "user:ben", "group:crew"}
    assert not own.complete
