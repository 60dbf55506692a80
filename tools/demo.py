"""Animated SVG of a 30 s session on the command line: `python tools/demo.py` writes docs/_static/demo.svg.

It runs the commands and shows their output; the last frame is the resulting figure. `--check` compares the file with
the current output, but not the outlines of the figure.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

__all__ = ["PLACE", "demo"]

PLACE = Path(__file__).resolve().parent.parent / "docs" / "_static" / "demo.svg"
_COMMANDS = (
    "tikzgen new data-parallel",
    "tikzgen render data-parallel.yaml --set labels.sever=PS",
    "tikzgen render data-parallel.yaml --width acm-column --set labels.server=PS",
    "tikzgen edit data-parallel.tex add-worker label=Edge",
    "tikzgen check data-parallel.tex --geometry --engine none",
    "tikzgen build data-parallel.tex -f svg",
)
_SECONDS = 30
_COLUMNS, _LINE, _SIGN = 96, 20, 8.43
_WIDTH, _TOP = 850, 40
_PICTURE = 330  # height of the figure below the lines


class _Shown(NamedTuple):
    """A string of the animation: the time of its appearance in s, its line and column, and its class."""

    at: float
    row: int
    column: int
    text: str
    kind: str


def demo() -> str:
    """Return the recording as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        said = [(command, _said(command, Path(folder))) for command in _COMMANDS]
        figure = Path(folder, "data-parallel.svg").read_text(encoding="utf-8")
    shown = [*_played(said)]
    rows = max(each.row for each in shown) + 1
    height = _TOP + rows * _LINE + _PICTURE + 20
    texts = "".join(_text(number, each) for number, each in enumerate(shown))
    times = "".join(_keys(number, each.at) for number, each in enumerate(shown))
    end = shown[-1].at + 1
    return _PAGE.format(
        width=_WIDTH,
        height=height,
        seconds=_SECONDS,
        times=times + _keys(len(shown), end),
        texts=texts,
        picture=_picture(figure, _TOP + rows * _LINE, len(shown)),
    )


def _words(recording: str) -> str:
    return recording.partition("<g class=")[0]


def _said(command: str, folder: Path) -> list[str]:
    """Run a command and return its output, wrapped at the width of the terminal."""
    words = [sys.executable, "-m", "tikzgen", *command.split()[1:]]
    env = {**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    return [line[start : start + _COLUMNS] for line in lines for start in range(0, len(line), _COLUMNS)]


def _played(said: list[tuple[str, list[str]]]) -> Iterator[_Shown]:
    """Yield the strings with their times: commands word by word, outputs as a whole."""
    words = sum(len(command.split()) for command, _ in said)
    pause = (_SECONDS - 8 - words * 0.3) / len(said)
    at, row = 0.5, 0
    for command, lines in said:
        yield _Shown(at, row, 0, "$", "prompt")
        column = 2
        for word in command.split():
            at += 0.3
            yield _Shown(at, row, column, word, "typed")
            column += len(word) + 1
        at, row = at + 0.5, row + 1
        for line in lines:
            yield _Shown(at, row, 0, line, "wrong" if "unknown field" in line else "said")
            row += 1
        at += pause - 0.5


def _text(number: int, shown: _Shown) -> str:
    x, y = 20 + shown.column * _SIGN, _TOP + (shown.row + 1) * _LINE - 5
    length = f'textLength="{len(shown.text) * _SIGN:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text class="{shown.kind} t{number}" x="{x:.1f}" y="{y}" {length}>{escape(shown.text)}</text>\n'


def _keys(number: int, at: float) -> str:
    """Return the CSS that shows an element from a time `at` until the end of the cycle."""
    share = 100 * at / _SECONDS
    frames = f"0%,{share:.2f}%{{opacity:0}}{share + 0.01:.2f}%,99%{{opacity:1}}100%{{opacity:0}}"
    return f"@keyframes k{number}{{{frames}}}.t{number}{{animation:k{number} {_SECONDS}s infinite}}\n"


def _picture(figure: str, top: float, number: int) -> str:
    """Return the figure on a white background, as wide as the terminal."""
    place = f'x="40" y="{top + 15}" width="{_WIDTH - 80}" height="{_PICTURE - 20}"'
    inside = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"', f"<svg \\1{place}", figure, count=1)
    paper = f'<rect x="20" y="{top + 5}" width="{_WIDTH - 40}" height="{_PICTURE}" rx="4" fill="#fff"/>'
    return f'<g class="t{number}">{paper}\n{inside}</g>'


_PAGE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<title>A spec is made, rendered, edited, checked and drawn on the command line</title>
<style>
text {{ font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; }}
.prompt {{ fill: #8fd18b }} .typed {{ fill: #f2f4f8 }} .said {{ fill: #c0c6d0 }} .wrong {{ fill: #ff9d8a }}
{times}@media (prefers-reduced-motion: reduce) {{ text, g {{ animation: none !important }} }}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#16181d"/>
<circle cx="20" cy="20" r="6" fill="#ff5f57"/>
<circle cx="40" cy="20" r="6" fill="#febc2e"/>
<circle cx="60" cy="20" r="6" fill="#28c840"/>
{texts}{picture}
</svg>
"""


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        same = _words(PLACE.read_text(encoding="utf-8")) == _words(demo())
        sys.exit(None if same else f"{PLACE} is stale: run tools/demo.py")
    PLACE.write_text(demo(), encoding="utf-8")
