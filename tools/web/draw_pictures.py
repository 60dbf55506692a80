"""The pictures of the site: every spec is rendered once, and drawn for light and for dark pages."""

from __future__ import annotations

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


def draw_pictures(specs: list[Path], folder: Path) -> None:
    """Write the .tex of each spec into its folder, and its picture in each palette.

    The pictures go into the folder of the palette.
    """
    for palette in PALETTES:
        (folder / palette).mkdir(parents=True)
    with ProcessPoolExecutor() as processes:
        list(processes.map(partial(_draw, folder), specs))  # what one raises is raised here


def _draw(folder: Path, spec: Path) -> None:
    made = render(load(spec))
    spec.with_suffix(".tex").write_text(made.tex, encoding="utf-8")
    words, scene = find_words(made.tex), made.scene
    assert scene is not None
    for palette in PALETTES:  # places do not depend on colors
        tex = fill_body(replace(scene, palette=scene.figure.colors(palette), palette_name=palette))
        (folder / palette / f"{spec.stem}.svg").write_bytes(drawn_svg(tex, words, transparent=True))
