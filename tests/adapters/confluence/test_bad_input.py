"""One space with all that real wikis hold against a sync: it is read to its end, and what is wrong is named."""

from __future__ import annotations

import pytest

from adapters.files.reader import ProcessFileReader
from core.indexing.files import FileTexts
from tests.adapters.confluence.reading import reading
from tests.attached_files import make_pdf, make_workbook
from tests.core.indexing.parts import Stores
from tests.servers.confluence import ConfluenceServer, Flavour, Site

pytestmark = pytest.mark.slow

LATER = "2026-05-01T12:05:00+00:00"
COMMENTS = 600  # more than two responses of each flavour


def include(title: str) -> str:
    link = f'<ac:link><ri:page ri:content-title="{title}"/></ac:link>'
    return make_macro("include", f'<ac:parameter ac:name="">{link}</ac:parameter>')


def make_macro(name: str, content: str) -> str:
    return f'<ac:structured-macro ac:name="{name}">{content}</ac:structured-macro>'


def make_site(flavour: Flavour) -> Site:
    site = Site()
    site.add_space("ENG")
    hidden, bo = site.add_user("ida", "Ida Krog"), site.add_user("bo", "Bo Hall")
    hidden.hidden = True
    group = '<ac:link><ri:group ri:group-name="bell-ringers"/></ac:link>'
    old = '<ac:link><ri:user ri:userkey="8a7f808a"/></ac:link>' if flavour == "cloud" else bo.mention("cloud")
    site.add_page("ENG", "People", f"<p>Ask {hidden.mention(flavour)}, {group}, {old} or {bo.mention(flavour)}.</p>")
    talk = site.add_page("ENG", "Talk", "<p>Everybody talks here.</p>").page_id
    for number in range(COMMENTS):
        site.add_comment(talk, f"<p>Remark {number}.</p>")
    long = site.add_page("ENG", "Long", "<p>One comment is long.</p>").page_id
    site.add_comment(long, f"<p>{'The great bell rings on the hour. ' * 3_000}The end of it.</p>")
    site.add_page("ENG", "Mirror", f"<p>It shows itself.</p>{include('Mirror')}")
    site.add_page("ENG", "Hen", f"<p>An egg becomes a hen.</p>{include('Egg')}")
    site.add_page("ENG", "Egg", f"<p>A hen lays an egg.</p>{include('Hen')}")
    unknown = make_macro("frobnicate", "<ac:rich-text-body><p>Oil the clapper.</p></ac:rich-text-body>")
    site.add_page("ENG", "Macros", unknown)
    files = site.add_page("ENG", "Files", "<p>Files of all kinds.</p>").page_id
    site.attach(files, "rota.csv", "Tag;Läuter\nMontag;Jörg\n".encode("latin-1"))
    site.attach(files, "prices.xlsx", make_workbook({"Prices": [["Bell", "Price"], ["Tenor", 900]]}))
    site.attach(files, "sums.xlsx", make_workbook({"Sums": [["Bell", "Sum"], ["Tenor", "=1+1"]]}))
    site.attach(files, "scan.pdf", make_pdf([["# Bells"]], is_scanned=True))
    return site


async def test_a_space_of_bad_input_is_read_to_its_end(home: Stores, flavour: Flavour) -> None:
    site = make_site(flavour)
    texts = FileTexts(home.stores.pages, ProcessFileReader(), lambda space: True)
    with ConfluenceServer(site, flavour) as server, reading(server, files=texts) as wiki:
        (report,) = await home.sync(wiki)
        first = {evidence.text for evidence in await home.read_evidences()}
        files = next(page.page_id for page in site.pages.values() if page.title == "Files")
        site.attach(files, "prices.xlsx", make_workbook({"Prices": [["Bell", "Price"], ["Tenor", 950]]}))
        (again,) = await home.sync(wiki, now=LATER)
    later = {evidence.text for evidence in await home.read_evidences()}
    assert (report.pages.added, report.errors, again.errors) == (8, [], [])
    remarks = {each for each in first if each.startswith("Remark ")}
    text = "\n".join(sorted(first - remarks))
    assert len(remarks) == COMMENTS
    assert "Ask former user, bell-ringers, former user or Bo Hall." in text
    assert "The end of it." in text
    assert "Oil the clapper." in text
    assert "Jörg" in text
    assert "An egg becomes a hen." in text
    warnings = " ".join(f"{each.title}: {each.cause}" for each in report.warnings)
    assert all(name in warnings for name in ("sums.xlsx", "scan.pdf"))
    assert report.unknown_macros == ["frobnicate"]
    assert [each for each in first - later if "900" in each]
    assert [each for each in later - first if "950" in each]
