"""The pictures of the site: every spec is rendered once, and drawn for light and for dark pages."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tikzgen import Figure, load
from tikzgen.compile.formats_without_tex import drawn_svg
from tikzgen.edit.find_words import find_words
from tikzgen.model.looks.palettes import PALETTES

__all__ = ["draw_pictures"]


def draw_pictures(specs: list[Path], folder: Path) -> None:
    """Write the .tex of each spec into its folder, and its picture in each palette.

    The pictures go into the folder of the palette.
    """
    for palette in PALETTES:
        (folder / palette).mkdir(parents=True)
    with ProcessPoolExecutor() as processes:
        list(processes.map(partial(_draw, folder), specs))  # what one raises is raised here


def _draw(folder: Path, spec: Path) -> None:
    figure = load(spec)
    own = figure.tex()
    spec.with_suffix(".tex").write_text(own, encoding="utf-8")
    for palette in PALETTES:
        tex = own if figure.palette == palette else _in_palette(spec, palette).tex()
        (folder / palette / f"{spec.stem}.svg").write_bytes(drawn_svg(tex, find_words(tex), transparent=True))


def _in_palette(spec: Path, palette: str) -> Figure:
    return load(spec, settings=[f"palette={palette}"])
