"""The contract's words: node names, the operations that a figure allows, and what every edit must keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tikzgen.contract.spacetime_rules import ADD_LIFELINE, REMOVE_LIFELINE, spacetime_invariants, spacetime_naming
from tikzgen.layout.items import Item, Scope
from tikzgen.layout.scene import Scene
from tikzgen.model.content import Content
from tikzgen.model.entities import DataSource, Server, Worker
from tikzgen.model.figure import Figure
from tikzgen.model.operations import OPERATIONS
from tikzgen.model.operations.figure_names import names_of
from tikzgen.model.spacetime import SpaceTime
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import Topology

if TYPE_CHECKING:
    from tikzgen.layout.timeline.timeline_items import Mass
    from tikzgen.layout.topology.topology_items import Family

__all__ = ["invariants", "naming", "operations"]

_COLORS = {"otgray": "gray", "otpurple": "purple", "otteal": "teal", "otblue": "blue", "otorange": "orange"}


def _topologies(figure: Figure) -> list[Topology]:
    return [part for _, _, part in figure.parts(Topology)]


def _timelines(figure: Figure) -> list[Timeline]:
    return [part for _, _, part in figure.parts(Timeline)]


def _spacetimes(figure: Figure) -> list[SpaceTime]:
    return [part for _, _, part in figure.parts(SpaceTime)]


def _workers(figure: Figure) -> list[Worker]:
    for topology in _topologies(figure):
        found = [node for node in topology.nodes if isinstance(node, Worker)]
        if found:
            return found
    return []


def naming(figure: Figure, scene: Scene) -> str:
    """The node-naming scheme, in one paragraph."""
    parts: list[str] = []
    topologies = _topologies(figure)
    if topologies:
        nodes = topologies[0].nodes
        sources = "".join(f"({node.id})" for node in nodes if isinstance(node, DataSource))
        servers = "".join(f"({node.id})" for node in nodes if isinstance(node, Server))
        workers = _workers(figure)
        named = [f"{sources} source"] if sources else []
        if workers:
            across = getattr(topologies[0].layout, "direction", "right") == "right"
            order = "top-to-bottom" if across else "left-to-right"
            unit = "GPU workers" if workers[0].icon == "gpu" else "workers"
            named.append(f"{unit} {''.join(f'({worker.id})' for worker in workers)} {order}")
        named += [f"{servers} parameter server"] if servers else []
        others = [node.id for node in nodes if not isinstance(node, (DataSource, Server, Worker))]
        named += ["".join(f"({name})" for name in others)] if others else []
        parts.append("fixed semantic names: " + "; ".join(named))
        if workers and workers[0].id == "w1":
            where = (
                r"(\colsep, k*\rowsep)" if "right" in getattr(topologies[0].layout, "direction", "") else "their level"
            )
            parts.append(f"New workers continue the w<n> sequence and are positioned at {where}")
    if _timelines(figure):
        spans = "Spans are named <lane>-<phase><k>, counted from 1 in each lane, or <phase><k> across several lanes"
        bubbles = "; bubbles <lane>-bubble<k>" if any(part.bubbles for part in _timelines(figure)) else ""
        if masses := _masses(scene):
            points = [bar.name for mass in masses for bar in mass.points]
            kept = f", but for {_listing(points)}" if points else ""
            parts.append(f"Spans and bubbles are rows without nodes of their own{kept}, as there are so many")
        parts.append(spans + bubbles)
    if diagrams := _spacetimes(figure):
        parts.append(spacetime_naming(diagrams))
    if len(figure.panels) > 1:
        prefixes = ", ".join(f"{panel.id}-" for panel in figure.panels)
        parts.append(f"Every name begins with its panel's id: {prefixes}")
    return ". ".join(parts)


def operations(figure: Figure, scene: Scene) -> list[dict[str, str]]:
    """The operations of the table that this figure allows, each with how it is done by hand."""
    names = {
        **names_of(figure),
        "parameters": tuple(parameter.name for parameter in scene.parameters),
        "lengths": tuple(parameter.name for parameter in scene.parameters if parameter.type == "length-cm"),
    }
    words = {**_words(figure, scene), "facts": ", ".join(names["facts"])}
    allowed = (each for each in OPERATIONS.values() if not each.reasons(names))
    return [{"id": each.called(), "summary": each.hand.format_map(words)} for each in allowed]


_ADD_LANE = "add a lane at the end: its label, and its spans with the next lane coordinate"
_REMOVE_LANE = "take out its label, its spans and what points at them; the lanes after it move up by one"


def _words(figure: Figure, scene: Scene) -> dict[str, str]:
    """What stands for the words in braces of the table: the names of this figure."""
    by_type: dict[str, list[str]] = {}
    for parameter in scene.parameters:
        by_type.setdefault(parameter.type, []).append(parameter.macro)
    formats = _listing(by_type.get("text-of-number", []))
    pictures = ", ".join(f"\\{picture.macro}" for picture in scene.icons)
    workers, kinds = _workers(figure), _flow_kinds(figure)
    styles = "/".join(figure.kind(kind).tikz_style(kind) for kind in kinds)
    listed = bool(workers and _families(scene))
    add_worker, remove_worker = _worker_by_hand(workers, listed=listed), _worker_away_by_hand(listed=listed)
    return {
        "values": f"in {formats} #1 is the number" if formats else "each comment says what it means",
        "labels": _listing(by_type.get("text", [])),
        "lengths": _listing(by_type.get("length-cm", [])),
        "icons": pictures or "none yet: a box becomes one",
        "add_worker": add_worker if workers else _ADD_LANE,
        "remove_worker": remove_worker if workers else _REMOVE_LANE,
        "add_lane": _ADD_LANE if _timelines(figure) else ADD_LIFELINE if _spacetimes(figure) else add_worker,
        "remove_lane": _REMOVE_LANE
        if _timelines(figure)
        else REMOVE_LIFELINE
        if _spacetimes(figure)
        else remove_worker,
        "styles": styles or "data",
        "looks": (f"the {styles} styles" if kinds else "the phase styles") + (" or an icon macro" if pictures else ""),
        "keep": f"; keep distinct flows ({'/'.join(kinds)}) in distinct colors" if len(kinds) > 1 else "",
        "span": _span_by_hand(figure, scene) if _timelines(figure) else "",
    }


def _worker_by_hand(workers: list[Worker], *, listed: bool) -> str:
    """How a worker is added."""
    drawn = r"\gpupic" if workers and workers[0].icon == "gpu" else "the style of its siblings"
    lists = "add it to the sync \\foreach list and " if listed else ""
    return f"declare the next node (w<n>) with {drawn} and its label macro, then {lists}draw its other flows"


def _worker_away_by_hand(*, listed: bool) -> str:
    """How a worker is removed."""
    lists = "its place in the sync \\foreach list, " if listed else ""
    return f"take out its node, its label macro and all its flows, {lists}and its lane where it has one"


def _span_by_hand(figure: Figure, scene: Scene) -> str:
    """How a span is changed."""
    if _masses(scene):
        return r"change the row of the span: \row start, lane, duration, text"
    styles = [style.name for style in scene.styles if style.name in ("span", "flatspan", "fused", "flatfused")]
    fused = [name for name in styles if "fused" in name]
    moment = "the first coordinate" + (", of its shift in a fused cell" if fused else "")
    found = [f"change its start ({moment}) or its duration (the first argument of {_either(styles)})"]
    bars = [span for part in _timelines(figure) for span in part.spans]
    if any(span.second for span in bars):
        found.append(f"the share of a fused cell's second part is the second argument of {_either(fused)}")
    if any(span.chunk or (span.second and span.second.chunk) for span in bars):
        found.append("<phase> shade <k> in place of <phase> phase is another shade")
    if any(span.slide for span in bars):
        found.append("the number of from slide is the overlay from which it is shown")
    return "; ".join(found)


def _either(names: list[str]) -> str:
    return " or ".join(names) or "its style"


def _listing(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else ", ".join(names[:12]) + ", …"


def _flow_kinds(figure: Figure) -> list[str]:
    return list(dict.fromkeys(kind for _, _, part in figure.parts(Content) for kind, _ in part.flow_kinds()))


def _masses(scene: Scene) -> list[Mass]:
    from tikzgen.layout.timeline.timeline_items import Mass  # a figure loads what draws its own parts only

    return [item for item in _drawn(scene.items) if isinstance(item, Mass)]


def _families(scene: Scene) -> list[Family]:
    from tikzgen.layout.topology.topology_items import Family

    return [item for item in _drawn(scene.items) if isinstance(item, Family)]


def _drawn(items: tuple[Item, ...]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Scope):
            yield from _drawn(item.items)
        else:
            yield item


def invariants(figure: Figure, scene: Scene) -> list[str]:
    """What every edit must keep."""
    found = []
    kinds = _flow_kinds(figure)
    if len(kinds) > 1:
        looks = ", ".join(_look(figure, kind) for kind in kinds)
        found.append(f"the {'/'.join(kinds)} flows must stay in distinct palette colors ({looks})")
    for family in _families(scene)[:1] if kinds else ():
        by_style = {figure.kind(kind).tikz_style(kind): kind for kind in kinds}
        names = "/".join(by_style[edge.style] for edge in family.edges)
        found.append(f"every worker added to the layout must also appear in the {names} sync \\foreach list")
    if _timelines(figure):
        found.append(
            "spans on one lane never overlap, and an update across lanes starts when the slowest of them has ended"
        )
        if any(part.bubbles for part in _timelines(figure)):
            found.append("bubbles cover idle time only: they end where the next span of their lane begins")
        if any(span.fault for part in _timelines(figure) for span in part.spans):
            found.append("a cell that is marked invalid keeps its mark and the comment with the reason")
        if any(parameter.type == "text-of-number" for parameter in scene.parameters):
            found.append("numbers in cells are set by the macro of their phase only")
    if diagrams := _spacetimes(figure):
        found.extend(spacetime_invariants(diagrams))
    found.append("colors only via the five palette names (tints/shades allowed); never inline hex or stock colors")
    return found


def _look(figure: Figure, kind: str) -> str:
    look = figure.kind(kind)
    dash = "" if look.dash == "solid" else "dashed " if "dash" in look.dash else "dotted "
    return f"{_COLORS[look.color]} {dash}{look.plural or kind}"
