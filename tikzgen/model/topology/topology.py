"""Topologies: nodes, flows between them, groups around them, and the layout that places them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from tikzgen.base.errors import quote
from tikzgen.model.addresses import Address, AddressAxis, PartEnd, Reason, find_ranges, read_address
from tikzgen.model.content import Content, FreeNote, Path
from tikzgen.model.part import Id, fail, make_empty_list, require
from tikzgen.model.topology.entities import AnyEntity, Dots, Entity
from tikzgen.model.topology.flows_and_groups import Flow, Group, check_loop, check_sides
from tikzgen.model.topology.node_shapes import SHAPES
from tikzgen.model.topology.topology_layouts import Arrangement, Auto, Bar, Levels, Line, Ring, Row, Star, TopologyBrace

SQUARE = ("elbow", "around", "curved", "bus")
"""Routes with horizontal and vertical segments."""
MOST_PARALLEL_FLOWS = 64
"""Maximum number of flows between two nodes; more parallel flows are taller than a page."""


class Topology(Content):
    """A topology: nodes, the flows between them, and groups."""

    layout_address = "tikzgen.layout.topology.topology_kind:KIND"
    sentences_address = "tikzgen.model.topology.topology_sentences:describe"
    operations_address = "tikzgen.model.topology.topology_names:OPERATIONS"
    names_address = "tikzgen.model.topology.topology_names:list_names"
    other_names = ("graph", "flowchart", "network")

    type: Literal["topology"] = "topology"
    """Type of the part."""
    nodes: list[AnyEntity] = Field(min_length=1)
    """The nodes, in reading order."""
    flows: list[Flow] = Field(default_factory=make_empty_list)
    """The flows, in reading order."""
    groups: list[Group] = Field(default_factory=make_empty_list)
    """Groups of nodes, drawn as boxes around them."""
    braces: list[TopologyBrace] = Field(default_factory=make_empty_list)
    """Braces and ranges along nodes."""
    notes: list[FreeNote] = Field(default_factory=make_empty_list)
    """Notes next to the topology, in its middle, or next to a node, a group or a flow."""
    layout: Arrangement = Field(default_factory=Auto)
    """Layout of the nodes; without this field, layers along the flows, or a row if there are no flows."""
    collapse: int | None = Field(default=None, ge=2, le=64)
    """Maximum number of drawn neighbors with one style and the same flows: the first ones, dots, and the last. Nodes
    with labeled flows or links are always drawn. Null draws all."""

    _places: Mapping[str, Sequence[int]] = PrivateAttr(default_factory=dict)

    def drawn_as(self, changes: Mapping[str, Any], places: Mapping[str, Sequence[int]]) -> Self:
        """Return a copy with fewer parts; `places` has their indices in this topology, by field."""
        made = self.model_copy(update={**changes, "collapse": None})
        made._places = places
        return made

    def place_of(self, field: str, index: int) -> int:
        """Return the index in the description of a part, also in a copy with fewer parts."""
        return self._places[field][index] if field in self._places else index

    def named_parts(self) -> Iterator[tuple[str, Path]]:
        """Yield nodes, groups, and flows with an id."""
        yield from ((node.id, ("nodes", index)) for index, node in enumerate(self.nodes))
        yield from ((group.id, ("groups", index)) for index, group in enumerate(self.groups))
        yield from ((flow.id, ("flows", index)) for index, flow in enumerate(self.flows) if flow.id)

    def find_axes(self, name: str) -> tuple[AddressAxis, ...]:
        """Return the direction along the parts of a node, if it has parts; they count from 1."""
        node = next((node for node in self.nodes if isinstance(node, Entity) and node.id == name), None)
        ids = tuple(part.id or "" for part in node.parts) if node else ()
        return (AddressAxis("part", len(ids), 1, ids),) if ids else ()

    def resolve(self, address: Address) -> Reason | None:
        """Return why an address names no node, group, flow or part of a node, or None."""
        if address.way != "cells":
            return super().resolve(address)
        return Reason(f"{quote(address.name)} has no cells", f"write {address.name}.part(2) for its second part")

    def index_of_part(self, address: Address) -> int | None:
        """Return the index of the part of a node that an address names; None for other addresses."""
        found = find_ranges(self.find_axes(address.name), address)
        return found[0][0] if address.way == "part" and not isinstance(found, Reason) else None

    def list_owners(self) -> Iterator[tuple[int, Path]]:
        """Yield the owners of its nodes and of their parts."""
        for index, node in enumerate(self.nodes):
            if isinstance(node, Entity):
                named: list[tuple[int | None, Path]] = [(node.owner, ("nodes", index, "owner"))]
                named += [(part.owner, ("nodes", index, "parts", at, "owner")) for at, part in enumerate(node.parts)]
                yield from ((owner, path) for owner, path in named if owner is not None)

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """Yield the kinds of its flows."""
        yield from ((flow.kind, ("flows", index, "kind")) for index, flow in enumerate(self.flows))

    def colors(self) -> Iterator[str]:
        """Yield the colors of its nodes and of their parts."""
        for node in self.nodes:
            if isinstance(node, Entity):
                yield from (color for color in (node.color, *(part.color for part in node.parts)) if color)

    def steps(self) -> list[int]:
        """Return the step numbers of its flows, in order."""
        return sorted({flow.step for flow in self.flows if flow.step})

    def legend_names(self) -> Iterator[str]:
        """Yield roles and states of its nodes, and the numbers of its steps."""
        for node in self.nodes:
            if not isinstance(node, Dots):
                yield from (node.role or node.kind, node.state)
        yield from map(str, self.steps())

    @property
    def arrangement(self) -> Arrangement:
        """Layout of the nodes: a row if there are no flows, shared layers or hints to follow.

        In levels, names of groups are replaced by the nodes in them.
        """
        if isinstance(self.layout, Auto) and not (self.flows or self.layout.same or self.layout.hints):
            return Line()
        return self.layout.with_rows(self._expand_groups) if self._in_levels else self.layout

    @property
    def _in_levels(self) -> frozenset[str]:
        """Groups that levels name."""
        rows = self.layout.rows if isinstance(self.layout, Levels) else ()
        named = {name for row in rows for name in row}
        return frozenset(group.id for group in self.groups if group.id in named)

    @property
    def whole_frames(self) -> frozenset[str]:
        """Groups that levels name, and the groups inside them, whose members have no separate level."""
        held = {group.id: group.members for group in self.groups}
        return frozenset(name for frame in self._in_levels for name in _held_by(frame, held) if name in held)

    def _expand_groups(self, row: Row) -> Row:
        """Return a level with the nodes of its groups, in their order."""
        held = {group.id: group.members for group in self.groups}
        found: Row = []
        for name in row:
            inside = _held_by(name, held) if name in held else {name}
            found += [node.id for node in self.nodes if node.id in inside] if name in held else [name]
        return found

    @property
    def pins(self) -> list[tuple[str, int, Path]]:
        """Pinned nodes and groups, each with its layer and the path of the pin."""
        parts = [("nodes", index, one) for index, one in enumerate(self.nodes) if not isinstance(one, Dots)]
        every = [*parts, *(("groups", index, one) for index, one in enumerate(self.groups))]
        return [
            (one.id, one.pin.level, (what, self.place_of(what, index), "pin")) for what, index, one in every if one.pin
        ]

    @property
    def offsets(self) -> dict[str, tuple[float, float]]:
        """Offsets of the nodes that have one, by id, in cm to the right and up."""
        return {node.id: node.offset for node in self.nodes if isinstance(node, Entity) and any(node.offset)}

    @property
    def autos(self) -> list[tuple[Auto, Path]]:
        """Layouts of the topology and of groups that place nodes in layers along flows, each with its path."""
        layouts: list[tuple[Arrangement | None, Path]] = [(self.layout, ("layout",))]
        layouts += [(group.layout, ("groups", index, "layout")) for index, group in enumerate(self.groups)]
        return [(layout, path) for layout, path in layouts if isinstance(layout, Auto)]

    @property
    def orders(self) -> list[tuple[list[Id], Path]]:
        """Orders that layouts keep, each with its path."""
        return [(kept, (*path, "keep", row)) for layout, path in self.autos for row, kept in enumerate(layout.keep)]

    @property
    def asks(self) -> bool:
        """Whether it has features that straight flows lack: orthogonal routes, laid-out groups, long boxes."""
        frames = {group.id for group in self.groups}
        square = any(flow.route in SQUARE or not frames.isdisjoint((flow.source, flow.target)) for flow in self.flows)
        bars = isinstance(self.layout, Levels) and bool(self.layout.bars)
        framed = any(one.layout or one.like or one.label_at != "auto" for one in self.groups)
        chips = any(not isinstance(node, Dots) and node.part_side != "inside" for node in self.nodes)
        return square or bars or framed or chips

    @property
    def frames(self) -> tuple[Group, ...]:
        """Groups, each after the groups inside it; otherwise in their order."""
        inside = {group.id: group for group in self.groups}
        found: dict[str, Group] = {}

        def add(group: Group) -> None:
            for member in group.members:
                if member in inside and member not in found:
                    add(inside[member])
            found.setdefault(group.id, group)

        for group in self.groups:
            add(group)
        return tuple(found.values())

    @property
    def turns(self) -> bool:
        """Whether it has levels that may run down or to the right."""
        return isinstance(self.layout, Levels) and self.layout.direction == "auto"

    def with_direction(self, direction: Literal["down", "right"]) -> Self:
        """Return the topology with its levels in this direction, if that is open."""
        if not self.turns:
            return self
        return self.model_copy(update={"layout": self.layout.model_copy(update={"direction": direction})})

    @model_validator(mode="after")
    def _check_topology(self) -> Self:
        ids = [node.id for node in self.nodes]
        known = set(ids)
        held = {group.id: group.members for group in self.groups}
        repeated = [name for name, count in Counter(ids).items() if count > 1]
        if repeated:
            place = len(ids) - 1 - ids[::-1].index(repeated[0])
            fail(f"the id {quote(repeated[0])} is used twice", "nodes", place, "id", hint="every id names one node")
        for index, flow in enumerate(self.flows):
            for field in ("source", "target"):
                require(end := getattr(flow, field), known | held.keys(), "flows", index, field)
                if isinstance(end, PartEnd) and (reason := self.resolve(end.address)):
                    fail(reason.message, "flows", index, field, hint=reason.hint)
            if not flow.is_whole and str.__eq__(flow.source, flow.target):
                message = f"a flow between parts of {quote(flow.source)}"
                fail(message, "flows", index, hint="draw the parts as two nodes")
            if flow.route == "bus" and not flow.is_whole:
                fail("a bus ends at whole nodes", "flows", index, "route", hint="use route: elbow, or leave it out")
            check_loop(flow, index)
            check_sides(flow, index)
            self._check_frame_ends(flow, index, held)
        self._check_flows_of_pairs()
        loops = [(index, flow.source) for index, flow in enumerate(self.flows) if flow.source == flow.target]
        for place, (index, name) in enumerate(loops):
            if name in (other for _, other in loops[:place]):
                fail(f'"{name}" has a loop already', "flows", index, hint="let one loop say both in its label")
        self._check_cycles()
        frames: set[str] = set()
        for index, group in enumerate(self.groups):
            if group.id in known or group.id in frames:
                fail(f"the id {quote(group.id)} is used twice", "groups", index, "id", hint="every id names one node")
            frames.add(group.id)
            for place, member in enumerate(group.members):
                require(member, known | held.keys(), "groups", index, "members", place)
        for index, brace in enumerate(self.braces):
            for place, name in enumerate(brace.over):
                require(name, known | frames, "braces", index, "over", place)
        told = {flow.id for flow in self.flows if flow.id}
        for index, note in enumerate(self.notes):
            if note.about is not None:
                address = read_address(note.about)
                require(address.name, known | frames | told, "notes", index, "about")
                if reason := self.resolve(address):
                    fail(reason.message, "notes", index, "about", hint=reason.hint)
        self._check_layout(known)
        self._check_wishes(known | frames)
        return self

    def _check_flows_of_pairs(self) -> None:
        """Raise an error for more flows between two nodes than a page can show."""
        counts: dict[frozenset[str], int] = {}
        for index, flow in enumerate(self.flows):
            pair = frozenset((flow.source, flow.target))
            counts[pair] = counts.get(pair, 0) + 1
            if counts[pair] > MOST_PARALLEL_FLOWS:
                message = f"more than {MOST_PARALLEL_FLOWS} flows between {quote(flow.source)} and {quote(flow.target)}"
                fail(message, "flows", index, hint="draw one flow, and describe the others in its label")

    def _check_frame_ends(self, flow: Flow, index: int, held: Mapping[str, Sequence[str]]) -> None:
        """Check that a flow at a group leads to a node outside of it, in a layout that allows such flows."""
        for field, end, other in (("source", flow.source, flow.target), ("target", flow.target, flow.source)):
            if end not in held:
                continue
            if other in _held_by(end, held):
                message = f"{quote(other)} is inside {quote(end)}"
                fail(message, "flows", index, field, hint="connect it to a node outside")
            if isinstance(self.layout, (Star, Ring)):
                hint = "use another layout, or connect nodes"
                fail(f"a {self.layout.type} cannot connect groups", "flows", index, field, hint=hint)

    def _check_cycles(self) -> None:
        """Check that no group contains itself."""
        held = {group.id: group.members for group in self.groups}
        for index, group in enumerate(self.groups):
            for place, member in enumerate(group.members):
                if group.id in _held_by(member, held):
                    path = ("groups", index, "members", place)
                    by = f", by way of {quote(member)}" if member != group.id else ""
                    fail(
                        f"{quote(group.id)} would contain itself{by}",
                        *path,
                        hint="a frame contains only smaller frames and nodes",
                    )

    def _check_nesting(self) -> None:
        """Check that every node and every group is in one group at most."""
        holders: dict[str, str] = {}
        for index, group in enumerate(self.groups):
            for place, member in enumerate(group.members):
                if member in holders:
                    message = f"{quote(member)} is already in group {quote(holders[member])}"
                    fail(message, "groups", index, "members", place, hint="nest the groups, or draw a brace over both")
                holders[member] = group.id

    def _check_wishes(self, known: set[str]) -> None:
        """Check that the layout supports the pins, layouts and `like` fields of nodes and groups."""
        layout, auto = self.layout, isinstance(self.arrangement, Auto)
        for each, path in self.autos:
            each.check_pins({name: level for name, level, _ in self.pins}, *path)
        sizes = {group.id: len(group.members) for group in self.groups}
        for what, parts in (("nodes", self.nodes), ("groups", self.groups)):
            for index, one in enumerate(parts):
                if getattr(one, "pin", None) and not auto:
                    way = "leave out the layout, or state the levels"
                    hint = way if self.flows else "draw flows, which make layers"
                    fail("only layers that flows make can hold a pin", what, index, "pin", hint=hint)
        for index, group in enumerate(self.groups):
            if group.layout and isinstance(layout, (Ring, Star)):
                hint = "leave out the layout of the topology"
                message = f"a {layout.type} does not support a frame with its own layout"
                fail(message, "groups", index, "layout", hint=hint)
            if group.like is None:
                continue
            others = sorted(name for name in sizes if name != group.id)
            require(group.like, {*others}, "groups", index, "like", what="other frame")
            if sizes[group.like] != sizes[group.id]:
                count, other = sizes[group.id], sizes[group.like]
                message = f"{quote(group.id)} has {count} members, and {quote(group.like)} has {other}"
                fail(message, "groups", index, "like", hint="frames with like need equal numbers of members")
            if group.layout:
                message = "a frame that is like another one has its layout"
                fail(message, "groups", index, "layout", hint="drop one of the two")

    def _check_layout(self, known: set[str]) -> None:
        """Check that layouts name the nodes that they place; a group's layout names its members."""
        self._check_nesting()
        if isinstance(self.layout, Levels):
            self._check_levels(self.layout, known)
            self._check_bars(self.layout)
        else:
            frames = {group.id for group in self.groups}
            self.layout.check(known | frames if isinstance(self.layout, Auto) else known, "layout")
        for index, group in enumerate(self.groups):
            if group.layout is None:
                continue
            path = ("groups", index, "layout")
            group.layout.check(group.members, *path, what="member")
            if isinstance(group.layout, Levels) and (group.layout.bars or group.layout.labels):
                hint = "state them in the layout of the topology, or use frames in the frame"
                fail("the levels of a group have neither long boxes nor labels", *path, "levels", hint=hint)

    def _check_levels(self, layout: Levels, known: set[str]) -> None:
        """Check that levels name nodes, or groups in place of all their members."""
        held = {group.id: group.members for group in self.groups}
        frames = {name: frame for frame in sorted(self._in_levels) for name in _held_by(frame, held) - {frame}}
        for depth, row in enumerate(layout.rows):
            for place, name in enumerate(row):
                if name in frames:
                    message = f"{quote(name)} is in group {quote(frames[name])}, which has a level"
                    fail(message, "layout", "levels", depth, place, hint="name the group, or its members")
        layout.check((known - frames.keys()) | self._in_levels, "layout")

    def _check_bars(self, layout: Levels) -> None:
        """Check that a box as long as all levels has a suitable shape and is in no group."""
        forms = {node.id: node.form for node in self.nodes if not isinstance(node, Dots)}
        outside = {node.id for node in self.nodes if not isinstance(node, Dots) and node.part_side != "inside"}
        held = {member for group in self.groups for member in group.members}
        for row, level in enumerate(layout.levels):
            if not isinstance(level, Bar):
                continue
            path = ("layout", "levels", row, "span")
            form = forms.get(level.span, "icon")
            if form == "icon" or not SHAPES[form].spans_levels or level.span in outside:
                fail(
                    f"{quote(level.span)} is not a box that could be so long", *path, hint="use icon: null, shape: box"
                )
            if level.span in held:
                hint = "remove it from the group, or name it in []"
                fail(f"{quote(level.span)} is in a group", *path, hint=hint)
            for index, flow in enumerate(self.flows):
                for field, end in (("source", flow.source), ("target", flow.target)):
                    if isinstance(end, PartEnd) and str(end) == level.span:
                        message = f"a flow cannot end at a part of {quote(level.span)}, which spans all levels"
                        fail(message, "flows", index, field, hint=f"let it end at {level.span}")
            if len(layout.bars) == len(layout.levels):
                fail("needs a level that sets its length", *path, hint="name one level in []")


def _held_by(name: str, held: Mapping[str, Sequence[str]]) -> set[str]:
    """Return a name and everything inside it, recursively; `held` has the members of each group."""
    inside, fresh = {name}, {name}
    while fresh := {one for each in fresh for one in held.get(each, ())} - inside:
        inside |= fresh
    return inside
