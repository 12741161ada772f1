"""Manuals as wikis: what becomes of their HTML, which pages there are, and what is said without their package."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from benchmarks.corpus import pages_of
from benchmarks.wikis.convert import ConversionFailed, convert_manual, download_package, main, split_page
from benchmarks.wikis.convert import unpack_package as unpack
from benchmarks.wikis.manuals import DEBIAN_FAQ, POSTGRESQL, Manual
from benchmarks.wikis.storage import Block, Converter
from core.evidence.extract import extract
from core.evidence.storage_format import parse

MANUAL = Manual(
    name="bells",
    space="BELLS",
    package="bells-doc",
    version="1.0-1",
    licence="CC0-1.0",
    root="usr/share/doc/bells",
    address="https://bells.example/",
    body="//body",
    taken=("*.html",),
    left_out=("index.html",),
)


def convert(markup: str) -> str:
    body = html.fromstring(f"<html><body>{markup}</body></html>").find("body")
    content = "".join(block.markup for block in Converter(lambda _, shown: shown).convert(body))
    assert parse(content).defect == ""
    return content


def code(text: str, language: str = "") -> str:
    parameter = f'<ac:parameter ac:name="language">{language}</ac:parameter>' if language else ""
    body = f"<ac:plain-text-body><![CDATA[{text}]]></ac:plain-text-body>"
    return f'<ac:structured-macro ac:name="code" ac:schema-version="1">{parameter}{body}</ac:structured-macro>'


def test_tables_keep_their_spans_and_lists_in_cells() -> None:
    table = '<table><thead><tr><th colspan="2">Bell</th></tr></thead><tr><td rowspan="2">A<td><ul><li><p>B</p></ul>'

    rows = '<tr><th colspan="2">Bell</th></tr><tr><td rowspan="2">A</td><td><ul><li>B</li></ul></td></tr>'
    assert convert(table) == f"<table><tbody>{rows}</tbody></table>"


def test_code_keeps_its_lines_and_its_language() -> None:
    sphinx = '<div class="highlight-python3"><div><pre><b>if</b> a &lt; b:\n    c[d[0]]&gt;1\n</pre></div></div>'

    assert convert(sphinx) == code("if a < b:\n    c[d[0]]]]><![CDATA[>1", "python")


def test_code_that_is_written_with_line_breaks_is_code_too() -> None:
    example = (
        '<div class="example"><h3>Ring</h3><p><code>\n &lt;Bell&gt;<br>\n<span class="indent">\n Ring on<br>\n</span>'
        "\n &lt;/Bell&gt;\n</code></p></div>"
    )

    assert convert(example) == "<p><strong>Ring</strong></p>" + code("<Bell>\n  Ring on\n</Bell>")


def test_short_definitions_are_a_table_long_ones_bold_paragraphs() -> None:
    short = "<dl><dt>-a</dt><dt>--all</dt><dd>All bells.</dd><dt>-q</dt><dd><p>No bell.</p></dd></dl>"
    long = "<dl><dt>-a</dt><dd><p>All.</p><p>Really.</p></dd></dl>"

    rows = "<tr><th>-a, --all</th><td>All bells.</td></tr><tr><th>-q</th><td>No bell.</td></tr>"
    assert convert(short) == f"<table><tbody>{rows}</tbody></table>"
    assert convert(long) == "<p><strong>-a</strong></p><p>All.</p><p>Really.</p>"


@pytest.mark.parametrize(
    "admonition",
    [
        '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Loud.</p></div>',
        '<div class="warning"><p>Loud.</p></div>',
        '<div class="admonitionblock"><table><tr><td class="icon">Warning<td class="content">Loud.</table></div>',
    ],
)
def test_a_warning_of_each_manual_is_a_warning_macro(admonition: str) -> None:
    body = "<ac:rich-text-body><p>Loud.</p></ac:rich-text-body>"
    macro = f'<ac:structured-macro ac:name="warning" ac:schema-version="1">{body}</ac:structured-macro>'
    assert convert(admonition) == macro


def test_navigation_is_left_out_and_the_text_around_it_stays() -> None:
    page = '<div id="path">Home</div>A <a class="headerlink" href="#a">¶</a>bell.<!-- c --><nav>Next</nav> Rung.'

    assert convert(page) == "<p>A bell. Rung.</p>"


def test_a_manual_names_where_its_titles_are_and_what_is_no_content(tmp_path: Path) -> None:
    page = "<head><title>The bell</title></head><body><h1>Bells</h1><p class='menu'>Home</p><p>400 kg</p></body>"
    (tmp_path / "bell.html").write_text(page, "utf-8")
    manual = replace(MANUAL, taken=("*.html",), title="//head/title", without="//p[@class='menu']")
    (bell,) = convert_manual(manual, tmp_path)
    assert (bell["title"], bell["content"]) == ("The bell", "<h1>Bells</h1>\n<p>400 kg</p>")


def test_a_page_by_docbook_has_its_title_notes_and_settings_but_no_navigation(tmp_path: Path) -> None:
    note = '<div class="note"><h3 class="title">Note</h3><p>A note.</p></div>'
    setting = '<dl class="variablelist"><dt><span class="term"><code>bells</code> (<code>integer</code>)<a id="i"></a>'
    page = (
        '<body><div class="navheader"><table><tr><th>20.3. Bells</th></tr></table></div><div class="titlepage">'
        '<h2 class="title">20.3. Bells</h2></div><div class="toc"><dl class="toc"><dt>20.3.1. Ringing</dt></dl></div>'
        f"<h3>20.3.1. Ringing</h3>{setting}</span></dt><dd><p>The default is 3.</p>{note}</dd></dl>"
        '<div class="navfooter">Next</div></body>'
    )
    (tmp_path / "runtime-config-locks.html").write_text(page, "utf-8")

    (bells,) = convert_manual(POSTGRESQL, tmp_path)

    macro = '<ac:structured-macro ac:name="info" ac:schema-version="1"><ac:rich-text-body><p>A note.</p>'
    assert (bells["title"], bells["content"].split("\n")) == (
        "20.3. Bells",
        [
            "<h3>20.3.1. Ringing</h3>",
            "<p><strong><code>bells</code> (<code>integer</code>)</strong></p>",
            "<p>The default is 3.</p>",
            f"{macro}</ac:rich-text-body></ac:structured-macro>",
        ],
    )


def test_links_lead_to_pages_of_the_wiki_by_title_and_to_others_by_address(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<body><h1>Contents</h1></body>")
    (tmp_path / "tower.html").write_text("<body><h1>The tower &amp; clock</h1><p>High.</p></body>")
    links = '<a href="tower.html#top">up</a> <a href="index.html">all</a> <a href="#here">here</a>'
    (tmp_path / "bell.html").write_text(f"<body><h1>The bell</h1><p>{links}</p></body>")

    bell, tower = convert_manual(MANUAL, tmp_path)

    link = '<ac:link><ri:page ri:content-title="The tower &amp; clock"/><ac:link-body>up</ac:link-body></ac:link>'
    assert bell["content"] == f'<p>{link} <a href="https://bells.example/index.html">all</a> here</p>'
    assert (tower["id"], tower["title"], tower["space"]) == ("bells-tower", "The tower & clock", "BELLS")


def test_a_large_page_is_split_at_its_sections_and_links_find_the_part(tmp_path: Path) -> None:
    sections = "".join(f'<h2 id="s{n}">Part {n}</h2><p>{"ding " * 4000}</p>' for n in range(4))
    (tmp_path / "large.html").write_text(f'<body><h1>Large</h1>{sections}<p><a href="#s0">back</a></p></body>')

    first, second, third, fourth = convert_manual(MANUAL, tmp_path)

    assert [page["title"] for page in (first, second, fourth)] == ["Large", "Large: Part 1", "Large: Part 3"]
    assert third["url"] == "https://bells.example/large.html#s2"
    assert 'ri:content-title="Large"' in fourth["content"]


def test_small_sections_of_a_large_page_stay_together() -> None:
    blocks = [block for name in "abcdef" for block in (Block(name, 1, 2, name), Block("", 19 if name != "f" else 1))]

    parts = split_page("P", blocks, replace(MANUAL, largest=80))

    assert [part.title for part in parts] == ["P", "P: c to d", "P: e to f"]


def test_a_german_manual_has_no_section_numbers_and_its_parts_are_named_by_their_headings(tmp_path: Path) -> None:
    sections = "".join(f'<h2><a id="s{n}"></a>3.{n}. Läuten {n}</h2><p>{"bim " * 900}</p>' for n in (1, 2))
    title = '<h1 class="title"><a id="bells"></a>Kapitel\xa03.\xa0Glocken</h1>'
    page = f'<meta charset="utf-8"><body>{title}<p>Alle.</p>{sections}</body>'
    (tmp_path / "bells.de.html").write_text(page, "utf-8")

    first, second = convert_manual(replace(DEBIAN_FAQ, largest=7000), tmp_path)

    assert [(page["id"], page["title"]) for page in (first, second)] == [
        ("faq-bells-de", "Glocken"),
        ("faq-bells-de-2", "Läuten 2"),
    ]
    assert "<h2>Läuten 1</h2>" in first["content"]


def test_a_translation_is_no_page_and_titles_are_unique(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html lang='en'><body><h1>Bell</h1>A</body></html>")
    (tmp_path / "b.html").write_text("<html lang='en-GB'><body><h1>Bell</h1>B</body></html>")
    (tmp_path / "c.html").write_text("<html lang='pt-br'><body><h1>Sino</h1>C</body></html>")

    assert [page["title"] for page in convert_manual(MANUAL, tmp_path)] == ["Bell", "Bell (b)"]


def fake(folder: Path, command: str, script: str) -> None:
    (folder / command).write_text(f"#!/bin/sh\n{script}\n")
    (folder / command).chmod(0o755)


def test_without_apt_the_message_says_where_the_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConversionFailed, match=r"no apt-get here.*1\.0-1 of bells-doc from.*--package"):
        download_package(MANUAL, tmp_path)


def test_a_version_that_apt_does_not_have_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "apt-get", "echo E: Version not found >&2; exit 100")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConversionFailed, match=r"no bells-doc 1\.0-1: E: Version not found\nRun `apt-get update`"):
        download_package(MANUAL, tmp_path)


def test_another_version_of_the_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "dpkg-deb", "printf 'bells-doc 2.0-1'")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConversionFailed, match=r"is bells-doc 2\.0-1, not bells-doc 1\.0-1"):
        unpack(MANUAL, tmp_path / "bells.deb", tmp_path / "unpacked")


def test_the_command_writes_pages_that_the_program_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "manual"
    root.mkdir()
    (root / "bell.html").write_text("<body><h1>Bell</h1><h2>Weight</h2><p>It weighs two tons.</p></body>")
    monkeypatch.setattr("benchmarks.wikis.convert.MANUALS", {"bells": (MANUAL,)})
    monkeypatch.setattr("benchmarks.wikis.convert.unpack_package", lambda *_: root)

    main(["bells", str(tmp_path / "pages"), "--package", "bells.deb"])

    assert capsys.readouterr().out.startswith("1 pages of bells-doc 1.0-1 (CC0-1.0)")
    assert json.loads((tmp_path / "pages" / "bells-bell.json").read_text())["url"] == "https://bells.example/bell.html"
    (page,) = pages_of(tmp_path / "pages")
    assert [evidence.text for evidence in extract(page).evidences] == ["It weighs two tons."]


def test_a_wiki_of_several_manuals_has_the_pages_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bell.html").write_text("<body><h1>Bell</h1><p>It weighs two tons.</p></body>")
    manuals = (MANUAL, replace(MANUAL, name="clocks", package="clocks-doc", space="CLOCKS"))
    monkeypatch.setattr("benchmarks.wikis.convert.MANUALS", {"tower": manuals})
    monkeypatch.setattr("benchmarks.wikis.convert.unpack_package", lambda *_: tmp_path)

    main(["tower", str(tmp_path / "pages"), "--package", "bells.deb", "clocks.deb"])

    assert {(page.page_id, page.space) for page in pages_of(tmp_path / "pages")} == {
        ("bells-bell", "BELLS"),
        ("clocks-bell", "CLOCKS"),
    }
    assert "bells-doc 1.0-1 (CC0-1.0), clocks-doc 1.0-1 (CC0-1.0)" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["tower", str(tmp_path / "others"), "--package", "bells.deb"])
    assert "--package needs a file for each of bells-doc, clocks-doc" in capsys.readouterr().err


def test_a_folder_with_files_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.json").touch()
    monkeypatch.setattr("benchmarks.wikis.convert.unpack_package", lambda *_: tmp_path)
    monkeypatch.setattr("benchmarks.wikis.convert.convert_manual", lambda *_: [])

    with pytest.raises(SystemExit, match="is not an empty folder"):
        main(["git", str(tmp_path), "--package", "git.deb"])
