"""Reports on the properties of other pages: readers of a page find its row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.model import Evidence, Scope
from tests.core.indexing.parts import DictWiki, Stores

ANN, EVERYBODY = Scope(principals=frozenset({"user:ann"})), Scope()


def give(parameters: dict[str, str]) -> str:
    given = ((key, value) for key, value in parameters.items() if value)
    return "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in given)


def properties(hidden: bool = False, properties_id: str = "", **values: str) -> str:
    rows = "".join(f"<tr><th><p>{name}</p></th><td><p>{value}</p></td></tr>" for name, value in values.items())
    given = {"hidden": "true" if hidden else "", "id": properties_id}
    parameters = give(given)
    body = f"<ac:rich-text-body><table><tbody>{rows}</tbody></table></ac:rich-text-body>"
    return f'<ac:structured-macro ac:name="details">{parameters}{body}</ac:structured-macro>'


def report(cql: str, macro: str = "detailssummary", **others: str) -> str:
    given = {"cql": cql.replace('"', "&quot;"), **others}
    parameters = give(given)
    return f'<ac:structured-macro ac:name="{macro}">{parameters}</ac:structured-macro>'


class LabelledWiki(DictWiki):
    def put_project(
        self, page_id: str, content: str, readers: str = "", space: str = "DOC", label: str = "project"
    ) -> None:
        self.put(page_id, content, space, f"Project {page_id}", readers)
        self.pages[page_id] = replace(self.pages[page_id], labels=(label,))


@pytest.fixture
def wiki() -> LabelledWiki:
    made = LabelledWiki()
    all_projects = report('label = "project" and space = currentSpace()')
    made.put("1", f"<h2>All projects</h2>{all_projects}", title="Projects")
    made.put_project("2", properties(Status="running", Owner="Mara"))
    made.put_project("3", f"<p>Secret.</p>{properties(hidden=True, Status='stopped', Owner='Jon')}", readers="user:ann")
    made.put_project("4", "<p>No properties.</p>")
    made.put_project("5", properties(Status="planned"), label="idea")
    made.put_project("6", properties(Status="elsewhere"), space="OPS")
    return made


async def find(home: Stores, scope: Scope, page_id: str = "1") -> list[Evidence]:
    return [each for each in await home.read_evidences(scope) if each.page_id == page_id]


async def rows(home: Stores, scope: Scope) -> list[str]:
    found = [each for each in await find(home, scope) if each.kind == "table_row"]
    return [", ".join(value for _, value in each.rows[0]) for each in found]


async def test_each_row_is_found_by_who_may_read_its_page(home: Stores, wiki: LabelledWiki) -> None:
    await home.sync(wiki)
    assert await rows(home, EVERYBODY) == ["Project 2, running, Mara"]
    assert await rows(home, ANN) == ["Project 2, running, Mara", "Project 3, stopped, Jon"]
    shown = await find(home, EVERYBODY)
    assert "stopped" not in repr(shown)
    assert "Project 3" not in repr(shown)
    assert {each.context.heading_path for each in shown} == {("All projects",)}
    assert shown[0].rows == ((("Title", "Project 2"), ("Status", "running"), ("Owner", "Mara")),)


async def test_the_table_is_whole_for_everybody_with_the_rows_that_they_may_read(
    home: Stores, wiki: LabelledWiki
) -> None:
    await home.sync(wiki)
    for scope, count in ((EVERYBODY, 1), (ANN, 2)):
        tables = await home.stores.evidences.load_tables_and_lists(["1"], scope)
        assert [each.structure.total for each in tables if each.structure] == [count] * count


async def test_a_report_follows_its_pages_without_being_read(home: Stores, wiki: LabelledWiki) -> None:
    await home.sync(wiki)
    wiki.broken.add("1")
    wiki.put_project("2", properties(Status="done"))
    wiki.put_project("7", properties(Status="new"))
    del wiki.pages["3"]
    await home.sync(wiki)
    assert await rows(home, ANN) == ["Project 2, done", "Project 7, new"]
    wiki.put_project("2", properties(Status="done"), readers="user:ann")
    await home.sync(wiki)
    assert await rows(home, EVERYBODY) == ["Project 7, new"]
    home.embedder.embedded.clear()
    await home.sync(wiki)
    assert (home.embedder.embedded, await home.stores.pages.find_outdated_inclusions("wiki", "DOC")) == ([], [])


@pytest.mark.parametrize(
    ("cql", "others", "found"),
    [
        ('label = "project"', {}, ["Project 2, running, Mara"]),
        ('label in ("project", "idea") AND type = page', {}, ["Project 2, running, Mara", "Project 5, planned"]),
        ('label = "project" and space in ("DOC", "OPS")', {}, ["Project 2, running, Mara", "Project 6, elsewhere"]),
        ('label = "project" and label = "idea"', {}, []),
        ('label = "project" or label = "idea"', {}, []),
        ('label = "project" and parent = currentContent()', {}, ["Project 2, running, Mara"]),
        ('label in (project, idea) and parent = "1"', {}, ["Project 2, running, Mara"]),
        ("ancestor = currentContent()", {}, ["Project 2, running, Mara", "Project 5, planned"]),
        ('ancestor = 1 and space = "OPS"', {}, []),
        ("ancestor = 1 and ancestor = 2", {}, []),
        ("ancestor in (1, 2)", {}, []),
        ("", {"label": "project,idea"}, ["Project 2, running, Mara", "Project 5, planned"]),
        ('label = "project"', {"headings": "Owner", "firstcolumn": "Project"}, ["Project 2, Mara"]),
        ('label = "project"', {"id": "other"}, []),
    ],
)
async def test_reports_ask_for_labels_and_spaces(
    home: Stores, wiki: LabelledWiki, cql: str, others: dict[str, str], found: list[str]
) -> None:
    wiki.put("1", report(cql, **others))
    wiki.parents = {"2": "1", "5": "2"}
    await home.sync(wiki)
    assert await rows(home, EVERYBODY) == found


async def test_a_list_by_label_has_the_titles(home: Stores, wiki: LabelledWiki) -> None:
    wiki.put("1", report('label = "project"', macro="contentbylabel"))
    await home.sync(wiki)
    assert await rows(home, EVERYBODY) == ["Project 2", "Project 4"]
    assert await rows(home, ANN) == ["Project 2", "Project 3", "Project 4"]


async def test_a_report_on_too_many_pages_has_the_first_and_says_so(
    home: Stores, wiki: LabelledWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("core.indexing.inclusions", "adapters.store.wiki.page_queries"):
        monkeypatch.setattr(f"{module}.MOST_PAGES", 2)
    wiki.put_project("8", properties(Status="late"))
    (told, _), (first, _) = [await home.sync(wiki) for _ in range(2)]
    (warning,) = told.warnings
    assert (warning.page_id, warning.cause.partition(" ")[0]) == ("1", "2")
    assert "too many or too complex" in warning.cause
    assert await rows(home, ANN) == ["Project 2, running, Mara", "Project 3, stopped, Jon"]
    tables = await home.stores.evidences.load_tables_and_lists(["1"], ANN)
    assert {each.structure.total for each in tables if each.structure} == {4}
    assert (first.embedded, await home.stores.pages.find_outdated_inclusions("wiki", "DOC")) == (0, [])
