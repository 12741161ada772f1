"""Generated files of eight kinds, valid and broken."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from tests.attached_files import make_document, make_pdf, make_presentation, make_workbook

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096)
_BINARY = bytes(range(32)) * 40
_HUGE = 500_000_000  # bytes, as the listing says
_BOMB = 300_000_000


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A file. ``word``: only in its text, "" if broken. ``size``: as the listing says, None for the real size."""

    name: str
    content: bytes
    word: str = ""
    size: int | None = None


def make_good_files(count: int, seed: int) -> Iterator[GeneratedFile]:
    """Make ``count`` files, of each kind in turn."""
    draw = random.Random(seed)  # noqa: S311  nothing here is a secret
    for number in range(count):
        word = f"carillon{number}"
        yield _make_good(number, word, [f"{draw.choice(_WORDS)} {draw.randint(2, 999)}" for _ in range(12)])


_WORDS = ("Tenor", "Treble", "Hammer", "Clapper", "Headstock", "Escapement", "Pendulum", "Größe", "Übergabe")


def _make_good(number: int, word: str, texts: list[str]) -> GeneratedFile:
    lines = [f"# File {number}", f"The key word is {word}.", *(f"{text} was greased." for text in texts)]
    table = [["Part", "Weight"], *([text, f"{len(text)} kg"] for text in texts)]
    separated = "\n".join(";".join(row) for row in [*table, [word, "1 kg"]])
    html = "".join(f"<p>{line}</p>" for line in lines)
    makers = {
        "pdf": lambda: make_pdf([[*lines[:6], table], lines]),
        "docx": lambda: make_document([*lines, table]),
        "xlsx": lambda: make_workbook({"Parts": [*table, [word, 1]], "More": [["Only one cell"]]}),
        "pptx": lambda: make_presentation([("Parts", lines[1:4], table), (word, ["End"], [])]),
        "csv": lambda: separated.encode(("utf-8", "latin-1", "utf-16")[number % 3]),
        "md": lambda: "\n\n".join(lines).encode(),
        "txt": lambda: "\n\n".join(lines).encode(("utf-8", "cp1252")[number % 2]),
        "html": lambda: f"<html><body><h1>Parts</h1>{html}</body></html>".encode(),
    }
    kind = list(makers)[number % len(makers)]
    return GeneratedFile(f"{number}.{kind}", makers[kind](), word)


def make_bad_files() -> list[GeneratedFile]:
    """Make forty files: broken, encrypted, bombs, 500 MB, of another kind than their names say, and without text."""
    pdf, document = make_pdf([["Some text."]]), make_document(["Some text."])
    workbook, slides = make_workbook({"A": [["x", 1]]}), make_presentation([("Title", ["Line"], [])])
    bad: dict[str, bytes] = {
        "cut.pdf": pdf[: len(pdf) // 3], "encrypted.pdf": make_pdf([["Text"]], is_encrypted=True), "empty.pdf": b"",
        "scanned.pdf": make_pdf([["Text"]], is_scanned=True), "picture.pdf": b"GIF89a" + _BINARY,
        "bomb.pdf": _make_pdf_bomb(), "cut.docx": document[:-200], "encrypted.docx": _OLD_OFFICE,
        "bomb.docx": _make_archive({"word/document.xml": bytes(_BOMB)}), "laughs.docx": _make_laughs(),
        "deep.docx": _make_deep(), "workbook.docx": workbook, "cut.xlsx": workbook[:-200],
        "encrypted.xlsx": _OLD_OFFICE, "bomb.xlsx": _make_archive({"xl/workbook.xml": bytes(_BOMB)}),
        "a-pdf.xlsx": pdf, "formulas.xlsx": make_workbook({"A": [["=1+1", "=2+2"]]}), "cut.pptx": slides[:-200],
        "encrypted.pptx": _OLD_OFFICE, "bomb.pptx": _make_archive({"ppt/presentation.xml": bytes(_BOMB)}),
        "document.pptx": document, "empty.csv": b"", "binary.csv": _BINARY, "blank.csv": b" \n\n \n", "empty.md": b"",
        "binary.md": _BINARY, "empty.txt": b"", "binary.txt": _BINARY, "blank.txt": b"\r\n \t\n", "empty.html": b"",
        "scripts.html": b"<html><script>text()</script></html>", "binary.html": _BINARY,
    }  # fmt: skip
    found = [GeneratedFile(name, content) for name, content in bad.items()]
    kinds = ("pdf", "docx", "xlsx", "pptx", "csv", "md", "txt", "html")
    return found + [GeneratedFile(f"huge.{kind}", b"x", size=_HUGE) for kind in kinds]


def _make_archive(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def _replace_document(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(make_document(["x"]))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return _make_archive({**parts, "word/document.xml": content})


def _make_laughs() -> bytes:
    """Return nested XML entities that expand to a gigabyte of text."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    return _replace_document(f'<!DOCTYPE d [<!ENTITY e0 "ha">{entities}]><d>&e9;</d>'.encode())


def _make_deep() -> bytes:
    depth = 400_000
    return _replace_document(b"<a>" * depth + b"</a>" * depth)


def _make_pdf_bomb() -> bytes:
    """Return a PDF page whose content decompresses to a gigabyte."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 10_000_000) for _ in range(100)) + packer.flush()
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    return make_pdf([["Text"]], contents=stream)
