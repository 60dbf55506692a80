"""The size of labels and the places of their characters, as computed when reviewed: a line per label in goldens.

That the sizes are those of TeX is tested with TeX; here each number that they follow from counts.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen.compile.draw.output.set_text import set_text
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.text import LabelFont, Tex, TextRefused, measure
from tikzgen.text.metrics.boxes import RuleBox

CASES = ROOT / "tests" / "cases" / "text"
FONTS = {
    "sans 8": LabelFont(),
    "serif 10 bold": LabelFont("serif", bold=True, size=10),
    "mono 6": LabelFont("mono", size=6),
}
KINDS: dict[str, Callable[[str], str | Tex]] = {
    "words": str,
    "formulas": "${}$".format,
    "commands": "${}$".format,
    "raw-boxes": Tex,
    "varying": str,
}


def _sizes(text: str | Tex) -> str:
    found = []
    for name, font in FONTS.items():
        extent = measure(text, font)
        size = f"{extent.width:.4f} x {extent.height:.4f} + {extent.depth:.4f}"
        found.append(f"{name}: {size}{'' if extent.exact else ' or less'}")
    return "; ".join(found)


def _ink(text: str) -> str:
    """Return the number of characters and rules, and a digest of them at their places."""
    try:
        found = set_text(text, LabelFont(), 9.5, True, trim=True).ink
    except Unsupported as error:
        return str(error.what)
    parts = [
        f"{x:.3f} {y:.3f} {part.width:.3f} {part.height:.3f}"
        if isinstance(part, RuleBox)
        else f"{x:.3f} {y:.3f} {part.font} {part.char} {part.size:.3f}"
        for x, y, part in found
    ]
    return f"{len(parts)} pieces {sha256(repr(parts).encode()).hexdigest()[:8]}"


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_are_as_reviewed(kind: str, golden: Callable[[Path, str], None]) -> None:
    lines = []
    for source in YAML(typ="safe").load((CASES / f"{kind}.yaml").read_text(encoding="utf-8")):
        text = KINDS[kind](source)
        try:
            lines.append(f"{source!r}: {_sizes(text)}; {_ink(str(text))}")
        except TextRefused as error:
            lines.append(f"{source!r}: {error}")
    golden(ROOT / "tests" / "goldens" / "labels" / f"{kind}.txt", "\n".join(lines) + "\n")
