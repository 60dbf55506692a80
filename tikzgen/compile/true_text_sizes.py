"""True sizes of a figure's labels: installed engines measure the labels that font metrics only bound.

The sizes become part of the description, so a later render does not depend on an installed TeX.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which

from tikzgen.base.cache import Cache
from tikzgen.base.errors import LatexError, Problem, SpecError
from tikzgen.base.plane import round_up
from tikzgen.compile.diagnosis import said_at
from tikzgen.compile.sandbox.needs_sandbox import cell_for_figure
from tikzgen.compile.sandbox.sandbox import ProcessSandbox
from tikzgen.compile.tex.engines import FAMILIAR, Engine, find_engine
from tikzgen.compile.tex.measure_by_tex import TexBox, TextPreamble, Unsettable, measure_texts
from tikzgen.layout import layout
from tikzgen.layout.label_sizes import Asked, Sizes
from tikzgen.layout.scene import Scene
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Measured
from tikzgen.model.looks import Icon, icons_of_figure, with_plugins

_SIZE_DIGITS = 2  # decimals of a measured size in pt: later ones depend on the version of an engine
_ROUNDS = 8  # new sizes may need further ones; usually two or three rounds are enough


def with_true_sizes(
    figure: FigureModel,
    *,
    engines: Sequence[Engine | str] = (),
    folders: Sequence[Path] = (),
    trust: bool = False,
    cache: Cache | None = None,
) -> FigureModel:
    """Return the figure with the sizes of formulas, raw TeX and Chinese labels as TeX sets them.

    A size is the largest of any of the `engines`, in pt, rounded up to 0.01. By default, these are all installed
    engines that can set the figure's preamble. Previous sizes are dropped. Figures with raw TeX are measured in a
    sandbox, unless `trust`.

    Raise `LatexMissing` if no engine is installed, `SpecError` with the location for a label that an engine cannot
    set, and `FileRefused` if raw TeX lacks a sandbox.
    """
    cell = cell_for_figure(figure, trust=trust)
    folders = with_plugins(figure, tuple(folder.resolve() for folder in folders))
    icons = icons_of_figure(figure, folders)
    preamble = preamble_of(figure, icons, folders)
    known: dict[Asked, Measured] = {}
    for _ in range(_ROUNDS):
        sizes = Sizes(tuple(known.values()))
        with suppress(SpecError):  # true sizes may make it fit its width; otherwise the render reports it
            layout(figure, icons, sizes)
        new = [asked for asked in sizes.estimated_texts if asked not in known]
        if not new:
            break
        known |= _measure_texts(figure, new, preamble, engines, cell, cache)
    return _with_sizes(figure, [known[asked] for asked in sizes.estimated_texts if asked in known])


def preamble_of(figure: FigureModel, icons: Mapping[str, Icon], folders: Sequence[Path] = ()) -> TextPreamble:
    """Return the preamble under which TeX sets the labels of a figure."""
    scene = _make_scene(figure, icons)
    return TextPreamble(scene.packages, scene.cjk, scene.libraries, tuple(folders))


def _make_scene(figure: FigureModel, icons: Mapping[str, Icon]) -> Scene:
    """Return the layout of the figure, at its natural width if it does not fit the given one."""
    try:
        return layout(figure, icons)
    except SpecError:
        return layout(figure.model_copy(update={"width": None}), icons)


def _measure_texts(
    figure: FigureModel,
    texts: Sequence[Asked],
    preamble: TextPreamble,
    engines: Sequence[Engine | str],
    cell: ProcessSandbox | None,
    cache: Cache | None,
) -> dict[Asked, Measured]:
    chosen = engines or [engine for engine in FAMILIAR if which(engine)] or [find_engine(Engine.PDFLATEX).engine]
    boxes: list[Mapping[Asked, TexBox]] = []
    failed: list[LatexError] = []
    for engine in chosen:
        try:
            boxes.append(measure_texts(texts, preamble, engine, cell=cell, cache=cache))
        except Unsettable as found:
            raise _make_unsettable_error(figure, found, str(engine)) from None
        except LatexError as error:
            failed.append(error)  # an engine without the packages that the figure needs
    if failed and (engines or not boxes):
        raise failed[0]
    return {asked: _make_measured_entry(asked, [mine[asked] for mine in boxes]) for asked in texts}


def _make_unsettable_error(figure: FigureModel, found: Unsettable, engine: str) -> SpecError:
    path, place = said_at(found.asked.text, figure)
    said = "" if path else f' the text "{found.asked.text}"'
    message = f"{engine} cannot set{said or ' it'}: {found.error.message}"
    return SpecError([Problem(message, path, place, found.error.hint)])


def _make_measured_entry(asked: Asked, boxes: Iterable[TexBox]) -> Measured:
    measured = list(boxes)
    sides = {
        side: max(round_up(getattr(box, side), _SIZE_DIGITS) for box in measured)
        for side in ("width", "height", "depth")
    }
    return Measured.model_validate(
        {"text": asked.text, "size": asked.size, "family": asked.family, "bold": asked.bold, **sides}
    )


def _with_sizes(figure: FigureModel, sizes: list[Measured]) -> FigureModel:
    """Return the figure, or the recipe that it came from, with these sizes."""
    changed = {"measured": sizes}
    origin = figure.origin
    made = (
        origin.model_copy(update=changed).make_figure_with_origin()
        if origin is not None
        else figure.model_copy(update=changed)
    )
    made._document = figure._document
    made.keep_layout(figure.layout_record)
    return made
