"""How things look: palette, colours, icons, width and distances."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import quoted
from tikzgen.edit.outcome import EditRefused
from tikzgen.edit.overriding import changed
from tikzgen.edit.spec_data import Data, fields_of, figure_of_data, is_recipe
from tikzgen.model.base import shortest
from tikzgen.model.changes.look_changes import kinds_of, phases_of

__all__ = ["change_spacing", "palette", "recolor", "swap_icon", "width"]


def palette(data: Data, name: str, *, palette: str) -> Data:
    """The colours for white paper or for dark slides."""
    return {**data, "palette": palette}


def width(data: Data, name: str, *, width: Any) -> Data:
    """The figure's width: cm, or a venue's name; None gives the natural one."""
    return {**data, "width": width}


def change_spacing(data: Data, name: str, *, parameter: str, value: float) -> Data:
    """One of the distances, in cm."""
    from tikzgen.model.figure import Spacing

    if parameter not in Spacing.model_fields:
        known = ", ".join(Spacing.model_fields)
        raise EditRefused(
            "no-parameter", f"there is no distance {quoted(parameter)}", nearest=f"the distances are {known}"
        )
    return {**data, "spacing": {**data.get("spacing", {}), parameter: value}}


def recolor(data: Data, name: str, *, what: str, color: str) -> Data:
    """Another palette colour for a kind of flow, a phase, or a node."""
    figure = figure_of_data(data, name)
    long = shortest(figure.model_copy())
    kinds, phases = kinds_of(long), phases_of(long)
    what = _unstyled(what, kinds, figure)
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
    return data if look is not None and look.color == color else changed(data, name, "recolor", what=what, color=color)


def _unstyled(what: str, kinds: set[str], figure: Any) -> str:
    """The kind or phase that a style's name stands for: `grad` is the kind gradient, `forward phase` a phase."""

    styles = {figure.kind(kind).tikz_style(kind): kind for kind in kinds}
    return styles.get(what, what.removesuffix(" phase"))


def _free(figure: Any, kinds: set[str]) -> str:
    from typing import get_args

    from tikzgen.model.look import Color

    used = {figure.kind(kind).color for kind in kinds}
    return next((color for color in get_args(Color) if color not in used), "otgray")


def swap_icon(data: Data, name: str, *, node: str, icon: str | None) -> Data:
    """Another icon for a node; for one of several workers, for all of them."""
    if is_recipe(data) and "icons" in fields_of(data):
        roles = {"data": "data", "ps": "server"}
        role = roles.get(node, "worker" if node.startswith("w") else "")
        if role:
            return {**data, "icons": {**data.get("icons", {}), role: icon}}
    return changed(data, name, "swap-icon", node=node, icon=icon)
