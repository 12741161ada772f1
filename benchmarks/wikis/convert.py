"""Convert a manual to a document set: ``python -m benchmarks.wikis.convert NAME TARGET [--package FILE …]``.

NAME is ``python``, ``git``, ``apache``, ``sqlite``, ``postgresql``, or ``german`` for three manuals in German. The
Debian package of each manual is downloaded by apt and unpacked into a temporary folder; TARGET gets a JSON file for
each page, as a folder of documents has. Each run writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatch
from html import escape
from itertools import zip_longest
from pathlib import Path

from lxml import etree, html

from benchmarks.wikis.manuals import MANUALS, Manual
from benchmarks.wikis.storage import TERM, Block, Converter

_LABEL = 60
_LINK = '<ac:link><ri:page ri:content-title="{}"/><ac:link-body>{}</ac:link-body></ac:link>'


class ConversionFailed(Exception):
    """No pages were written. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """An HTML page of a manual: its path under the manual's root, title, content and date."""

    path: str
    title: str
    body: etree._Element
    date: str


@dataclass(frozen=True, slots=True)
class Part:
    """A page of the wiki: a source, or some sections of a large one."""

    title: str
    blocks: Sequence[Block]


_Group = list[Sequence[Block]]
Titles = Mapping[tuple[str, str], str]  # of the wiki's pages, by path and anchor; "" is the beginning of a page


def convert_manual(manual: Manual, root: Path) -> list[dict[str, str]]:
    """Return the documents of the manual unpacked at ``root``, sorted by id."""
    sources = read_sources(manual, root)
    titles: dict[tuple[str, str], str] = {}
    for source in sources:  # first, since links need the titles of all pages
        for part in reversed(split_page(source.title, convert_page(source, manual.address, {}), manual)):
            titles |= {(source.path, anchor): part.title for block in part.blocks for anchor in block.anchors}
            titles[source.path, ""] = part.title
    documents = []
    for source in sources:
        name = re.sub(r"[^a-z0-9]+", "-", source.path.removesuffix(".html").lower())
        parts = split_page(source.title, convert_page(source, manual.address, titles), manual)
        for number, part in enumerate(parts, 1):
            anchor = next((anchor for block in part.blocks for anchor in block.anchors), "") if number > 1 else ""
            document = {
                "id": f"{manual.name}-{name}" + (f"-{number}" if number > 1 else ""),
                "title": part.title,
                "url": f"{manual.address}{source.path}" + (f"#{anchor}" if anchor else ""),
                "content": _without_links_to("\n".join(block.markup for block in part.blocks), part.title),
                "space": manual.space,
                "date": source.date,
            }
            documents.append(document)
    return sorted(documents, key=lambda document: document["id"])


def read_sources(manual: Manual, root: Path) -> list[Source]:
    """Read the pages to take, with unique titles, as Confluence requires within a space."""
    sources: dict[str, Source] = {}
    for path in _list_paths(manual, root):
        file = root / path
        page = html.document_fromstring(file.read_bytes())
        if not page.get("lang", manual.language).startswith(manual.language):  # a translation in the wrong folder
            continue
        bodies = page.xpath(manual.body)
        if not bodies:
            raise ConversionFailed(f"{path} has no {manual.body}: is it from another version of {manual.package}?")
        if manual.numbers:
            _remove_numbers(bodies[0], manual.numbers)
        title = _take_title(bodies[0], manual.title) or Path(path).stem
        for part in bodies[0].xpath(manual.without) if manual.without else ():
            part.drop_tree()
        if title in sources:
            title = f"{title} ({Path(path).stem})"
        date = datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()
        sources[title] = Source(path, title, bodies[0], date)
    return list(sources.values())


def convert_page(source: Source, address: str, titles: Titles) -> list[Block]:
    """Convert a page to blocks. Links to pages in ``titles`` become links within the wiki, others go to ``address``."""

    def write_link(target: str, markup: str) -> str:
        if re.match("[a-z]+:", target):
            return f'<a href="{escape(target)}">{markup}</a>'
        file, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), file)) if file else source.path
        title = titles.get((path, anchor)) or titles.get((path, ""))
        if title is None and not file:
            return markup
        if title is None:
            return f'<a href="{escape(address + path)}{escape("#" + anchor if anchor else "")}">{markup}</a>'
        return _LINK.format(escape(title), markup)

    return Converter(write_link).convert(source.body)


def _without_links_to(content: str, title: str) -> str:
    before, after = map(re.escape, _LINK.format(escape(title), "\n").split("\n"))
    return re.sub(f"{before}(.*?){after}", r"\1", content)


def split_page(title: str, blocks: Sequence[Block], manual: Manual) -> list[Part]:
    """Split a large page at its highest headings. Small neighbours stay together."""
    groups = _join([[piece] for piece in _cut(blocks, manual.largest)], manual.largest)
    parts = {title: Part(title, [block for piece in groups[0] for block in piece])}
    for group in groups[1:]:
        labels = dict.fromkeys(filter(None, (_name_section(piece[0]) for piece in (group[0], group[-1]))))
        is_english = manual.language == "en"
        name = f"{title.split(' — ')[0]}: {' to '.join(labels)}" if is_english else " – ".join(labels) or title
        name = f"{name} ({len(parts) + 1})" if name in parts else name
        parts[name] = Part(name, [block for piece in group for block in piece])
    return list(parts.values())


def _join(groups: Sequence[_Group], largest: int) -> list[_Group]:
    """Join neighbours up to half the largest size, then join tiny groups with the group before or after them."""
    for wanted, tiny in ((largest // 2, largest), (largest, largest // 30)):
        joined: list[_Group] = []
        for group in groups:
            before, size = (sum(map(_size, pieces)) for pieces in (joined[-1] if joined else [], group))
            if joined and before + size <= wanted and min(before, size) <= tiny:
                joined[-1] = [*joined[-1], *group]
            else:
                joined.append(group)
        groups = joined
    return list(groups)


def _cut(blocks: Sequence[Block], largest: int) -> Iterator[Sequence[Block]]:
    levels = [block.level for block in blocks[1:] if block.level]
    if _size(blocks) <= largest or not levels:
        yield blocks
        return
    starts = [0, *(index for index, block in enumerate(blocks) if index and block.level == min(levels))]
    for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
        yield from _cut(blocks[start:end], largest)


def _size(blocks: Sequence[Block]) -> int:
    return sum(block.size for block in blocks)


def _name_section(block: Block) -> str:
    label = " ".join(block.label.split()).removesuffix(" Directive")
    if block.level >= TERM:  # only the name of a function, and the first of several terms
        label = re.sub(r"^(?:class |@)?([\w.]+)\(.*", r"\1()", label).split(", ")[0]
    return label if len(label) <= _LABEL else label[:_LABEL].rsplit(" ", 1)[0] + " …"


def _list_paths(manual: Manual, root: Path) -> list[str]:
    if not root.is_dir():
        raise ConversionFailed(f"The package has no folder {manual.root}. Is it {manual.package} {manual.version}?")
    return [
        path
        for path in sorted(file.relative_to(root).as_posix() for file in root.rglob("*.html"))
        if any(fnmatch(path, pattern) for pattern in manual.taken)
        and not any(fnmatch(path, pattern) for pattern in manual.left_out)
    ]


def _remove_numbers(body: etree._Element, pattern: str) -> None:
    for heading in body.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        for text in heading.xpath("(.//text()[normalize-space()])[1]"):
            setattr(text.getparent(), "tail" if text.is_tail else "text", re.sub(pattern, "", text))


def _take_title(body: etree._Element, path: str) -> str:
    """Remove and return the first heading at an XPath, since Confluence shows the title above a page."""
    for heading in body.xpath(f"({path})[1]"):
        for mark in heading.xpath(".//a[@class='headerlink']"):
            mark.drop_tree()
        title = " ".join(heading.text_content().split()).removesuffix(" Manual Page")
        heading.drop_tree()
        return title
    return ""


def download_package(manual: Manual, folder: Path) -> Path:
    """Download the manual's package in the version of ``manuals.py``. Raises ConversionFailed."""
    apt = shutil.which("apt-get")
    if apt is None:
        raise ConversionFailed(f"There is no apt-get here. {_advise(manual)}")
    command = [apt, "download", f"{manual.package}={manual.version}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    files = list(folder.glob("*.deb"))
    if done.returncode or not files:
        raise ConversionFailed(
            f"apt-get has no {manual.package} {manual.version}: {done.stderr.strip()}\n"
            f"Run `apt-get update` and try again. If Debian has a newer version by now: {_advise(manual)}"
        )
    return files[0]


def unpack_package(manual: Manual, package: Path, folder: Path) -> Path:
    """Unpack a package. Return the manual's folder. Raises ConversionFailed for another package or version."""
    dpkg = shutil.which("dpkg-deb")
    if dpkg is None:
        raise ConversionFailed(
            "There is no dpkg-deb here, which unpacks packages: use Debian or Ubuntu, or install dpkg."
        )
    command = [dpkg, "--show", "--showformat=${Package} ${Version}", str(package)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    if shown.stdout != f"{manual.package} {manual.version}":
        found = shown.stdout or f"no package ({shown.stderr.strip()})"
        raise ConversionFailed(f"{package} is {found}, not {manual.package} {manual.version}. {_advise(manual)}")
    subprocess.run([dpkg, "--extract", str(package), str(folder)], check=True)
    return folder / manual.root


def _advise(manual: Manual) -> str:
    return (
        f"Take version {manual.version} of {manual.package} from https://snapshot.debian.org/binary/{manual.package}/ "
        "and name the file with --package. (Questions are about the text of this version.)"
    )


def write_documents(documents: Sequence[Mapping[str, str]], target: Path) -> None:
    """Write a file for each document. Raises ConversionFailed if ``target`` has files already."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConversionFailed(f"{target} is not an empty folder. Name another one, or delete it first.")
    target.mkdir(parents=True, exist_ok=True)
    for document in documents:
        text = json.dumps(document, ensure_ascii=False, indent=1)
        (target / f"{document['id']}.json").write_text(text + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wikis.convert", description="Make a document set.")
    parser.add_argument("name", choices=MANUALS)
    parser.add_argument("target", type=Path, help="an empty or new folder")
    parser.add_argument(
        "--package", type=Path, nargs="+", default=[], metavar="FILE", help="the packages, downloaded already"
    )
    given = parser.parse_args(arguments)
    manuals = MANUALS[given.name]
    if given.package and len(given.package) != len(manuals):
        parser.error(f"--package needs a file for each of {', '.join(manual.package for manual in manuals)}")
    documents: list[dict[str, str]] = []
    try:
        for manual, package in zip_longest(manuals, given.package):
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                file = package or download_package(manual, folder)
                documents += convert_manual(manual, unpack_package(manual, file, folder / "unpacked"))
        write_documents(documents, given.target)
    except ConversionFailed as failure:
        sys.exit(str(failure))
    packages = ", ".join(f"{manual.package} {manual.version} ({manual.licence})" for manual in manuals)
    print(f"{len(documents)} pages of {packages} in {given.target}")


if __name__ == "__main__":
    main()
