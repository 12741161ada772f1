"""Names of people in a sync: asked for once, renamed without reading pages, removed with the last mention."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.model import Comment
from core.ports.pages import StoredPerson
from tests.core.indexing.parts import DictWiki, Stores

MARA, BO = "account-id:a", "account-id:b"
FIRST, SECOND, NEXT_DAY = "2026-05-01T12:00:00+00:00", "2026-05-01T12:05:00+00:00", "2026-05-02T12:00:00+00:00"


def mention(account_id: str) -> str:
    return f'<ac:link><ri:user ri:account-id="{account_id}"/></ac:link>'


@pytest.fixture
def wiki() -> DictWiki:
    made = DictWiki(names={MARA: "Mara Lind", BO: "Bo Hall"})
    for number in range(6):
        made.put(str(number), f"<p>Tower {number} is wound by {mention('a')}.</p>")
    made.put("6", "<p>No one winds this one.</p>")
    return made


async def texts(home: Stores) -> dict[str, str]:
    return {evidence.page_id: evidence.text for evidence in await home.read_evidences()}


async def test_a_person_of_many_pages_is_asked_for_once(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki, FIRST)
    assert wiki.asked_for == [MARA]
    assert (await texts(home))["3"] == "Tower 3 is wound by Mara Lind."


async def test_a_rename_embeds_what_carries_the_name_and_reads_no_page(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.sync(wiki, FIRST)
    home.embedder.embedded.clear()
    wiki.names[MARA] = "Mara van den Berg"
    wiki.broken = set(wiki.pages)  # none can be read any more
    (report,) = await home.sync(wiki, SECOND)
    assert (report.pages.unchanged, report.people.renamed, report.embedded) == (7, 6, 6)
    assert all("Mara van den Berg" in text for text in home.embedder.embedded)
    found = await texts(home)
    assert found["0"] == "Tower 0 is wound by Mara van den Berg."
    assert found["6"] == "No one winds this one."


async def test_who_wrote_a_comment_is_renamed_too(home: Stores, wiki: DictWiki) -> None:
    wiki.put("8", "<p>Ring at noon.</p>")
    comment = Comment("c1", f"<p>Ask {mention('b')} first.</p>", author="Mara Lind", author_account=MARA)
    wiki.pages["8"] = replace(wiki.pages["8"], comments=(comment,))
    await home.sync(wiki, FIRST)
    wiki.names[MARA], wiki.names[BO] = "Mara van den Berg", "Bo Hall-Lee"
    home.embedder.embedded.clear()
    (report,) = await home.sync(wiki, SECOND)
    assert report.people.renamed == 7
    entries = [entry for space in (await home.state()).values() for entry in space if "first" in entry.text]
    assert [(entry.text, entry.heading) for entry in entries] == [
        ("Ask Bo Hall-Lee first.", "In a comment by Mara van den Berg")
    ]
    assert "Ring at noon." not in "".join(home.embedder.embedded)


async def test_a_rename_that_is_cut_off_is_done_by_the_next_sync(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.sync(wiki, FIRST)
    wiki.names[MARA] = "Mara van den Berg"
    home.embedder.fails_after = len(home.embedder.embedded) + 2
    with pytest.raises(Exception, match="embedder went away"):
        await home.sync(wiki, SECOND)
    home.embedder.fails_after = None
    wiki.silent = True  # only stored names are left
    await home.sync(wiki, SECOND)
    assert all("Mara van den Berg" in text for page_id, text in (await texts(home)).items() if page_id != "6")


async def test_names_that_are_old_are_asked_for_all_others_in_part(home: Stores, wiki: DictWiki) -> None:
    wiki.put("7", "".join(f"<p>{mention(str(number))} rings.</p>" for number in range(120)))
    wiki.names |= {f"account-id:{number}": f"Ringer {number}" for number in range(120)}
    await home.sync(wiki, FIRST)
    for now, count in ((SECOND, 50), (NEXT_DAY, 71)):  # 25 requests of two names each; a day later all others
        wiki.asked_for.clear()
        await home.sync(wiki, now)
        assert len(wiki.asked_for) == count


async def test_who_is_named_on_no_page_any_more_is_forgotten(home: Stores, wiki: DictWiki) -> None:
    wiki.put("7", f"<p>{mention('b')} rings.</p>")
    await home.sync(wiki, FIRST)
    assert (await home.stores.people.find_people("wiki", [BO]))[BO].name == "Bo Hall"
    wiki.put("7", "<p>Nobody rings.</p>")
    await home.sync(wiki, SECOND)
    assert await home.stores.people.find_people("wiki", [MARA, BO]) != {}
    assert await home.stores.people.find_people("wiki", [BO]) == {}
    await home.stores.spaces.forget("DOC")
    assert await home.stores.people.find_people("wiki", [MARA]) == {}


async def test_a_wiki_that_tells_no_names_is_asked_once_a_sync(home: Stores, wiki: DictWiki) -> None:
    wiki.silent = True
    (report,) = await home.sync(wiki, FIRST)
    assert len(wiki.asked_for) == 1
    assert "does not say who anybody is" in report.people.error
    assert (await texts(home))["0"] == "Tower 0 is wound by @user."


async def test_a_group_that_was_taken_for_a_former_user_gets_its_name(home: Stores, wiki: DictWiki) -> None:
    wiki.put("7", '<p>Call <ri:group ri:group-name="ringers"/> first.</p>')
    await home.sync(wiki, FIRST)
    await home.stores.people.save("wiki", {"group-name:ringers": StoredPerson("", active=False, asked_at=FIRST)})
    await home.sync(wiki, NEXT_DAY)
    assert (await texts(home))["7"] == "Call ringers first."
    assert "group-name:ringers" not in wiki.asked_for
