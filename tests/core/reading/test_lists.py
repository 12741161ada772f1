"""Lists that are shown as wholes: those that a passage announces, and those of which retrieval found a part."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, cast

from core.answering.extractive.quoting.compose import compose, quote_units
from core.evidence.contextualise import add_after
from core.model import Evidence, Scope
from core.ports.store import EvidenceStore
from core.reading.lists import add_whole_lists, find_whole_list, join_announced_lists
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked, table

ITEMS = [f"- tower {number} with a quite long description" for number in range(1, 6)]
PASSAGE = evidence("We own these towers:", heading="Towers", ordinal=3, after="- tower 1 with a … …")
FIRST = evidence(*ITEMS[:3], kind="list", heading="Towers", ordinal=4, numbers=(1, 2, 3), total=5)
SECOND = evidence(*ITEMS[3:], kind="list", heading="Towers", ordinal=5, numbers=(4, 5), total=5)
OTHER = evidence("- a bell", kind="list", heading="Bells", ordinal=7, numbers=(1,), block=2)


@dataclass(frozen=True)
class StoredLists:
    """The lists of the pages that a store has."""

    lists: tuple[Evidence, ...]

    async def load_tables_and_lists(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        return [each for each in self.lists if each.page_id in page_ids]


async def add(*found: Evidence) -> list[str]:
    store = cast(EvidenceStore, cast(Any, StoredLists((FIRST, SECOND, OTHER))))
    return [each.evidence.evidence_id for each in await add_whole_lists(ranked(*found), Scope(), store)]


def quote(passage: Evidence, *others: Evidence) -> str:
    first = join_announced_lists(ranked(passage, *others))[0]
    return compose([quote_units(find_focus("Which towers?"), chosen(first, len(passage.parts) - 1))]).text


def test_a_dash_within_the_only_item_of_a_list_begins_no_item() -> None:
    passage = evidence("Groups may be of any size:", after="- The size - and the rules - are yours", ordinal=1)
    item = evidence("- The size - and the rules - are yours", kind="list", ordinal=2, numbers=(1,))
    assert quote(passage, item) == "Groups may be of any size:\n- The size - and the rules - are yours [1]"


async def test_all_pieces_of_an_announced_list_are_added() -> None:
    assert await add(PASSAGE) == [each.evidence_id for each in (PASSAGE, FIRST, SECOND)]


async def test_the_other_pieces_of_a_list_are_added() -> None:
    assert await add(SECOND) == [each.evidence_id for each in (SECOND, FIRST)]


async def test_nothing_is_added_to_passages_without_a_list_and_to_whole_lists() -> None:
    plain = replace(PASSAGE, context=replace(PASSAGE.context, after="The bells are old."))
    assert await add(plain, OTHER) == [plain.evidence_id, OTHER.evidence_id]


def test_a_sentence_that_announces_a_list_is_quoted_with_all_of_it() -> None:
    assert quote(PASSAGE, SECOND, FIRST) == "\n".join(["We own these towers:", *ITEMS]) + " [1]"


def test_the_whole_list_has_its_own_lines_and_not_those_of_its_first_words() -> None:
    """Nested items are indented, which the shortened text is not."""
    items = ("- tower 1", "  - a bell", "  - another bell that is far older", "- tower 2")
    passage = replace(PASSAGE, context=add_after(PASSAGE.context, "\n".join(items), 7))
    assert passage.context.after_breaks
    nested = evidence(*items, kind="list", heading="Towers", ordinal=4, numbers=(1, 2, 3, 4))
    assert quote(passage, nested) == "\n".join(["We own these towers:", *items]) + " [1]"


ROWS = table((("Folder", "temp/"), ("Use", "Logs")), (("Folder", "git/"), ("", "Sources")), title="Clock manual")
FOLDERS = replace(ROWS, ordinal=4)
ANNOUNCES_ROWS = evidence("It has these folders:", ordinal=3, after="Row 1 in Table 1: Folder is temp/, and Use …")


def test_a_sentence_that_announces_a_table_is_quoted_with_its_rows() -> None:
    assert quote(ANNOUNCES_ROWS, FOLDERS) == "\n".join(
        ["It has these folders:", "- Folder: temp/ · Use: Logs", "- Folder: git/ · Sources [1]"]
    )


def test_a_sentence_before_a_table_that_announces_nothing_is_quoted_alone() -> None:
    before = replace(ANNOUNCES_ROWS, parts=("It has folders.",), text="It has folders.")
    assert quote(before, FOLDERS) == "It has folders. [1]"


async def test_an_announced_table_is_added() -> None:
    store = cast(EvidenceStore, cast(Any, StoredLists((FOLDERS, OTHER))))
    found = await add_whole_lists(ranked(ANNOUNCES_ROWS), Scope(), store)
    assert [each.evidence for each in found] == [ANNOUNCES_ROWS, FOLDERS]


def test_a_list_of_another_section_does_not_follow_a_sentence() -> None:
    closed = replace(PASSAGE, parts=("We own some towers?",), ordinal=6)
    assert quote(closed, OTHER) == "We own some towers? [1]"


def test_a_list_of_another_section_follows_a_colon() -> None:
    assert quote(replace(PASSAGE, ordinal=6), OTHER) == "We own these towers:\n- a bell [1]"


def test_a_list_with_missing_pieces_is_not_whole() -> None:
    assert find_whole_list(SECOND, ranked(SECOND, OTHER)) == [SECOND]
    assert find_whole_list(SECOND, ranked(SECOND, FIRST)) == [FIRST, SECOND]
