"""What each operation does to a description: what the table says, unless a recipe has a fact of its own for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from tikzgen.base.errors import quoted
from tikzgen.edit import fact_acts, text_acts
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.overriding import changed
from tikzgen.edit.said import Said
from tikzgen.model.figure import Figure, Options
from tikzgen.model.look import Color
from tikzgen.model.operations import Operation
from tikzgen.model.operations.figure_operations import Palette, Recolor, SetLegend, SetTitle, Width, kinds_of, phases_of

__all__ = ["done"]


def done(said: Said, operation: Operation) -> Said:
    """The description with an operation done; `EditRefused` says why not."""
    return said.saying(_ACTS.get(operation.do, changed)(said, operation))


def _option(said: Said, operation: Palette | Width | SetTitle) -> Options:
    """A field that recipes and figures share."""
    return said.options.model_copy(update={name: getattr(operation, name) for name in operation.arguments()})


def _set_legend(said: Said, operation: SetLegend) -> Options:
    """The legend, a fact of many recipes."""
    if said.recipe is None or "legend" not in type(said.recipe).model_fields:
        return changed(said, operation)
    return said.recipe.model_copy(update={"legend": operation.change(said.figure).legend})


def _recolor(said: Said, operation: Recolor) -> Options:
    """Another palette colour for a kind of flow, a phase, or a node: kinds of flow stay apart."""
    figure, color = said.figure, operation.color
    kinds, phases = kinds_of(figure), phases_of(figure)
    what = {figure.kind(kind).tikz_style(kind): kind for kind in kinds}.get(
        operation.what, operation.what.removesuffix(" phase")
    )
    if what in kinds:
        other = next((kind for kind in sorted(kinds - {what}) if figure.kind(kind).color == color), "")
        if other and figure.kind(what).color != color:
            raise EditRefused(
                "same-color",
                f"the flows of kind {quoted(other)} are {color} already",
                invariant="flows of different kinds stay in distinct palette colors",
                nearest=f"recolor {what} {_free(figure, kinds)}",
            )
    look = figure.kind(what) if what in kinds else figure.phase(what) if what in phases else None
    if look is not None and look.color == color:
        return said.options
    return changed(said, operation.model_copy(update={"what": what}))


def _free(figure: Figure, kinds: set[str]) -> str:
    used = {figure.kind(kind).color for kind in kinds}
    return next((color for color in get_args(Color) if color not in used), "otgray")


_ACTS: Mapping[str, Callable[[Said, Any], Options]] = {
    "set": text_acts.set_parameter,
    "change-spacing": text_acts.change_spacing,
    "rename-node": text_acts.rename_node,
    "palette": _option,
    "width": _option,
    "set-title": _option,
    "set-legend": _set_legend,
    "recolor": _recolor,
    "swap-icon": fact_acts.swap_icon,
    "add-worker": fact_acts.add_worker,
    "remove-worker": fact_acts.remove_worker,
    "add-lane": fact_acts.add_lane,
    "remove-lane": fact_acts.remove_lane,
    "set-span": fact_acts.change_span,
    "add-span": fact_acts.change_span,
    "remove-span": fact_acts.change_span,
    "set-schedule": fact_acts.set_schedule,
}
