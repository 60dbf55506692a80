"""Find operations that may express the difference between two drawings, by a table of differences.

A row yields groups of operations, each with the properties that it explains. A group counts only if its drawing has
these properties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, get_args

from tikzgen.base.record import Record
from tikzgen.edit.lift.lifted_cells import list_cell_changes
from tikzgen.edit.lift.read_elements import PLACE_DIGITS, Elements, Fact, Key, find_row
from tikzgen.edit.own_figure import Said
from tikzgen.edit.set_spacing_and_texts import MacroField, macro_fields, read_label
from tikzgen.lint.inventory import find_panel
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import HUES, PALETTES
from tikzgen.model.operations import WORKERS, at_path, map_styles_to_kinds
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import AnyEntity, Dots, Topology, Worker
from tikzgen.texfile import is_fixed, is_shifted

Call: TypeAlias = tuple[str, Mapping[str, Any]]
"""An operation and its arguments."""

_STATES = frozenset(get_args(Worker.model_fields["state"].annotation))
_ICON_KINDS = {"server": "server", "dataset": "data-source"}
_PICTURE = "pic"  # suffix of the macro of an icon


class Candidate(Record):
    """Operations that may explain changed properties; the first successful one of the `variants` counts."""

    variants: tuple[tuple[Call, ...], ...]
    explains: frozenset[Fact]


class Difference:
    """Return the changes of a file that the best drawing so far does not show.

    `first` is the drawing before the manual edits, `hand` the file, and `best` the drawing of `said`. `touched` are
    the elements on edited lines.
    """

    def __init__(self, first: Elements, hand: Elements, best: Elements, said: Said, touched: frozenset[Key]) -> None:
        self.first, self.hand, self.best, self.said = first, hand, best, said
        wanted = {fact for fact in hand.as_facts - first.as_facts if hand.labels.get(fact[0], fact[0]) in touched}
        crossed: set[Key] = set()  # elements whose label macro another element of the first drawing now has
        for macro, keys in hand.wearers.items():
            before = first.wearers.get(macro, keys)
            if any(key in first.says for key in keys - before):
                crossed |= keys | before
        wanted = {fact for fact in wanted if hand.labels.get(fact[0], fact[0]) not in crossed}
        self.come = {fact for fact in wanted if fact not in best.as_facts}
        self.gone = {fact for fact in first.as_facts - hand.as_facts if fact in best.as_facts}
        self.gone = {fact for fact in self.gone if first.labels.get(fact[0], fact[0]) not in crossed}
        if not hand.is_complete:
            self.gone = {fact for fact in self.gone if fact[0][0] not in ("node", "flow", "carried")}

    @property
    def figure(self) -> FigureModel:
        """Figure of the best description so far."""
        return self.said.figure

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Kinds of the flows by their styles."""
        return map_styles_to_kinds(self.figure)

    @cached_property
    def nodes(self) -> Sequence[AnyEntity]:
        """Nodes of all topologies."""
        return [node for _, _, part in self.figure.parts(Topology) for node in part.nodes]

    @cached_property
    def node_ids(self) -> Counter[str]:
        """Ids of the nodes, and the number of topologies that have each."""
        return Counter(node.id for node in self.nodes)

    def list_new(self, kind: str) -> list[Key]:
        """Return the added elements of one type."""
        added = {key for key, name, _ in self.come if name == "is" and key[0] == kind}
        return [key for key in self.hand.says if key in added]

    def list_missing(self, kind: str) -> list[Key]:
        """Return the removed elements of one type."""
        removed = {key for key, name, _ in self.gone if name == "is" and key[0] == kind}
        return [key for key in self.best.says if key in removed]

    def iterate_changed(self, kind: str) -> Iterator[tuple[Key, str, str, str]]:
        """Yield changed fields: element, field, value in the best drawing, value in the file."""
        for key, name, new in sorted(self.come):
            if key[0] == kind and name != "is" and key in self.best.says:
                yield key, name, self.best.says[key].get(name, ""), new
        for key, name, old in sorted(self.gone):
            if key[0] == kind and name != "is" and name not in self.hand.says.get(key, {name: ""}):
                yield key, name, old, ""

    def find_facts(self, *keys: Key) -> frozenset[Fact]:
        """Return the added and removed properties of elements."""
        return frozenset(fact for fact in (*self.come, *self.gone) if fact[0] in keys)

    def find_labels(self, flows: list[Key]) -> list[Key]:
        """Return the added labels of the styles of these flows."""
        styles = {flow[3] for flow in flows}
        return [key for key in self.list_new("carried") if key[1] in styles]


Row: TypeAlias = Callable[[Difference], Iterator[Candidate]]


def _make_candidate(calls: list[Call], facts: frozenset[Fact] | set[Fact]) -> Candidate:
    return Candidate((tuple(calls),), frozenset(facts))


def _find_palette(found: Difference) -> Iterator[Candidate]:
    """Find another palette: it has all colors of the file."""
    colors = {key[1]: fields["value"].upper() for key, fields in found.hand.says.items() if key[0] == "color"}
    for name, palette in PALETTES.items():
        facts = {fact for fact in (*found.come, *found.gone) if fact[0][0] == "color" or fact[0][1] == "\\backdrop"}
        if facts and name != found.figure.palette and all(colors.get(c) == v.upper() for c, v in palette.items()):
            yield _make_candidate([("palette", {"palette": name})], facts)


def _find_renamed_nodes(found: Difference) -> Iterator[Candidate]:
    """Find nodes that differ in their names only."""
    for old in found.list_missing("node"):
        for new in found.list_new("node"):
            if found.best.says[old] == found.hand.says[new]:
                flows = [key for key in found.hand.says if key[0] == "flow" and new[1] in key[1:3]]
                gone = [key for key in found.best.says if key[0] == "flow" and old[1] in key[1:3]]
                facts = found.find_facts(old, new, *flows, *gone)
                yield _make_candidate([("rename-id", {"old": _find_id(found, old[1]), "new": new[1]})], facts)


def _find_parameters(found: Difference) -> Iterator[Candidate]:
    """Find macros with other values."""
    fields = macro_fields(found.said.drawn_figure)
    for key, _, _, new in found.iterate_changed("parameter"):
        if key not in found.first.says:
            continue
        name = key[1].removeprefix("\\")
        worn = found.hand.wearers.get(key[1], set()) & found.first.wearers.get(key[1], set())  # no notes of the author
        facts = found.find_facts(key) | {fact for fact in found.come | found.gone if fact[0] in worn}
        label = read_label(new)
        spans = [each[1] for each in worn if each[0] == "span"]
        if len(worn) == len(spans) == 1:
            yield _make_candidate([("set-span", {"span": spans[0], "label": label})], facts)
        elif owner := _find_owner(found.figure, fields.get(name)):
            yield _make_candidate([("rename-node", {"node": owner, "label": label})], facts)
        else:
            numbered = "#1" in new and "#1" in found.first.says[key]["value"]
            yield _make_candidate(
                [("set", {"parameter": name, "value": new.replace("#1", "{n}") if numbered else label})], facts
            )


def _find_owner(figure: FigureModel, field: MacroField | None) -> str:
    """Return the id of the only element that a macro labels; empty for other macros."""
    if field is None or len(field.places) != 1 or field.fact is not None:
        return ""
    *path, last = field.places[0]
    owner = at_path(figure, tuple(path)) if last == "label" and "flows" not in path else None
    return getattr(owner, "id", None) or ""


def _find_title(found: Difference) -> Iterator[Candidate]:
    """Find a removed title."""
    key = ("parameter", "\\titlelabel")
    if key in found.list_missing("parameter"):
        yield _make_candidate([("set-title", {"title": ""})], found.find_facts(key))


def _find_colors(found: Difference) -> Iterator[Candidate]:
    """Find styles with another color of the palette."""
    for key, _, old, new in found.iterate_changed("style"):
        what = found.kinds.get(key[1], key[1].removesuffix(" phase"))
        for hue in HUES:
            if any(old.replace(other, hue) == new for other in HUES if other != hue):
                yield _make_candidate([("recolor", {"what": what, "color": hue})], found.find_facts(key))


def _find_node_fields(found: Difference) -> Iterator[Candidate]:
    """Find nodes with another label, icon or state."""
    fields = list(found.iterate_changed("node"))
    for key, name, old, new in fields:
        facts = found.find_facts(key)
        node = _find_id(found, key[1])
        if name == "label":
            yield _make_candidate([("rename-node", {"node": node, "label": read_label(new)})], facts)
        elif name == "icon":
            icon = new.removeprefix("\\").removesuffix(_PICTURE) or None
            alike = [each for each, field, was, now in fields if (field, was, now) == (name, old, new)]
            calls = tuple(("swap-icon", {"node": _find_id(found, each[1]), "icon": icon}) for each in alike)
            explained = {fact for fact in found.find_facts(*alike) if fact[1] == name}
            yield Candidate((calls[:1], calls), frozenset(explained))
        elif name == "styles":
            before, after = set(old.split(",")), set(new.split(","))
            if (before ^ after) - {""} <= _STATES:
                state = next(iter(after & _STATES), "normal")
                unused = {("style", style) for style in before & _STATES}
                yield _make_candidate([("set-node", {"node": node, "state": state})], facts | found.find_facts(*unused))


def _find_moved_nodes(found: Difference) -> Iterator[Candidate]:
    """Find moved nodes that the layout does not place; skip ids of several panels, which move together."""
    nodes = {node.id: node for node in found.nodes if found.node_ids[node.id] == 1}
    for key, _, old, new in found.iterate_changed("place"):
        node, drawn = nodes.get(_find_id(found, key[1])), ("node", key[1])
        if node is None or isinstance(node, Dots) or find_row(found.said.families, found.hand, drawn) is not None:
            continue
        is_added = drawn not in found.first.sums and is_fixed(found.hand.sums[drawn])
        if not is_added and not is_shifted(found.best.sums[drawn], found.hand.sums[drawn]):
            continue
        steps = zip(node.offset, map(float, old.split()), map(float, new.split()), strict=True)
        offset = [round(before + there - here, PLACE_DIGITS) for before, here, there in steps]
        yield _make_candidate([("set-node", {"node": node.id, "offset": offset})], found.find_facts(key))


def _find_workers(found: Difference) -> Iterator[Candidate]:
    """Find added and removed members of a counted family, with their flows."""
    known = WORKERS.names_in(found.figure)
    for key in found.list_new("node"):
        if any(family.read_number(key[1]) is not None for family in found.said.families):
            flows = [flow for flow in found.list_new("flow") if key[1] in flow[1:3]]
            facts = found.find_facts(key, *flows, ("picture", found.hand.says[key].get("icon", "")))
            label = read_label(found.hand.says[key].get("label", ""))
            yield Candidate(((("add-worker", {}),), (("add-worker", {"label": label}),)), facts)
    for key in found.list_missing("node"):
        if key[1] in known:
            flows = [flow for flow in found.list_missing("flow") if key[1] in flow[1:3]]
            facts = found.find_facts(key, *flows)
            yield Candidate(
                ((("remove-worker", {}),), (("remove-worker", {"worker": _find_id(found, key[1])}),)), facts
            )


def _find_nodes(found: Difference) -> Iterator[Candidate]:
    """Find added and removed nodes, with their flows."""
    for key in found.list_new("node"):
        said = found.hand.says[key]
        icon = said.get("icon", "").removeprefix("\\").removesuffix(_PICTURE)
        arguments: dict[str, Any] = {"node": key[1], "kind": _ICON_KINDS.get(icon, "node")}
        arguments |= {"label": read_label(said["label"])} if "label" in said else {}
        arguments |= {"icon": icon} if icon else {}
        flows = [flow for flow in found.list_new("flow") if key[1] in flow[1:3]]
        facts = found.find_facts(key, *flows, *found.find_labels(flows))
        yield _make_candidate([("add-node", arguments), *(_add_flow(found, flow) for flow in flows)], facts)
    for key in found.list_missing("node"):
        flows = [flow for flow in found.list_missing("flow") if key[1] in flow[1:3]]
        yield _make_candidate([("remove-node", {"node": _find_id(found, key[1])})], found.find_facts(key, *flows))
    for key in found.list_missing("frame") if not found.list_new("frame") else ():
        yield _make_candidate([("remove-group", {"group": _find_id(found, key[1])})], found.find_facts(key))


def _add_flow(found: Difference, flow: Key, label: str = "") -> Call:
    return "add-flow", _list_ends(found, flow) | ({"label": read_label(label)} if label else {})


def _list_ends(found: Difference, flow: Key) -> dict[str, Any]:
    """Return the arguments that identify a flow."""
    _, source, target, style = flow[:4]
    return {
        "source": _find_id(found, source),
        "target": _find_id(found, target),
        "kind": found.kinds.get(style, style),
    }


def _find_flows(found: Difference) -> Iterator[Candidate]:
    """Find flows between known nodes: added, removed, of another kind, or with another label."""
    ends = {key[1] for key in found.best.says if key[0] == "node"}
    come = [key for key in found.list_new("flow") if {key[1], key[2]} <= ends and len(key) == 4]
    gone = [key for key in found.list_missing("flow") if len(key) == 4]
    for new in come:
        old = next((each for each in gone if each[1:3] == new[1:3]), None)
        styles = (new[3],) if old is None else (new[3], old[3])
        carried = [key for key in (*found.list_new("carried"), *found.list_missing("carried")) if key[1] in styles]
        if old is None:
            variants = [(_add_flow(found, new),), *((_add_flow(found, new, key[2]),) for key in carried[:1])]
            yield Candidate(tuple(variants), found.find_facts(new, *carried))
            continue
        gone.remove(old)
        kind = _list_ends(found, new)["kind"]
        yield _make_candidate(
            [("set-flow", {**_list_ends(found, old), "new_kind": kind})], found.find_facts(new, old, *carried)
        )
    for old in gone:
        carried = [key for key in found.list_missing("carried") if key[1] == old[3]]
        yield _make_candidate([("remove-flow", _list_ends(found, old))], found.find_facts(old, *carried))
    touched = {flow[3] for flow in (*found.list_new("flow"), *found.list_missing("flow"))}
    for label in found.list_new("carried"):
        flow = found.hand.labels[label]
        if label[1] not in touched and flow in found.best.says and len(flow) == 4:
            before = [each for each in found.list_missing("carried") if each[1] == label[1]][:1]
            call = ("set-flow", {**_list_ends(found, flow), "label": read_label(label[2])})
            yield _make_candidate([call], found.find_facts(label, *before))


def _map_lane_ids(found: Difference) -> dict[tuple[str, str], str]:
    """Return the ids of lanes by the number of their timeline and their place in it."""
    timelines = enumerate(found.figure.parts(Timeline))
    return {
        (str(number), str(place)): lane.id
        for number, (_, _, part) in timelines
        for place, lane in enumerate(part.lanes)
    }


def _find_lanes(found: Difference) -> Iterator[Candidate]:
    """Find lanes: added, removed, or with another label."""
    ids = _map_lane_ids(found)
    for key in found.list_new("lane"):
        label = found.hand.says[key].get("label", "")
        variants: tuple[tuple[Call, ...], ...] = ((("add-lane", {}),), (("add-lane", {"label": read_label(label)}),))
        yield Candidate(variants, found.find_facts(key))
    for key in found.list_missing("lane"):
        if (key[1], key[2]) in ids:
            yield _make_candidate([("remove-lane", {"lane": ids[key[1], key[2]]})], found.find_facts(key))
    for key, _, _, new in found.iterate_changed("lane"):
        if (key[1], key[2]) in ids:
            yield _make_candidate(
                [("rename-node", {"node": ids[key[1], key[2]], "label": read_label(new)})], found.find_facts(key)
            )


def _find_cells(found: Difference) -> Iterator[Candidate]:
    """Find cells with another fill or label."""
    labels = [(key, new) for key, name, _, new in found.iterate_changed("node") if name == "label"]
    other = (*found.list_new("node"), *found.list_missing("node"))
    labels += [(key, found.hand.says.get(key, {}).get("label", "")) for key in other]
    for calls, key in list_cell_changes(found.figure, found.iterate_changed("cells"), labels):
        yield _make_candidate(calls, found.find_facts(key, ("place", key[1])))


_CONTENT = ("start", "duration", "phase", "label")


def _find_spans(found: Difference) -> Iterator[Candidate]:
    """Find spans with other contents, added or removed; names in the file pair them."""
    ids = _map_lane_ids(found)
    gone = {found.best.names[key]: key for key in found.list_missing("span") if key in found.best.names}
    changed_before = {name: key for key, name in found.best.names.items() if key not in found.hand.says}
    for key in found.list_new("span"):
        name = found.hand.names[key]
        old = gone.pop(name, changed_before.get(name))
        content = dict(zip(_CONTENT, key[3:7], strict=False))
        if old is not None and old[1:3] == key[1:3]:
            before = dict(zip(_CONTENT, old[3:7], strict=False))
            changed = {field: value for field, value in content.items() if value != before[field]}
            facts = found.find_facts(key, old)
            yield _make_candidate([("set-span", {"span": name, **_make_arguments(changed)})], facts)
            continue
        lane = ids.get((key[1], key[2]))
        if lane is None:
            continue
        calls: list[Call] = [("add-span", {"lane": [lane], **_make_arguments(content)})]
        calls += [("remove-span", {"span": name})] if old is not None else []
        yield _make_candidate(calls, found.find_facts(key, *([old] if old is not None else [])))
    for name, old in gone.items():
        yield _make_candidate([("remove-span", {"span": name})], found.find_facts(old))


def _make_arguments(content: Mapping[str, str]) -> dict[str, Any]:
    return {field: read_label(value) if field == "label" else value for field, value in content.items()}


def _find_id(found: Difference, name: str) -> str:
    """Return the id of a node: its name in the file without the name of its panel."""
    panel = find_panel(name, [each.id for each in found.figure.panels])
    return name.removeprefix(f"{panel}-") if panel and name not in found.node_ids else name


STRUCTURE: tuple[tuple[Row, ...], ...] = (
    (_find_renamed_nodes,),
    (_find_lanes,),
    (_find_workers,),
    (_find_nodes,),
    (_find_flows, _find_spans),
)
"""Rows of the table for added, removed and renamed elements."""

ROUNDS: tuple[tuple[Row, ...], ...] = (
    (_find_palette,),
    (_find_renamed_nodes,),
    (_find_parameters, _find_title, _find_colors, _find_lanes),
    (_find_cells,),
    (_find_workers,),
    (_find_nodes,),
    (_find_flows, _find_node_fields, _find_spans),
    (_find_moved_nodes,),
)
"""Rows of the table by round; a later round starts from the result of the earlier ones."""
