"""Valid and invalid files of each kind, read by the real processes."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest

from adapters.files import pdf
from adapters.files.markup import FileUnreadable, Full, Markup, limit_seconds
from adapters.files.reader import ProcessFileReader
from benchmarks.attachments.files import make_bad_files
from core.evidence.extract import extract
from core.model import AttachedFile, Evidence, Page
from core.ports.files import FileUnavailable
from tests.attached_files import make_document, make_pdf, make_presentation, make_workbook

BROKEN = "cannot be read: it is broken, or of another kind than its name says."


async def problem_of(name: str, content: bytes) -> str:
    read = await ProcessFileReader().read(name, content)
    assert read.content == ""
    return read.problem


async def read_well(name: str, content: bytes) -> tuple[Evidence, ...]:
    read = await ProcessFileReader().read(name, content)
    assert read.problem == ""
    return evidences(name, read.content)


def evidences(name: str, content: str) -> tuple[Evidence, ...]:
    file = AttachedFile("att1", name, "1", "https://wiki.example/file", content)
    return extract(Page("1", "ENG", "Tower", "https://wiki.example/1", "", files=(file,))).evidences


async def test_a_pdf_has_its_pages_headings_paragraphs_and_ruled_tables() -> None:
    table = [["Bell", "Weight"], ["Tenor", "1,200 kg"], ["Treble", "300 kg"]]
    found = await read_well(
        "Bells.pdf",
        make_pdf([["# Bells", "All bells were cast in", "Ghent.", table], ["Nothing else is known of them."]]),
    )
    text, whole, tenor, *_, last = found
    assert (text.text, text.context.heading_path) == (
        "All bells were cast in Ghent.",
        ("Attached file Bells.pdf", "Page 1", "Bells"),
    )
    assert (whole.kind, tenor.rows) == ("table", ((("Bell", "Tenor"), ("Weight", "1,200 kg")),))
    assert last.context.heading_path == ("Attached file Bells.pdf", "Page 2", "Bells")
    assert {each.url for each in found} == {"https://wiki.example/file"}


def draw(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def draw_grid(lines: int) -> bytes:
    drawn = ["BT /F1 10 Tf 10 800 Td (The tower has nine bells.) Tj ET"]
    for at in range(lines):
        x, y = 10 + at * 570 / lines, 10 + at * 780 / lines
        drawn += [f"{x:.2f} 10 m {x:.2f} 790 l S 10 {y:.2f} m 580 {y:.2f} l S"]
    return draw("\n".join(drawn).encode())


def measure_child_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


async def test_a_drawing_of_many_lines_takes_no_longer_than_its_text() -> None:
    before = measure_child_seconds()
    found = await read_well("Plan.pdf", make_pdf([["x"]], contents=draw_grid(150)))
    assert [each.text for each in found] == ["The tower has nine bells."]
    assert measure_child_seconds() - before < 5


async def test_a_large_ruled_table_is_read_as_a_table() -> None:
    rows, columns = 60, 20  # each cell with a frame of its own, as spreadsheets export them
    drawn = [
        f"{20 + 27 * column} {820 - 13 * row} 27 13 re S BT /F1 6 Tf {22 + 27 * column} {823 - 13 * row} Td "
        f"({'n' if row == 0 else ''}{row * 100 + column}) Tj ET"
        for row in range(rows)
        for column in range(columns)
    ]
    found = await read_well("Figures.pdf", make_pdf([["x"]], contents=draw("\n".join(drawn).encode())))
    assert ("n7", "4207") in {cell for each in found for row in each.rows for cell in row}


def test_a_pdf_keeps_the_pages_that_were_read_in_its_time() -> None:
    content = make_pdf([["Bells", "All bells were cast in Ghent.", "Draft"]] * 2000)
    markup = Markup(time.process_time() + 1.0)
    with pytest.raises(Full):
        pdf.read(content, markup)
    assert 1 < markup.content.count("Ghent") < 2000
    assert markup.incomplete == "reading all of it would take too long"


# What is raised while objects are collected is dropped, with this warning, and raised again a second later.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_page_that_takes_too_long_is_interrupted() -> None:
    content = make_pdf([["x"]], contents=draw(b"10 10 m 500 500 l S\n" * 400_000))
    with pytest.raises(FileUnreadable, match="takes too long"):
        pdf.read(content, Markup(time.process_time() + 0.1))


def test_the_time_for_a_file_grows_with_its_size_up_to_a_bound() -> None:
    assert [limit_seconds(size) for size in (0, 2_700, 200_000, 50_000_000)] == [10.0, 10.135, 20.0, 40.0]


async def test_a_workbook_has_its_sheets_titles_and_tables_with_values_as_they_are_shown() -> None:
    rows = [
        ["Limits of 2026"],
        [],
        ["Country", "Hotel", "From", "Valid"],
        ["Norway", 180, date(2026, 1, 2), True],
        ["Spain", 140.5, None, False],
        [],
        ["Notes"],
        ["Ask first."],
    ]
    found = await read_well("Limits.xlsx", make_workbook({"Hotels": rows, "Empty": []}))
    title, whole, norway, spain, notes = found
    assert title.text == "Limits of 2026"
    assert whole.context.heading_path == ("Attached file Limits.xlsx", "Sheet Hotels")
    assert norway.rows[0] == (("Country", "Norway"), ("Hotel", "180"), ("From", "2026-01-02"), ("Valid", "yes"))
    assert spain.rows[0] == (("Country", "Spain"), ("Hotel", "140.5"), ("Valid", "no"))
    assert notes.text == "- Notes\n- Ask first."


WEIGHTS = [["Bell", "Weight"], ["Tenor", "1,200 kg"], ["Treble", "300 kg"]]
TENOR = ((("Bell", "Tenor"), ("Weight", "1,200 kg")),)


async def test_a_word_document_has_its_headings_paragraphs_and_tables() -> None:
    found = await read_well("Bells.docx", make_document(["# Bells", "Cast in Ghent.", WEIGHTS, "Nothing else."]))
    text, whole, tenor, *_, last = found
    assert (text.text, text.context.heading_path) == ("Cast in Ghent.", ("Attached file Bells.docx", "Bells"))
    assert (whole.kind, tenor.rows, last.text) == ("table", TENOR, "Nothing else.")


async def test_a_presentation_has_its_slides_titles_texts_tables_and_notes() -> None:
    slides = [("Bells", ["Cast in Ghent.", "Hung in 1893."], []), ("Weights", ["All of them"], WEIGHTS)]
    found = await read_well("Bells.pptx", make_presentation(slides, notes="Ask Mara for the rest."))
    bells, weights, *_ = found
    assert (bells.text, bells.context.heading_path) == (
        "- Cast in Ghent.\n- Hung in 1893.",
        ("Attached file Bells.pptx", "Slide 1", "Bells"),
    )
    assert (weights.text, weights.context.heading_path[1:]) == ("All of them", ("Slide 2", "Weights"))
    assert TENOR in [each.rows for each in found]
    assert "Ask Mara for the rest." in [each.text for each in found]


@pytest.mark.parametrize(
    ("encoding", "separator"),
    [("utf-8", ","), ("utf-8-sig", ";"), ("utf-16", "\t"), ("latin-1", ";"), ("cp1252", ",")],
)
async def test_a_csv_is_a_table_in_any_usual_encoding(encoding: str, separator: str) -> None:
    lines = [["Glocke", "Gießer", "Jahr"], ["Tenor", "Müller & Söhne", "1893"], ["", "Österreich", "1900"]]
    content = "\r\n".join(separator.join(line) for line in lines).encode(encoding)
    _, tenor, other = await read_well("a.csv", content)
    assert tenor.rows == ((("Glocke", "Tenor"), ("Gießer", "Müller & Söhne"), ("Jahr", "1893")),)
    assert other.rows == ((("Gießer", "Österreich"), ("Jahr", "1900")),)


async def test_a_text_that_is_not_western_is_decoded_by_what_it_looks_like() -> None:
    russian = "Большой колокол был отлит в Генте. Его вес двенадцать центнеров, и звонят в него по праздникам."
    (evidence,) = await read_well("a.txt", russian.encode("cp1251"))
    assert evidence.text == russian


async def test_markdown_has_its_headings_lists_and_tables() -> None:
    text = (
        "# Bells\n\nCast *in* Ghent. <script>alert(1)</script>\n\n| Bell | Weight |\n|---|---|\n| Tenor | 1,200 kg |\n"
    )
    passage, _, tenor = await read_well("a.md", text.encode())
    assert (passage.text, passage.context.heading_path[1:]) == (
        "Cast in Ghent. <script>alert(1)</script>",
        ("Bells",),
    )
    assert tenor.rows == TENOR


async def test_a_text_has_its_paragraphs() -> None:
    (evidence,) = await read_well("a.txt", b"The first line\r\nand the second.\r\n\r\nAnother paragraph.")
    assert evidence.text == "The first line\nand the second.\nAnother paragraph."


async def test_a_web_page_has_its_text_and_nothing_that_confluence_would_act_on() -> None:
    text = (
        "<html><head><title>No</title><script>no</script></head><body><nav>No</nav><h1>Bells</h1>Cast in <b>Ghent</b>."
        '<ac:link><ri:user ri:userkey="x"/></ac:link><table><tr><th>Bell<th>Weight<tr><td>Tenor<td>1,200 kg</table>'
    )
    passage, _, tenor = await read_well("a.html", text.encode())
    assert (passage.text, passage.context.heading_path[1:]) == ("Cast in Ghent.", ("Bells",))
    assert tenor.rows == TENOR


@pytest.mark.slow
async def test_of_a_text_without_end_the_beginning_is_read() -> None:
    lines = "".join(f"{number},bell\n" for number in range(300_000))
    for name, content in (("a.csv", f"Number,Name\n{lines}"), ("a.txt", lines.replace("\n", "\n\n"))):
        read = await ProcessFileReader().read(name, content.encode())
        assert read.problem == "was read in part: it has more text than is read of one file."
        assert 1_900_000 < len(read.content) < 2_000_100


async def test_formulas_without_values_are_left_out_and_counted() -> None:
    read = await ProcessFileReader().read("a.xlsx", make_workbook({"A": [["Bell", "Weight"], ["Tenor", "=2*600"]]}))
    assert read.problem.startswith("has 1 formulas without values: these cells were left out.")
    assert "Tenor" in read.content
    assert "600" not in read.content


def add_cells(workbook: bytes, cells: Iterable[str]) -> bytes:
    """Make a workbook with these rows below those of its first sheet."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as before, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "xl/worksheets/sheet1.xml":
                content = content.replace(b"</sheetData>", "".join(cells).encode() + b"</sheetData>")
            after.writestr(name, content)
    return target.getvalue()


EMPTY_CELLS = (
    f'<row r="{row}">' + "".join(f'<c r="{column}{row}" s="0"/>' for column in "ABCDEFGHIJ") + "</row>"
    for row in range(3, 100_003)
)
LAST_CELL = ['<row r="1048576"><c r="XFD1048576" s="0"/></row>']


@pytest.mark.slow
@pytest.mark.parametrize("cells", [EMPTY_CELLS, LAST_CELL])
async def test_a_million_empty_cells_are_no_text(cells: Iterable[str]) -> None:
    workbook = make_workbook({"A": [["Bell", "Weight"], ["Tenor", 1200]]})
    whole, row = await read_well("a.xlsx", add_cells(workbook, cells))
    assert (whole.kind, row.text.count("Tenor")) == ("table", 1)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.pdf", make_pdf([["Text"]], is_scanned=True), "has no text: its pages are pictures"),
        ("a.pdf", make_pdf([["Text"]], is_encrypted=True), "cannot be read: it is encrypted."),
        ("a.pdf", b"", BROKEN),
        ("a.pdf", b"GIF89a", BROKEN),
        ("a.pdf", make_pdf([["Text"]])[:300], "cannot be read: it is broken"),
        ("a.xlsx", b"PK\x03\x04 no archive", BROKEN),
        ("a.xlsx", make_pdf([["Text"]]), BROKEN),
        ("a.docx", b"", BROKEN),
        ("a.docx", make_workbook({"A": [["x"]]}), BROKEN),
        ("a.docx", make_document([]), "has no text."),
        ("a.docx", make_document(["Text"])[:400], BROKEN),
        ("a.pptx", make_document(["Text"]), "cannot be read: it is broken"),
        ("a.pptx", make_presentation([]), "has no text."),
        ("a.csv", b"", "has no text."),
        ("a.csv", b"\x00\x01\x02\x03\x04", "cannot be read: it is of another kind than its name says."),
        ("a.txt", b" \n ", "has no text."),
        (
            "a.md",
            make_pdf([["Text"]], is_scanned=True)[:15] + bytes(range(32)),
            "cannot be read: it is of another kind",
        ),
        ("a.html", b"", "has no text."),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "cannot be read: it is encrypted, or in the format"),
    ],
)
async def test_a_bad_file_says_what_is_wrong_with_it(name: str, content: bytes, problem: str) -> None:
    assert (await problem_of(name, content)).startswith(problem)


@pytest.mark.slow
async def test_what_an_archive_unfolds_to_is_bounded() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", b" " * 100_000_000)
    assert (await problem_of("a.xlsx", target.getvalue())).startswith("was not read: it would unpack to 300,000,000")


@pytest.mark.slow
async def test_a_stream_that_unfolds_to_a_gigabyte_takes_too_much_memory() -> None:
    (bomb,) = (file for file in make_bad_files() if file.name == "bomb.pdf")
    assert await problem_of("a.pdf", bomb.content) == "cannot be read: that takes more than 512 MB of memory."


def test_the_process_can_open_nothing_and_start_nothing() -> None:
    tried = """
import os, socket, subprocess, resource
from adapters.files.process import isolate, limit
limit()
isolate()
def close_and_open():
    os.close(0)
    os.open("/etc/passwd", os.O_RDONLY)
acts = {
    "socket": socket.socket, "open": lambda: open("/etc/passwd"), "start": lambda: subprocess.run(["true"]),
    "fork": os.fork, "pipe": os.pipe, "close and open": close_and_open, "much memory": lambda: bytearray(2**30),
    "lift": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)),
}
for name, act in acts.items():
    try:
        act()
    except (OSError, ValueError, MemoryError):
        continue
    print(name)
"""
    done = subprocess.run([sys.executable, "-c", tried], capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels choose by themselves")
def test_if_memory_runs_out_the_kernel_ends_the_process_that_reads_and_not_the_server() -> None:
    command = [sys.executable, "-m", "adapters.files.process", "plain"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as it:
        assert it.stdin
        score = Path(f"/proc/{it.pid}/oom_score_adj")
        deadline = time.monotonic() + 60
        while score.read_text("ascii") != "1000\n" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert score.read_text("ascii") == "1000\n"
        assert b"All bells" in it.communicate(b"All bells were cast in Ghent.")[0]


async def test_a_file_for_which_no_process_can_be_started_is_read_by_a_later_sync(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileUnavailable, match="no process can be started"):
        await ProcessFileReader().read("a.txt", b"text")
