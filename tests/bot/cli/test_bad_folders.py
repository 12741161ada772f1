"""Folders of documents that are broken in one way or another: what can be read is, the rest is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bot.cli.running import Ran, document, wikiwhy, write_documents


def sync(folder: Path, data: Path, *more: str) -> Ran:
    return wikiwhy("sync", "folder", folder, "--data-dir", data, "--json", *more)


def pages(ran: Ran, space: str = "DOC") -> dict[str, int]:
    return next(report["pages"] for report in ran.json["spaces"] if report["key"] == space)


BROKEN = {
    "json": b'{"id": "9", ',
    "digits": b'{"id": ' + b"9" * 5000 + b"}",
    "list": b"[]",
    "latin1": json.dumps(document("9", "Grüße"), ensure_ascii=False).encode("latin-1"),
    "utf16": json.dumps(document("9", "x")).encode("utf-16"),
    "empty": b"",
    "no content": b'{"id": "9", "space": "DOC"}',
}


def test_broken_files_are_named_and_skipped_and_no_page_is_lost(data: Path) -> None:
    documents = data.parent / "documents"
    for name, content in BROKEN.items():
        (documents / f"broken {name}.json").write_bytes(content)
    (documents / "1.json").unlink()
    write_documents(documents, document("4", "<p>A new page.</p>"))
    ran = sync(documents, data)
    assert ran.code == 1
    for name in BROKEN:
        assert ran.says(f"not read: broken {name}.json: ")
    assert ran.says("no page was removed")
    assert pages(ran)["added"] == 1
    assert pages(ran)["removed"] == 0
    assert len(ran.json["errors"]) == len(BROKEN)
    summary = {item["key"]: item for item in wikiwhy("spaces", "--data-dir", data, "--json").json["spaces"]}
    assert summary["DOC"]["pages"] == 3
    assert "broken" in summary["DOC"]["last_error"]

    for name in BROKEN:
        (documents / f"broken {name}.json").unlink()
    again = sync(documents, data)
    assert again.code == 0
    assert pages(again)["removed"] == 1
    assert "not read" not in again.err


def test_a_second_page_with_the_same_id_is_named(tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "documents", document("1", "<p>First.</p>"))
    (folder / "2.json").write_text(json.dumps(document("1", "<p>Second.</p>", space="OPS")))
    write_documents(folder, document("5", "<p>Fifth.</p>", space="OPS"))
    ran = sync(folder, tmp_path / "data")
    assert ran.code == 1
    assert ran.says("2.json (1): its id 1 is also the id of 1.json")
    reports = {report["key"]: report for report in ran.json["spaces"]}
    assert reports["DOC"]["errors"] == []
    assert reports["OPS"]["pages"]["failed"] == 1


STRANGE = {
    "10": "<p>unclosed <b>bold <table><tr><td>cell",
    "11": "<p>Before.</p><ac:structured-macro ac:name='x'><p>inside</p></ac:structured-macro></p></div>",
    "12": "nul \x00 and half a pair \ud83d here",
    "13": "<p>🏖️ שלום \u202eאבג مرحبا 日本語</p>",
    "14": "<table>" + "<tr><td>" + "</td><td>".join(["word"] * 2000) + "</td></tr></table>",
    "15": "<table>" + "".join(f"<tr><td>{n}</td><td>{'word ' * 100}</td></tr>" for n in range(25)) + "</table>",
    "16": "<div>" * 3000 + "deep" + "</div>" * 3000,
    "17": "",
    "18": "&nbsp;&unknown; & < >",
    "19": "<!-- -->]]> <![CDATA[ \x1b[31m ",
}  # fmt: skip


def test_strange_content_never_keeps_other_pages_from_being_synced(tmp_path: Path) -> None:
    folder = write_documents(
        tmp_path / "documents",
        document("1", "<p>Ann approves travel.</p>"),
        *(document(page_id, content) for page_id, content in STRANGE.items()),
    )
    ran = sync(folder, tmp_path / "data")
    assert ran.says("")
    counted = pages(ran)
    assert counted["seen"] == counted["added"] + counted["failed"] == len(STRANGE) + 1
    assert ran.json["spaces"][0]["errors"] == []  # all of it can be read, if with warnings
    again = sync(folder, tmp_path / "data")
    assert pages(again)["unchanged"] == counted["added"]
    assert again.json["spaces"][0]["embedded"] == 0
    asked = wikiwhy("ask", "Who approves travel?", "--data-dir", tmp_path / "data", "--json")
    assert asked.json["evidences"][0]["page_id"] == "1"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: None, "does not exist"),
        (lambda folder: folder.mkdir(), "no .json file"),
        (lambda folder: folder.write_text("x"), "is not a folder"),
        (lambda folder: (folder.mkdir(), (folder / "a.json").write_text("{")), "a.json is not valid JSON"),
    ],
)
def test_a_folder_without_a_page_is_refused(data: Path, tmp_path: Path, make: object, message: str) -> None:
    make(tmp_path / "folder")  # type: ignore[operator]
    ran = sync(tmp_path / "folder", data)
    assert ran.code == 1
    assert ran.says(message)
    assert len(wikiwhy("spaces", "--data-dir", data, "--json").json["spaces"]) == 2


def test_a_mass_deletion_stops_until_it_is_allowed(tmp_path: Path) -> None:
    many = [document(str(number), f"<p>Page {number}.</p>") for number in range(30)]
    folder = write_documents(tmp_path / "documents", *many)
    assert sync(folder, tmp_path / "data").code == 0
    for number in range(25):
        (folder / f"{number}.json").unlink()
    stopped = sync(folder, tmp_path / "data")
    assert stopped.code == 1
    assert stopped.says("would remove 25 of the 30 pages", "--allow-mass-delete")
    assert pages(stopped)["removed"] == 0
    allowed = sync(folder, tmp_path / "data", "--allow-mass-delete")
    assert allowed.code == 0
    assert pages(allowed)["removed"] == 25
