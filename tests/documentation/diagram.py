"""docs/figures/structure.svg: the packages and what they import, from the imports in the code.

Each band is a layer, which imports only the layers below it. Within a band, what a box imports is in a lower row, or in
the same row if they import each other. An import that follows from others is not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import grimp

LAYERS: Mapping[str, str] = {
    "evaluation": "measures on gold questions (an extra)",
    "bot": "the application: command line, server, chat",
    "adapters": "one package per outside system",
    "core": "the method: no SDK, no network, no framework",
}
_WIDTH, _ROW, _BOX, _GAP, _TITLE = 1360, 58, 28, 14, 34
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2d3d; text-anchor: middle }
.layer { fill: #f3f6fa; stroke: #c9d5e3 } .title { font-weight: 600; text-anchor: start }
.package { fill: #d6e4f5; stroke: #2f5d9b } .module { fill: #ffffff; stroke: #8fa8c6 }
path { fill: none; stroke: #8fa8c6 }
"""

Imports = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Box:
    """A package or module of a layer; ``left`` and ``top`` in pixels."""

    name: str
    is_package: bool
    left: float
    top: float

    @property
    def width(self) -> float:
        return _width(self.name)

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


def structure_svg() -> str:
    """The picture as SVG."""
    graph = grimp.build_graph(*LAYERS, cache_dir=None)
    parts: list[str] = []
    top = 10.0
    for layer, meaning in LAYERS.items():
        children = sorted(graph.find_children(layer) - {f"{layer}.__main__"})
        packages = {name for name in children if graph.find_children(name)}
        for name in packages:
            graph.squash_module(name)
        imports = {name: graph.find_modules_directly_imported_by(name) & set(children) - {name} for name in children}
        if layer == "evaluation":  # its modules are a list, not a structure
            imports = {}
        rows = rows_of({name: frozenset(targets) for name, targets in imports.items()})
        height = _TITLE + len(rows) * _ROW
        parts.append(f'<rect class="layer" x="10" y="{top}" width="{_WIDTH - 20}" height="{height}" rx="8"/>')
        parts.append(f'<text class="title" x="24" y="{top + 22}">{layer}/ – {escape(meaning)}</text>')
        parts.extend(_drawn(_placed(rows, packages, top + _TITLE), reduced(imports)))
        top += height + 12
    size = f'width="{_WIDTH}" height="{top:.0f}" viewBox="0 0 {_WIDTH} {top:.0f}"'
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([begin, f"<style>{_STYLE}</style>", *parts, "</svg>", ""])


def rows_of(imports: Imports) -> list[list[str]]:
    """Top row first; each name stands above everything that it imports, but beside what also imports it."""
    below = {name: reachable(imports, name) for name in imports}
    level: dict[str, int] = {}
    for name in sorted(imports, key=lambda name: (len(below[name]), name)):
        lower = [level[other] for other in below[name] if name not in below[other] and other in level]
        same = [level[other] for other in below[name] if name in below[other] and other in level]
        level[name] = max([*(number + 1 for number in lower), *same, 0])
    highest = max(level.values(), default=-1)
    return [sorted(name for name in level if level[name] == number) for number in range(highest, -1, -1)]


def reachable(imports: Imports, name: str) -> frozenset[str]:
    """All that ``name`` imports, also by way of others; with ``name`` itself only in a cycle."""
    found: set[str] = set()
    left = [name]
    while left:
        new = imports[left.pop()] - found
        found |= new
        left.extend(new)
    return frozenset(found)


def reduced(imports: Imports) -> list[tuple[str, str]]:
    """The imports that neither follow from others nor are part of a cycle."""
    below = {name: reachable(imports, name) for name in imports}
    return [
        (name, target)
        for name, targets in sorted(imports.items())
        for target in sorted(targets)
        if name not in below[target]
        and not any(
            target in below[other] and other not in below[target] and name not in below[other]
            for other in targets - {target}
        )
    ]


def _placed(rows: Sequence[Sequence[str]], packages: set[str], top: float) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    for number, row in enumerate(rows):
        free = _WIDTH - 60 - sum(map(_width, row))
        gap = max(_GAP, free / (len(row) + 1))
        left = 30 + gap
        for name in row:
            boxes[name] = Box(name, name in packages, left, top + number * _ROW)
            left += boxes[name].width + gap
    return boxes


def _width(name: str) -> float:
    return 22 + 7.4 * len(name.partition(".")[2])


def _drawn(boxes: Mapping[str, Box], edges: Sequence[tuple[str, str]]) -> list[str]:
    lines = [_line(boxes[name], boxes[target]) for name, target in edges]
    return [*lines, *(shape for box in boxes.values() for shape in _shapes(box))]


def _line(upper: Box, lower: Box) -> str:
    start, end = upper.top + _BOX, lower.top
    bend = min(40, (end - start) / 2)
    return (
        f'<path d="M{upper.middle:.0f} {start:.0f} C{upper.middle:.0f} {start + bend:.0f} '
        f'{lower.middle:.0f} {end - bend:.0f} {lower.middle:.0f} {end:.0f}"/>'
    )


def _shapes(box: Box) -> tuple[str, str]:
    kind = "package" if box.is_package else "module"
    return (
        f'<rect class="{kind}" x="{box.left:.0f}" y="{box.top:.0f}" width="{box.width:.0f}" height="{_BOX}" rx="5"/>',
        f'<text x="{box.middle:.0f}" y="{box.top + 18.5:.0f}">{escape(box.name.partition(".")[2])}</text>',
    )
