"""Inclusions: readers of both pages find the current text of the included page on the including page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from core.model import Comment, Page, Scope
from core.ports.wiki import ListedPage
from tests.core.indexing.parts import DictWiki, Stores

ANN, EVERYBODY, NOBODY = Scope(principals=frozenset({"user:ann"})), Scope(), Scope(frozenset())


def include(title: str, space: str = "", macro: str = "include", parameters: str = "") -> str:
    key = f' ri:space-key="{space}"' if space else ""
    link = f'<ac:link><ri:page ri:content-title="{title}"{key}/></ac:link>'
    parameter = f'<ac:parameter ac:name="">{link}</ac:parameter>{parameters}'
    return f'<ac:structured-macro ac:name="{macro}">{parameter}</ac:structured-macro>'


def tree_of(title: str, space: str = "") -> str:
    return include(title, space, "pagetree").replace('ac:name=""', 'ac:name="root"')


@pytest.fixture
def wiki() -> DictWiki:
    made = DictWiki()
    made.put("1", f"<p>Call us.</p><h2>Numbers</h2>{include('Numbers of the office')}<p>Or write.</p>")
    made.put("2", "<p>The door is 07.</p>", title="Numbers of the office")
    return made


async def texts(home: Stores, page_id: str, scope: Scope = EVERYBODY) -> list[str]:
    """Return the evidences of a page that the scope admits, each with its heading path and text."""
    access_filter = await home.stores.evidences.find_access_filter(scope)
    entries = [entry for space in (await home.state()).values() for entry in space]
    found = {
        e.key for e in entries if e.space in access_filter.spaces and (not e.access or e.access in access_filter.access)
    }
    current = await home.stores.evidences.load_evidences([entry.key for entry in entries], scope)
    assert current.keys() <= found, "the store shows what the indexes would not find"
    assert found <= current.keys(), "the indexes find what the store does not show"
    assert (await home.stores.evidences.load_summaries([e.key for e in entries], scope)).keys() == current.keys()
    own = sorted((each for each in current.values() if each.page_id == page_id), key=lambda each: each.ordinal)
    return [" > ".join((*each.context.heading_path, each.text)) for each in own]


async def test_an_included_page_is_found_on_the_page_that_includes_it(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    own = ["Call us.", "Numbers > Or write."]
    assert await texts(home, "1") == [*own, "Numbers > Numbers of the office > The door is 07."]
    assert await texts(home, "2") == ["The door is 07."]


async def test_a_hidden_excerpt_is_shown_only_where_it_is_included(home: Stores, wiki: DictWiki) -> None:
    hidden = '<ac:parameter ac:name="hidden">true</ac:parameter><ac:rich-text-body><p>Ring twice.</p>'
    excerpt = f'<ac:structured-macro ac:name="excerpt">{hidden}</ac:rich-text-body></ac:structured-macro>'
    wiki.put("1", f"<p>Call us.</p>{include('Numbers of the office', macro='excerpt-include')}")
    wiki.put("2", f"<p>The door is 07.</p>{excerpt}", title="Numbers of the office")
    await home.sync(wiki)
    assert await texts(home, "2") == ["The door is 07."]
    assert await texts(home, "1") == ["Call us.", "Numbers of the office > Ring twice."]


async def test_its_own_texts_are_the_same_as_without_it(home: Stores, wiki: DictWiki) -> None:
    del wiki.pages["2"]
    await home.sync(wiki)
    before = (await home.state())["DOC"]
    home.embedder.embedded.clear()
    wiki.put("2", "<p>The door is 07.</p>", title="Numbers of the office")
    (report,) = await home.sync(wiki)
    assert before < (await home.state())["DOC"]
    assert report.embedded == len(home.embedder.embedded) == 2


async def test_only_readers_of_both_pages_find_it(home: Stores, wiki: DictWiki) -> None:
    wiki.put("2", "<p>The door is 07.</p>", title="Numbers of the office", readers="user:ann")
    await home.sync(wiki)
    assert len(await texts(home, "1")) == 2
    assert len(await texts(home, "1", ANN)) == 3
    wiki.put("1", wiki.pages["1"].content, readers="user:bob")
    await home.sync(wiki)
    assert await texts(home, "1", ANN) == []
    assert len(await texts(home, "1", Scope(principals=frozenset({"user:ann", "user:bob"})))) == 3


async def test_a_page_of_another_space_needs_that_space_too(home: Stores, wiki: DictWiki) -> None:
    wiki.put("1", include("Numbers of the office", space="OPS"))
    wiki.put("2", "<p>The door is 07.</p>", space="OPS", title="Numbers of the office")
    await home.sync(wiki)
    assert await texts(home, "1", Scope(frozenset({"DOC"}))) == []
    assert await texts(home, "1", Scope(frozenset({"DOC", "OPS"}))) == ["Numbers of the office > The door is 07."]


async def test_a_restriction_alone_counts_from_the_next_sync_on(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    assert len(await texts(home, "1")) == 3
    wiki.put("2", wiki.pages["2"].content, title="Numbers of the office", readers="user:ann")
    home.embedder.embedded.clear()
    await home.sync(wiki)
    assert home.embedder.embedded == []
    assert len(await texts(home, "1")) == 2
    assert len(await texts(home, "1", ANN)) == 3


async def test_a_change_of_the_included_page_is_shown_without_reading_the_other(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>The door is 09.</p>", title="Numbers of the office")
    wiki.broken.add("1")
    home.embedder.embedded.clear()
    (report,) = await home.sync(wiki)
    assert (await texts(home, "1"))[2] == "Numbers > Numbers of the office > The door is 09."
    assert (report.errors, len(home.embedder.embedded)) == ([], 2)


async def test_between_a_change_and_what_others_make_of_it_nothing_old_is_shown(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>The door is 09.</p>", title="Numbers of the office")
    home.embedder.fails_after = len(home.embedder.embedded) + 1  # after the page itself
    with pytest.raises(Exception, match="embedder went away"):
        await home.sync(wiki)
    home.embedder.fails_after = None
    entries = await home.stores.pages.load_evidences("DOC")
    assert not [each for each in entries if "07" in each.evidence.text]
    await home.sync(wiki)
    assert (await texts(home, "1"))[2] == "Numbers > Numbers of the office > The door is 09."


async def test_a_removed_page_leaves_nothing_behind(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    del wiki.pages["2"]
    await home.sync(wiki)
    assert await texts(home, "1") == ["Call us.", "Numbers > Or write."]
    assert not [each for each in await home.stores.pages.load_evidences("DOC") if "07" in each.evidence.text]


async def test_a_renamed_page_is_still_included_by_its_former_title(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    for title in ("Phone numbers", "All numbers"):
        wiki.put("2", "<p>The door is 07.</p>", title=title)
        await home.sync(wiki)
        assert (await texts(home, "1"))[2] == f"Numbers > {title} > The door is 07."
        assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []
    wiki.put("2", "<p>The door is 09.</p>", title="All numbers", readers="user:ann")
    await home.sync(wiki)
    assert len(await texts(home, "1")) == 2
    assert (await texts(home, "1", ANN))[2] == "Numbers > All numbers > The door is 09."
    del wiki.pages["2"]
    await home.sync(wiki)
    assert len(await texts(home, "1", ANN)) == 2


async def test_a_page_with_the_title_comes_before_one_that_had_it(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>The door is 07.</p>", title="Old numbers")
    await home.sync(wiki)
    wiki.put("3", "<p>The door is 11.</p>", title="Numbers of the office")
    await home.sync(wiki)
    assert (await texts(home, "1"))[2:] == ["Numbers > Numbers of the office > The door is 11."]
    wiki.put("3", "<p>The door is 11.</p>", title="New numbers")
    await home.sync(wiki)
    assert (await texts(home, "1"))[2:] == ["Numbers > New numbers > The door is 11."]
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []


async def test_an_inclusion_in_an_included_page_is_found_after_a_rename(home: Stores) -> None:
    wiki = DictWiki()
    wiki.put("1", f"<p>One.</p>{include('Page 2')}")
    wiki.put("2", f"<p>Two.</p>{include('Page 3')}")
    wiki.put("3", "<p>Three.</p>")
    await home.sync(wiki)
    wiki.put("3", "<p>Three.</p>", title="Third page")
    await home.sync(wiki)
    wiki.put("4", include("Page 2"))
    await home.sync(wiki)
    assert (await texts(home, "1"))[-1] == "Third page > Three."
    assert (await texts(home, "4"))[-1] == "Third page > Three."


def put_unseen(wiki: DictWiki, page_id: str, content: str) -> None:
    """Write a page in DOC that has the same version whatever its content."""
    wiki.put(page_id, content)
    wiki.pages[page_id] = replace(wiki.pages[page_id], version="1")


async def test_a_page_renamed_before_the_first_sync_of_its_space_is_included_by_its_new_title(home: Stores) -> None:
    wiki = DictWiki()
    put_unseen(wiki, "1", include("Old title", space="OPS"))
    wiki.put("2", include("Page 1"))
    put_unseen(wiki, "3", tree_of("Old title", space="OPS"))
    wiki.put("4", "<p>Nothing else.</p>")
    await home.sync_spaces(wiki, "DOC")
    put_unseen(wiki, "1", include("New title", space="OPS"))
    put_unseen(wiki, "3", tree_of("New title", space="OPS"))
    wiki.put("8", "<p>The door is 07.</p>", space="OPS", title="New title")
    wiki.put("9", "", space="OPS", title="Below")
    wiki.parents = {"9": "8"}
    wiki.broken |= {"2", "4"}
    (report,) = await home.sync_spaces(wiki, "OPS")
    assert await texts(home, "1") == await texts(home, "2") == ["New title > The door is 07."]
    assert (await texts(home, "3"))[0] == "Row 1 in Table 1: Child page is Below"
    assert report.errors == []
    home.embedder.embedded.clear()
    assert [each.pages.updated for each in await home.sync_spaces(wiki, "DOC", "OPS")] == [0, 0]
    assert home.embedder.embedded == []
    assert await home.stores.pages.find_outdated_inclusions("wiki", "OPS") == []


async def test_a_page_moved_to_a_space_before_its_first_sync_is_still_included(home: Stores) -> None:
    wiki = DictWiki()
    put_unseen(wiki, "1", include("Duties", space="OLD"))
    wiki.put("8", "<p>The door is 07.</p>", space="OLD", title="Duties")
    await home.sync_spaces(wiki, "DOC", "OLD")
    put_unseen(wiki, "1", include("Duties", space="NEW"))
    wiki.put("8", "<p>The door is 07.</p>", space="NEW", title="Duties")
    await home.sync_spaces(wiki, "OLD")
    assert await texts(home, "1") == []
    await home.sync_spaces(wiki, "NEW")
    assert await texts(home, "1") == ["Duties > The door is 07."]


async def test_a_title_that_another_page_gets_does_not_take_over_what_named_the_page_before(home: Stores) -> None:
    wiki = DictWiki()
    put_unseen(wiki, "1", include("Duties", space="OPS"))
    put_unseen(wiki, "2", include("Page 1"))
    wiki.put("8", "<p>The door is 07.</p>", space="OPS", title="Duties")
    await home.sync(wiki)
    put_unseen(wiki, "1", include("Duties 2025", space="OPS"))
    wiki.put("8", "<p>The door is 07.</p>", space="OPS", title="Duties 2025")
    wiki.put("9", "<p>The gate is 08.</p>", space="OPS", title="Duties")
    wiki.put("3", include("Duties", space="OPS"))
    wiki.broken.add("1")
    (report,) = await home.sync_spaces(wiki, "OPS")
    assert [each.page_id for each in report.errors] == ["1"]
    wiki.broken.clear()
    for spaces in (["OPS"], ["DOC", "OPS"], ["OPS"]):
        await home.sync_spaces(wiki, *spaces)
        assert await texts(home, "1") == await texts(home, "2") == ["Duties 2025 > The door is 07."]
    assert await texts(home, "3") == ["Duties > The gate is 08."]
    wiki.broken |= {"1", "2", "3"}
    assert (await home.sync_spaces(wiki, "OPS"))[0].errors == [], "they are read once for it"


async def test_a_page_that_cannot_be_read_for_its_missing_inclusion_stays_and_is_reported(home: Stores) -> None:
    wiki = DictWiki()
    for page_id, readers in (("1", ""), ("2", ""), ("3", ""), ("4", "")):
        wiki.put(page_id, f"<p>Text.</p>{include('Old title', space='OPS')}", readers=readers)
    await home.sync_spaces(wiki, "DOC")
    wiki.broken.add("1")
    del wiki.pages["2"]
    wiki.pages["3"] = replace(wiki.pages["3"], space="OTHER")
    wiki.pages["4"] = replace(wiki.pages["4"], read_restrictions=(frozenset({"user:ann"}),))
    wiki.put("8", "<p>The door is 07.</p>", space="OPS", title="New title")
    (report,) = await home.sync_spaces(wiki, "OPS")
    assert [each.page_id for each in report.errors] == ["1"]
    assert report.pages.failed == 0, "it is of another space"
    assert [await texts(home, page_id) for page_id in "1234"] == [["Text."]] * 3 + [[]]
    assert await texts(home, "4", ANN) == ["Text."]


@dataclass
class ReadingWiki(DictWiki):
    """A wiki that notes which pages are read."""

    read: list[str] = field(default_factory=list)

    async def read_page(self, listed: ListedPage) -> Page:
        self.read.append(listed.page_id)
        return await super().read_page(listed)


async def test_few_pages_are_read_again_for_one_name_that_the_wiki_does_not_find_either(home: Stores) -> None:
    wiki = ReadingWiki()
    for number in range(24):
        wiki.put(str(number), f"<p>Text.</p>{include('Hidden', space='OPS')}")
    put_unseen(wiki, "24", include("Old title", space="OPS"))
    await home.sync_spaces(wiki, "DOC")
    put_unseen(wiki, "24", include("New title", space="OPS"))
    wiki.put("98", "<p>The door is 07.</p>", space="OPS", title="New title")
    for expected in (20 + 1 + 1, 0):
        wiki.read.clear()
        await home.sync_spaces(wiki, "OPS")
        assert len(wiki.read) == expected
    assert await texts(home, "24") == ["New title > The door is 07."]


async def test_a_page_that_includes_itself_and_circles_end(home: Stores) -> None:
    wiki = DictWiki()
    wiki.put("1", f"<p>One.</p>{include('Page 2')}{include('Page 1')}")
    wiki.put("2", f"<p>Two.</p>{include('Page 1')}")
    for _ in range(3):
        (report,) = await home.sync(wiki)
        assert await texts(home, "1") == ["One.", "Page 2 > Two."]
        assert await texts(home, "2") == ["Two.", "Page 1 > One."]
    assert (report.embedded, report.pages.unchanged) == (0, 2)
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []


def nested(wiki: DictWiki) -> None:
    """Write pages of which each includes the next one."""
    for number in range(1, 6):
        readers = {2: "user:bob", 3: "user:ann"}.get(number, "")
        wiki.put(str(number), f"<p>Text {number}.</p>{include(f'Page {number + 1}')}", readers=readers)


async def test_included_pages_show_what_they_include_three_levels_deep(home: Stores) -> None:
    wiki = DictWiki()
    nested(wiki)
    await home.sync(wiki)
    both = Scope(principals=frozenset({"user:ann", "user:bob"}))
    shown = ["Page 2 > Text 2.", "Page 3 > Text 3.", "Page 4 > Text 4."]
    assert await texts(home, "1", both) == ["Text 1.", *shown]
    assert await texts(home, "1", Scope(principals=frozenset({"user:bob"}))) == ["Text 1.", *shown[:1]]
    assert await texts(home, "1", ANN) == await texts(home, "1") == ["Text 1."]
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []


async def test_what_is_included_over_another_page_follows_both(home: Stores) -> None:
    wiki = DictWiki()
    wiki.put("1", include("Page 2"))
    wiki.put("2", include("Page 3"))
    wiki.put("3", "<p>The door is 07.</p>")
    await home.sync(wiki)
    assert await texts(home, "1") == ["Page 3 > The door is 07."]
    wiki.broken.add("1")
    wiki.put("3", "<p>The door is 09.</p>")
    await home.sync(wiki)
    assert await texts(home, "1") == ["Page 3 > The door is 09."]
    wiki.put("2", wiki.pages["2"].content, readers="user:ann")
    await home.sync(wiki)
    assert (await texts(home, "1"), await texts(home, "1", ANN)) == ([], ["Page 3 > The door is 09."])
    del wiki.pages["2"]
    await home.sync(wiki)
    assert await texts(home, "1", ANN) == []
    assert not [each for each in await home.stores.pages.load_evidences("DOC") if each.evidence.via]
    wiki.put("2", include("Page 3"))
    await home.sync(wiki)
    assert await texts(home, "1") == ["Page 3 > The door is 09."]
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []


async def test_a_page_that_comes_over_two_others_is_for_the_readers_of_either(home: Stores) -> None:
    wiki = DictWiki()
    wiki.put("1", f"{include('Page 2')}{include('Page 3')}")
    wiki.put("2", include("Page 4"), readers="user:ann")
    wiki.put("3", include("Page 4"), readers="user:bob")
    wiki.put("4", "<p>The door is 07.</p>")
    await home.sync(wiki)
    for person in ("user:ann", "user:bob"):
        assert await texts(home, "1", Scope(principals=frozenset({person}))) == ["Page 4 > The door is 07."]
    assert await texts(home, "1") == []


@pytest.mark.slow
async def test_many_pages_that_include_each_other_are_left_out_and_counted(home: Stores) -> None:
    wiki = DictWiki()
    for number in range(8):
        wiki.put(str(number), f"<p>Text.</p>{''.join(include(f'Page {other}') for other in range(8))}")
    (first,) = await home.sync(wiki)
    (report,) = await home.sync(wiki, full=True)
    assert len(await texts(home, "1")) == 201
    assert "too many or too complex" in report.warnings[0].cause
    assert sorted(first.warnings, key=str) == sorted(report.warnings, key=str)


async def test_a_comment_shows_what_it_includes(home: Stores) -> None:
    wiki = DictWiki()
    wiki.put("1", "<p>Call us.</p>")
    comment = Comment("7", f"<p>Look:</p>{include('Page 2')}", author="Mara Lind")
    wiki.pages["1"] = replace(wiki.pages["1"], comments=(comment,))
    wiki.put("2", "<p>The door is 07.</p>", readers="user:ann")
    await home.sync(wiki)
    above = "In a comment by Mara Lind"
    assert await texts(home, "1") == ["Call us.", f"{above} > Look:"]
    assert (await texts(home, "1", ANN))[2:] == [f"{above} > Page 2 > The door is 07."]


async def test_a_comment_that_is_too_large_takes_nothing_from_its_page(home: Stores) -> None:
    wiki = DictWiki()
    children = '<ac:structured-macro ac:name="children"/>'
    wiki.put("1", f"{include('Page 2')}{children}")
    large = Comment("7", f"{include('Page 2')}{'<p></p>' * 50_000}")
    wiki.pages["1"] = replace(wiki.pages["1"], comments=(large, Comment("8", include("Page 3"))))
    wiki.put("2", "<p>The door is 07.</p>")
    wiki.put("3", "<p>The gate is 08.</p>")
    wiki.parents = {"3": "1"}
    await home.sync(wiki)
    shown = [text.rpartition(" > ")[2] for text in await texts(home, "1")]
    assert {"The door is 07.", "The gate is 08.", "Row 1 in Table 1: Child page is Page 3"} <= set(shown)


async def test_an_excerpt_is_shown_without_the_rest_of_its_page(home: Stores) -> None:
    def excerpt(text: str, name: str = "") -> str:
        named = f'<ac:parameter ac:name="name">{name}</ac:parameter>' if name else ""
        body = f"<ac:rich-text-body><p>{text}</p></ac:rich-text-body>"
        return f'<ac:structured-macro ac:name="excerpt">{named}{body}</ac:structured-macro>'

    wiki = DictWiki()
    wiki.put("2", f"<p>Before.</p>{excerpt('Open at nine.')}{excerpt('Shut at five.', 'end')}")
    wiki.put("1", include("Page 2", macro="excerpt-include"))
    named = '<ac:parameter ac:name="name">{}</ac:parameter>'
    wiki.put("3", include("Page 2", macro="excerpt-include", parameters=named.format("end")))
    wiki.put("4", include("Page 2", macro="excerpt-include", parameters=named.format("other")))
    await home.sync(wiki)
    assert await texts(home, "1") == ["Page 2 > Open at nine."]
    assert await texts(home, "3") == ["Page 2 > Shut at five."]
    assert await texts(home, "4") == []


async def test_people_on_an_included_page_are_renamed_where_it_is_shown(home: Stores) -> None:
    wiki = DictWiki(names={"account-id:a": "Mara Lind"})
    wiki.put("1", include("Page 2"))
    wiki.put("2", '<p>Ask <ac:link><ri:user ri:account-id="a"/></ac:link>.</p>')
    await home.sync(wiki, "2026-05-01T12:00:00+00:00")
    assert await texts(home, "1") == ["Page 2 > Ask Mara Lind."]
    wiki.names["account-id:a"] = "Mara van den Berg"
    await home.sync(wiki, "2026-05-02T12:00:00+00:00")
    assert await texts(home, "1") == ["Page 2 > Ask Mara van den Berg."]
