"""Writes docs/geometry/README.md: figures as earlier versions drew them, what is found there, and as drawn now."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tikzgen import loads
from tikzgen.lint.probe.look_at_figures import FigureToProbe, findings_of
from tikzgen.lint.probe.probing import probe
from tikzgen.spec.embedded_spec import unseal

HERE = Path(__file__).parent.parent / "docs" / "geometry"
DPI = 100
HEAD = """\
# What the lint made better

Each figure in `before/` is as an earlier version of tikzgen drew it, with what `tikzgen check --geometry` finds in it.
Beside it, what the same description, which travels inside the file, gives today: nothing is found there.
`python tools/geometry_page.py` writes this page.
"""


def figures() -> dict[str, tuple[FigureToProbe, FigureToProbe]]:
    """By name: as it was, and as it is drawn now."""
    found = {}
    for file in sorted((HERE / "before").glob("*.tex")):
        before = file.read_text("utf-8")
        figure = loads(unseal(before) or "")
        width = figure.width if isinstance(figure.width, int | float) else None
        name = f"before/{file.name}"
        found[file.stem] = FigureToProbe(name, before, width), FigureToProbe(file.name, figure.tex(), width)
    return found


def page(drawings: dict[str, tuple[FigureToProbe, FigureToProbe]]) -> str:
    """The page: for each figure its findings, of each rule the first, and both pictures."""
    both = [drawing for pair in drawings.values() for drawing in pair]
    found = map(partial(findings_of, by_pdftex=False), both, probe([each.source for each in both]))
    told = dict(zip(both, found, strict=True))
    parts = [HEAD]
    for name, (before, after) in drawings.items():
        first = {finding.code: finding for finding in reversed(told[before])}
        more = len(told[before]) - len(first)
        lines = [str(finding) for finding in reversed(first.values())] + [f"and {more} more"] * bool(more)
        lines += [f"still: {finding}" for finding in told[after]]
        pictures = f"| ![{name}, before]({name}-before.png) | ![{name}, after]({name}-after.png) |"
        parts.append(
            "\n".join(["", f"## {name}", "", "```", *lines, "```", "", "| before | after |", "|---|---|", pictures, ""])
        )
    return "".join(parts)


def draw(drawings: dict[str, tuple[FigureToProbe, FigureToProbe]]) -> None:
    """The pictures, for the eye: the text of the page does not depend on them."""
    from tikzgen.compile.convert import to_png
    from tikzgen.compile.tex.compile_tex import compile_tex

    for name, pair in drawings.items():
        for drawing, when in zip(pair, ("before", "after"), strict=True):
            png = to_png(compile_tex(drawing.source).pdf, dpi=DPI)
            (HERE / f"{name}-{when}.png").write_bytes(png)


if __name__ == "__main__":
    all_figures = figures()
    draw(all_figures)
    (HERE / "README.md").write_text(page(all_figures), "utf-8")
