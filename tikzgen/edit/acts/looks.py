"""How things look: palette, colours, icons, width and distances."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tikzgen.edit.describe import Data, contents, figure_of_data, is_recipe, spelt_out
from tikzgen.edit.outcome import EditRefused
from tikzgen.errors import quoted

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
    long = deepcopy(spelt_out(data, name))
    kinds = {flow.get("kind", "data") for _, _, part in contents(long, "topology") for flow in part.get("flows", ())}
    phases = {
        span.get("phase", "compute") for _, _, part in contents(long, "timeline") for span in part.get("spans", ())
    }
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
        return _looks(data, long, "kinds", what, figure.kind(what), color)
    if what in phases | {"idle"}:
        return _looks(data, long, "phases", what, figure.phase(what), color)
    for _, _, part in contents(long, "topology"):
        for node in part["nodes"]:
            if node.get("id") == what:
                node["color"] = color
                return long
    known = ", ".join([*sorted(kinds), *sorted(phases)])
    raise EditRefused(
        "nothing-such", f"there is no kind of flow, phase or node {quoted(what)}", nearest=f"there are {known}"
    )


def _unstyled(what: str, kinds: set[str], figure: Any) -> str:
    """The kind or phase that a style's name stands for: `grad` is the kind gradient, `forward phase` a phase."""

    styles = {figure.kind(kind).tikz_style(kind): kind for kind in kinds}
    return styles.get(what, what.removesuffix(" phase"))


def _free(figure: Any, kinds: set[str]) -> str:
    from typing import get_args

    from tikzgen.model.look import Color

    used = {figure.kind(kind).color for kind in kinds}
    return next((color for color in get_args(Color) if color not in used), "otgray")


def _looks(data: Data, long: Data, field: str, what: str, look: Any, color: str) -> Data:
    """A recipe says nothing of looks: where a change is none, its short form stays."""
    from tikzgen.model.base import shortest

    if look.color == color:
        return data
    changed = shortest(look.model_copy(update={"color": color}))
    base = long if is_recipe(data) and field not in _fields(data) else data
    return {**base, field: {**base.get(field, {}), what: changed}}


def _fields(data: Data) -> Any:
    from tikzgen.recipe import recipe

    return recipe(data["recipe"]).model_fields


def swap_icon(data: Data, name: str, *, node: str, icon: str | None) -> Data:
    """Another icon for a node; for one of several workers, for all of them."""
    if is_recipe(data) and "icons" in _fields(data):
        roles = {"data": "data", "ps": "server"}
        role = roles.get(node, "worker" if node.startswith("w") else "")
        if role:
            return {**data, "icons": {**data.get("icons", {}), role: icon}}
    long = deepcopy(spelt_out(data, name))
    nodes = [one for _, _, part in contents(long, "topology") for one in part["nodes"] if one.get("kind") != "ellipsis"]
    target = next((one for one in nodes if one.get("id") == node), None)
    if target is None:
        known = ", ".join(dict.fromkeys(one["id"] for one in nodes))
        raise EditRefused("no-node", f"there is no node {quoted(node)}", nearest=f"the nodes are {known}")
    for one in nodes:
        if one is target or (target.get("kind") == "worker" == one.get("kind")):
            one["icon"] = icon
    return long
