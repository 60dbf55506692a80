"""The contract's words: node names, the operations that a figure allows, and what every edit must keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tikzgen.contract.spacetime_rules import on_spacetimes, spacetime_invariants, spacetime_naming
from tikzgen.layout.items import Item, Scope
from tikzgen.layout.scene import Scene
from tikzgen.model.content import Content
from tikzgen.model.entities import DataSource, Server, Worker
from tikzgen.model.figure import Figure
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
    """The operations that this figure allows, each with how it is done by hand."""
    texts = [parameter.macro for parameter in scene.parameters if parameter.type == "text"]
    formats = [parameter.macro for parameter in scene.parameters if parameter.type == "text-of-number"]
    lengths = [parameter.macro for parameter in scene.parameters if parameter.type == "length-cm"]
    found: list[dict[str, str]] = []

    def add(name: str, summary: str) -> None:
        found.append({"id": name, "summary": summary})

    if texts:
        add("rename-node", f"edit the matching label macro ({_listing(texts)})")
    families = _families(scene) if _topologies(figure) else []
    if _workers(figure):
        drawn = r"\gpupic" if _workers(figure)[0].icon == "gpu" else "the style of its siblings"
        lists = "add it to the sync \\foreach list and " if families else ""
        add(
            "add-worker",
            f"declare the next node (w<n>) with {drawn} and its label macro, then {lists}draw its other flows",
        )
    if lengths:
        add("change-spacing", f"edit {_listing(lengths)}; all positions are derived from them")
    if scene.icons:
        pictures = ", ".join(f"\\{picture.macro}" for picture in scene.icons)
        add("swap-icon", f"replace a node body picture macro ({pictures}) with another icon's")
    if _timelines(figure):
        for name, summary in _on_timelines(figure, scene):
            add(name, summary)
    if _spacetimes(figure) and not _timelines(figure):
        for name, summary in on_spacetimes():
            add(name, summary)
    if formats:
        add("set-cell", f"edit {_listing(formats)}: #1 is the number, so F#1 gives F3; all cells of the phase follow")
    flows = _flow_kinds(figure)
    styles = "/".join(figure.kind(kind).tikz_style(kind) for kind in flows)
    keep = f"; keep distinct flows ({'/'.join(flows)}) in distinct colors" if len(flows) > 1 else ""
    what = f"the {styles} styles" if flows else "the phase styles"
    add(
        "recolor",
        f"change the palette name in {what}{' or an icon macro' if scene.icons else ''}{keep}; never inline hex",
    )
    return found


def _on_timelines(figure: Figure, scene: Scene) -> Iterator[tuple[str, str]]:
    """What may be done to lanes and spans."""
    yield "add-lane", "add a lane at the end: its label, and its spans with the next lane coordinate"
    styles = [style.name for style in scene.styles if style.name in ("span", "flatspan", "fused", "flatfused")]
    moment = "the first coordinate" + (", of its shift in a fused cell" if "fused" in " ".join(styles) else "")
    start = f"change a span's start ({moment}) or its duration (the first argument of {_either(styles)})"
    if _masses(scene):
        start = r"change the row of a span: \row start, lane, duration, text"
    yield "set-span", start
    bars = [span for part in _timelines(figure) for span in part.spans]
    if any(span.second for span in bars):
        fused = _either([name for name in styles if "fused" in name])
        yield "set-share", f"change how much of a fused cell its second part takes (the second argument of {fused})"
    if any(span.chunk or (span.second and span.second.chunk) for span in bars):
        yield "set-chunk", "give a span the style of another shade of its phase: <phase> phase, <phase> shade <k>"
    if any(span.slide for span in bars) or any(bubble.slide for part in _timelines(figure) for bubble in part.bubbles):
        yield "set-slide", "change the number of from slide: the overlay of a Beamer frame from which it is shown"


def _either(names: list[str]) -> str:
    return " or ".join(names) or "its style"


def _listing(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else ", ".join(names[:12]) + ", …"


def _flow_kinds(figure: Figure) -> list[str]:
    return list(dict.fromkeys(kind for _, _, part in figure.parts(Content) for kind, _ in part.flow_kinds()))


def _masses(scene: Scene) -> list[Mass]:
    from tikzgen.layout.timeline.timeline_items import Mass

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
