"""Lower bounds of the distances in a file: from the description inside, for the values in the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import replace
from tikzgen.lint.inventory.inventory_facts import ParameterInFile
from tikzgen.model.looks import icons_of_figure, with_plugins
from tikzgen.spec.embedded_spec import Identity, extract_spec
from tikzgen.spec.load_figure import load_from_text

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


def may_be_too_short(parameters: Iterable[ParameterInFile], identity: Identity, stated: Iterable[str]) -> bool:
    """Return whether a distance is not the layout's choice: changed in the file, or stated by the author."""
    chosen = identity.values.keys() - {*stated}
    lengths = (each for each in parameters if each.type == "length-cm")
    return any(each.name[1:] not in chosen or each.value != identity.values[each.name[1:]] for each in lengths)


def make_figure(text: str, name: str) -> FigureModel | TikzgenError:
    """Return the figure of the embedded description, or the error."""
    try:
        return load_from_text(extract_spec(text) or "", name=name)
    except TikzgenError as error:
        return error


def find_floors(figure: FigureModel, parameters: Iterable[ParameterInFile]) -> dict[str, float]:
    """Return the lower bounds of a figure's distances in cm; none if the figure cannot be laid out."""
    from tikzgen.layout import layout  # most files are checked without a layout

    try:
        scene = layout(figure, icons_of_figure(figure, with_plugins(figure, ())))
    except TikzgenError:
        return {}
    return scene.floors_in_cm({each.name[1:]: each.value for each in parameters})


def with_floors(parameters: Iterable[ParameterInFile], floors: Mapping[str, float]) -> tuple[ParameterInFile, ...]:
    """Return the parameters with the lower bounds of their distances."""
    return tuple(
        replace(each, least=floor, over_least=False) if (floor := floors.get(each.name[1:])) else each
        for each in parameters
    )
