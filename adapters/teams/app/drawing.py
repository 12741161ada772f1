"""Draws the icons: a page that is a speech bubble, with a question on it.

python -m adapters.teams.app.drawing

Teams wants the symbol within the middle 120 of 192 pixels, and the small one white on nothing
(https://learn.microsoft.com/microsoftteams/platform/concepts/build-and-test/apps-package#app-icons).
"""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path

from adapters.teams.app.manifest import ACCENT

_SHADE, _FOLD = "#0B4656", "#A9D6DE"
_DPI = 100
_M, _L, _C, _Z = Path.MOVETO, Path.LINETO, Path.CURVE3, Path.CLOSEPOLY

_Steps = tuple[tuple[Any, tuple[float, float]], ...]

_PAGE: _Steps = (
    (_M, (58, 38)), (_L, (120, 38)), (_L, (146, 64)), (_L, (146, 118)), (_C, (146, 130)), (_C, (134, 130)),
    (_L, (94, 130)), (_L, (70, 154)), (_L, (70, 130)), (_L, (58, 130)), (_C, (46, 130)), (_C, (46, 118)),
    (_L, (46, 50)), (_C, (46, 38)), (_C, (58, 38)), (_Z, (58, 38)),
)  # fmt: skip
_CORNER: _Steps = ((_M, (120, 38)), (_L, (120, 56)), (_C, (120, 64)), (_C, (128, 64)), (_L, (146, 64)), (_Z, (0, 0)))
_QUESTION: _Steps = (
    (_M, (79, 72)), (_C, (79, 55)), (_C, (96, 55)), (_C, (113, 55)), (_C, (113, 71)), (_C, (113, 80)), (_C, (104, 85)),
    (_C, (96, 89)), (_C, (96, 95)),
)  # fmt: skip
_DOT = (96.0, 113.0)


def color() -> Figure:
    """192 x 192 pixels, on a ground of its own."""
    figure, axes = _sheet(192, 0, 192)
    axes.add_patch(Rectangle((-9, -9), 210, 210, color=ACCENT))
    _fill(axes, _moved(_PAGE, 5), _SHADE)
    _fill(axes, _PAGE, "white")
    _fill(axes, _CORNER, _FOLD)
    _stroke(axes, _QUESTION, ACCENT, 10.5, 1)
    axes.add_patch(Circle(_DOT, 6.8, color=ACCENT, linewidth=0))
    return figure


def outline() -> Figure:
    """32 x 32 pixels, white on nothing."""
    figure, axes = _sheet(32, 32, 160)
    scale = 32 / 128
    _stroke(axes, _PAGE, "white", 8.5, scale)
    _stroke(axes, _QUESTION, "white", 10, scale)
    axes.add_patch(Circle(_DOT, 7, color="white", linewidth=0, snap=False))
    return figure


def main() -> None:
    for name, figure in (("color", color()), ("outline", outline())):
        FigureCanvasAgg(figure)
        figure.savefig(File(__file__).parent / f"{name}.png", dpi=_DPI, transparent=True, metadata={"Software": None})


def _sheet(pixels: int, least: float, most: float) -> tuple[Figure, Axes]:
    """An empty square whose axes go from ``least`` to ``most``, y downwards."""
    figure = Figure(figsize=(pixels / _DPI, pixels / _DPI), dpi=_DPI)
    figure.patch.set_alpha(0)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(least, most), ylim=(most, least))
    axes.axis("off")
    return figure, axes


def _fill(axes: Axes, steps: _Steps, colour: str) -> None:
    axes.add_patch(PathPatch(_path(steps), facecolor=colour, linewidth=0))


def _stroke(axes: Axes, steps: _Steps, colour: str, width: float, scale: float) -> None:
    """``width``: in units of the drawing, ``scale``: pixels of one."""
    points = width * scale * 72 / _DPI
    axes.add_patch(
        PathPatch(_path(steps), fill=False, edgecolor=colour, linewidth=points, capstyle="round", joinstyle="round")
    )


def _path(steps: _Steps) -> Path:
    return Path([point for _, point in steps], [code for code, _ in steps])


def _moved(steps: _Steps, down: float) -> _Steps:
    return tuple((code, (x, y + down)) for code, (x, y) in steps)


if __name__ == "__main__":
    main()
