"""The names that a figure offers for an argument: its parameters, nodes, lanes, styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tikzgen.inventory.inventory_facts import Inventory, Node
from tikzgen.inventory.nodes import LABEL

__all__ = ["CHOICES", "KINDS", "PALETTE", "SAYINGS", "nodes"]

PALETTE = ("otblue", "otorange", "otteal", "otpurple", "otgray")

# The kinds of flow whose style has a name of its own, by that name.
KINDS = {"grad": "gradient", "wts": "weight", "ctrl": "control", "act": "activation", "msg": "message"}
SAYINGS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "description": (("meta", "description"), ""),
    "language": (("language",), None),
}
"""What a file says of its figure to those who do not see it: the fields, and what stands there for an empty text."""

_PHASE = " phase"
_OF_OTHERS = re.compile(r".*-part[0-9]+$|.*-label$|legend-.*")


def _once(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def parameters(figure: Inventory) -> tuple[str, ...]:
    """The parameters, without their backslash; of tikzgen's figures, what they say of themselves, too."""
    return (*(each.name[1:] for each in figure.parameters), *(SAYINGS if figure.own else ()))


def lengths(figure: Inventory) -> tuple[str, ...]:
    """The parameters that are distances in cm."""
    return tuple(each.name[1:] for each in figure.parameters if each.type == "length-cm")


def _ids(figure: Inventory, kept: Iterable[Node]) -> tuple[str, ...]:
    """What the nodes are called: by their ids in tikzgen's figures, which may have one in several panels."""
    return _once([each.id if figure.own else each.name for each in kept])


def _stand_alone(figure: Inventory) -> list[Node]:
    """The nodes that are a thing of their own: no cell of a timeline, no part or label of another, no mere point."""
    if not figure.own:
        return [each for each in figure.nodes if each.kind != "coordinate"]
    return [
        each
        for each in figure.nodes
        if each.kind == "node"
        and not _OF_OTHERS.match(each.name)
        and not any(style.endswith(("span", _PHASE)) for style in each.styles)
    ]


def nodes(figure: Inventory) -> tuple[str, ...]:
    """The nodes that flows may join."""
    return _ids(figure, _stand_alone(figure))


def named(figure: Inventory) -> tuple[str, ...]:
    """All that has a name of its own: nodes, points, spans, and lanes."""
    kept = [each for each in figure.nodes if not (figure.own and _OF_OTHERS.match(each.name))]
    return _once([*_ids(figure, kept), *figure.lanes])


def labelled(figure: Inventory) -> tuple[str, ...]:
    """The nodes that have a label among the parameters, or in others' figures plain words, and the lanes."""
    nodes = _stand_alone(figure)
    kept = [each for each in nodes if any("label" in macro for macro in each.labels) or (each.label and not figure.own)]
    return _once([*_ids(figure, kept), *figure.lanes])


def workers(figure: Inventory) -> tuple[str, ...]:
    """The workers."""
    members = {name for family in figure.families if family.kind == "worker" for name in family.members}
    return _ids(figure, [each for each in figure.nodes if each.name in members])


def lanes(figure: Inventory) -> tuple[str, ...]:
    """The lanes of the timelines."""
    return figure.lanes


def with_icon(figure: Inventory) -> tuple[str, ...]:
    """The nodes that are drawn as an icon."""
    return _ids(figure, [each for each in figure.nodes if each.icon])


def icons(figure: Inventory) -> tuple[str, ...]:
    """The icons that there are; in a figure of others, the pictures that it defines."""
    if not figure.own:
        return figure.icons
    from tikzgen.base.shipped import template_folder

    return tuple(sorted(path.name.removesuffix(".tex.j2") for path in (template_folder() / "icons").glob("*.tex.j2")))


def colored(figure: Inventory) -> tuple[str, ...]:
    """What has a palette colour: kinds of flow and phases in tikzgen's figures, styles in those of others."""
    drawn = {flow.style for flow in figure.flows}
    found = []
    for style in figure.styles:
        if not set(style.colors) & set(PALETTE):
            continue
        if not figure.own:
            found.append(style.name)
        elif style.name in drawn and style.name != "link":
            found.append(KINDS.get(style.name, style.name))
        elif style.name.endswith(_PHASE):
            found.append(style.name.removesuffix(_PHASE))
    return _once(found)


def flow_sources(figure: Inventory) -> tuple[str, ...]:
    """Where flows begin."""
    return _flow_ends(figure, "source")


def flow_targets(figure: Inventory) -> tuple[str, ...]:
    """Where flows end."""
    return _flow_ends(figure, "target")


def _flow_ends(figure: Inventory, end: str) -> tuple[str, ...]:
    ids = {each.name: each.id if figure.own else each.name for each in figure.nodes}
    known = set(nodes(figure))
    names = [getattr(flow, end) for flow in figure.flows if flow.style != "link"]
    found = [ids.get(name.removesuffix(LABEL) if figure.own else name, "") for name in names]
    return _once([name for name in found if name in known])


CHOICES: dict[str, Callable[[Inventory], tuple[str, ...]]] = {
    "parameters": parameters,
    "lengths": lengths,
    "named": named,
    "nodes": nodes,
    "labelled": labelled,
    "workers": workers,
    "lanes": lanes,
    "with_icon": with_icon,
    "icons": icons,
    "colored": colored,
    "flow_sources": flow_sources,
    "flow_targets": flow_targets,
}
