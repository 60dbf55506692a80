"""The pictures of the site: every spec is rendered once, and drawn for light and for dark pages."""

from __future__ import annotations

import shutil
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tikzgen import load
from tikzgen.base.record import replace
from tikzgen.compile.formats_without_tex import drawn_svg
from tikzgen.edit.find_words import find_words
from tikzgen.emit.render_figure import fill_body, render
from tikzgen.model.looks.palettes import PALETTES

__all__ = ["draw_pictures"]


_SHARE = 8
"""Number of specs for each picture that `few=True` draws."""


def draw_pictures(specs: list[Path], folder: Path, *, few: bool = False) -> None:
    """Write the .tex of each spec into its folder, and its picture in each palette.

    The pictures go into the folder of the palette. If few are wanted, most specs get copies of another spec's files.
    """
    for palette in PALETTES:
        (folder / palette).mkdir(parents=True)
    step = _SHARE if few else 1
    with ProcessPoolExecutor() as processes:
        list(processes.map(partial(_draw, folder), specs[::step]))  # what one raises is raised here
    for place, spec in enumerate(specs):
        if drawn := place % step:
            for old, new in zip(_files(folder, specs[place - drawn]), _files(folder, spec), strict=True):
                shutil.copyfile(old, new)


def _files(folder: Path, spec: Path) -> list[Path]:
    """Return the .tex of a spec, then its picture in each palette."""
    return [spec.with_suffix(".tex"), *(folder / palette / f"{spec.stem}.svg" for palette in PALETTES)]


def _draw(folder: Path, spec: Path) -> None:
    made = render(load(spec))
    file, *pictures = _files(folder, spec)
    file.write_text(made.tex, encoding="utf-8")
    words, scene = find_words(made.tex), made.scene
    assert scene is not None
    for palette, picture in zip(PALETTES, pictures, strict=True):  # places do not depend on colors
        tex = fill_body(replace(scene, palette=scene.figure.colors(palette), palette_name=palette))
        picture.write_bytes(drawn_svg(tex, words, transparent=True))
