"""Each kind of part in sentences: topologies, timelines, space-time diagrams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from tikzgen.base.plain_words import count_of, join_words, list_names, plural
from tikzgen.emit.flow_products import Pair, Product, find_group, find_ring, split_into_products
from tikzgen.emit.sentences import Known, Sentence, duration, number, percent
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_parts import Message
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.topology.entities import Entity, Server
from tikzgen.model.topology.node_shapes import SHAPES
from tikzgen.model.topology.topology import Flow, Topology
from tikzgen.model.topology.topology_layouts import Grid, Levels, Line, Ring, Star, Tree
from tikzgen.text.spoken_labels import label_to_unicode

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


_STATE_PHRASES = {"failed": "have failed", "idle": "are idle", "highlighted": "are highlighted"}
_STATES = {"failed": "has failed", "idle": "is idle", "highlighted": "is highlighted"}


def topology(content: Topology, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """What a topology shows, what matters most first."""
    people = [node for node in content.nodes if isinstance(node, Entity)]
    names = {node.id: label_to_unicode(node.label) or node.id for node in people}
    dots = {node.id: "others" for node in content.nodes if not isinstance(node, Entity)}
    yield Sentence(2 if known.subject else 0, f"{_people(people, names) or 'dots'}{_describe_layout(content, names)}")
    frames = {group.id: label_to_unicode(group.label) or group.id for group in content.groups}
    if content.flows:
        yield Sentence(0, f"Flows: {'; '.join(_flows(content, figure, people, {**names, **dots, **frames}))}")
    for state, word in _STATES.items():
        if marked := [names[node.id] for node in people if node.state == state]:
            verb = word if len(marked) == 1 else _STATE_PHRASES[state]
            yield Sentence(1, f"{list_names(marked)} {verb}", named=True)
    if frames:
        inside = {**names, **frames}
        around = [
            f"{frames[group.id]} around {list_names([inside[one] for one in group.members if one in inside])}"
            for group in content.groups
        ]
        yield Sentence(1, f"Frames: {'; '.join(around)}")
    if notes := [text for note in content.notes if (text := label_to_unicode(note.text))]:
        yield Sentence(1, f"Notes: {'; '.join(notes)}")
    for node in people:
        if node.shape and SHAPES.package_of(node.shape):
            yield Sentence(2, f"{names[node.id]} is drawn as {SHAPES[node.shape].phrase}", named=True)
        if parts := [text for part in node.parts if (text := label_to_unicode(part.label))]:
            yield Sentence(2, f"{names[node.id]} holds {list_names(parts)}", named=True)
        if isinstance(node, Server) and node.rule and not node.icon:
            yield Sentence(2, f"Rule of {names[node.id]}: {label_to_unicode(node.rule)}", named=True)


def _people(people: Sequence[Entity], names: dict[str, str]) -> str:
    """The entities by what they are: `3 workers (GPU 0 to GPU 2) and 1 server (PS)`."""
    kinds = _by_kind(people).items()
    return join_words(
        f"{count_of(len(ids), kind)} ({list_names([names[each] for each in ids])})" for kind, ids in kinds
    )


def _by_kind(people: Sequence[Entity]) -> dict[str, list[str]]:
    """The ids of entities, by what these are."""
    kinds: dict[str, list[str]] = {}
    for node in people:
        kind = getattr(node, "kind", "node").replace("-", " ")
        kinds.setdefault(node.role.strip() or kind, []).append(node.id)
    return kinds


def _describe_layout(content: Topology, names: dict[str, str]) -> str:
    """Describe the layout of the nodes."""
    match content.arrangement:
        case Line(type="row"):
            return " in a row" if len(content.nodes) > 1 else ""
        case Line():
            return " in a column" if len(content.nodes) > 1 else ""
        case Grid():
            rows = content.arrangement.rows([node.id for node in content.nodes])
            return f" in a grid of {count_of(max(map(len, rows)), 'column')}"
        case Star(center=center):
            return f" around {names.get(center, center)}"
        case Ring():
            return " in a ring"
        case Tree(root=root):
            return f" in a tree under {names.get(root, root)}"
        case Levels(direction=direction):
            return f" in levels {'from left to right' if direction == 'right' else 'downwards'}"
    return ""


_MOST_PRODUCTS_COUNT = 4  # that are said one by one


def _flows(content: Topology, figure: FigureModel, people: Sequence[Entity], names: dict[str, str]) -> Iterator[str]:
    """Say the flows by kind and direction, in the order of the first of each."""
    groups: dict[tuple[str, str], list[Flow]] = {}
    for flow in content.flows:
        way = {"backward": "forward"}.get(flow.direction, flow.direction)
        groups.setdefault((flow.kind, way), []).append(flow)
    kinds = _by_kind(people)
    for (kind, way), flows in groups.items():
        what = figure.kind(kind).plural or (kind if kind in ("data", "control") else f"{kind.replace('-', ' ')} flows")
        yield f"{what} {join_words(_products(flows, kinds, names, directed=way == 'forward'))}"


def _products(
    flows: Sequence[Flow], kinds: dict[str, list[str]], names: dict[str, str], *, directed: bool
) -> list[str]:
    """Say flows of one kind: a whole group or a ring as such, others from each of some sources to each of some targets.

    `directed` flows run from their source to their target, others both ways.
    """
    labels: dict[Pair, list[str]] = {}
    for flow in flows:
        ends = (flow.source, flow.target)
        own = labels.setdefault(ends[::-1] if flow.direction == "backward" else ends, [])
        own.extend([text] if (text := label_to_unicode(flow.label)) else [])
    pairs = list(labels)
    group = find_group(pairs, both_ways=not directed)
    ring = [] if group else find_ring(pairs)
    if (group or ring) and (label := _label_of(pairs, labels)) is not None:
        if len(group) == 2:
            return [f"between {join_words(names[name] for name in group)}{label}"]
        return [f"{'among' if group else 'in a ring of'} {_crowd(group or ring, kinds, names)}{label}"]
    products = [each for whole in split_into_products(pairs) for each in _by_label(whole, labels)]
    said: dict[str, list[str | None]] = {}
    left = 0
    for place, (sources, targets) in enumerate(products):
        begin, end = _crowd(sources, kinds, names), _crowd(targets, kinds, names)
        text = f"from {begin} to {end}" if directed else f"between {_each(begin, sources)} and {_each(end, targets)}"
        is_last = place == len(products) - 1
        if left or (len(said) >= _MOST_PRODUCTS_COUNT - 1 and not is_last):
            left += len(sources) * len(targets)
        else:
            said.setdefault(text, []).append(_label_of([*product(sources, targets)], labels))
    told = [f"{text}{_times(own)}{''.join(dict.fromkeys(filter(None, own)))}" for text, own in said.items()]
    return [*told, count_of(left, "more flow")] if left else told


def _each(said: str, ids: Sequence[str]) -> str:
    """Keep a list of names apart from the name after it."""
    return f"each of {said}" if len(ids) > 1 and not said.startswith("the ") else said


def _times(found: Sequence[object]) -> str:
    """Say how often, if several entities have the same name."""
    return {1: "", 2: " twice"}.get(len(found), f" {len(found)} times")


def _by_label(whole: Product, labels: Mapping[Pair, Sequence[str]]) -> list[Product]:
    """Return the product itself, or if its labels would not tell which flow has which, those of each label."""
    pairs = list(product(*whole))
    if _label_of(pairs, labels) is not None:
        return [whole]
    own: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        own.setdefault(tuple(labels[pair]), []).append(pair)
    return [each for alike in own.values() for each in split_into_products(alike)]


def _label_of(pairs: Sequence[Pair], labels: Mapping[Pair, Sequence[str]]) -> str | None:
    """Return the labels of flows in parentheses: one for all, or one for each; None for others."""
    own = {tuple(labels[pair]) for pair in pairs}
    if len(own - {()}) < 2:
        return "".join(f" ({list_names(list(dict.fromkeys(each)))})" for each in own if each)
    each = [text for pair in pairs for text in labels[pair]]
    is_one_each = len(each) == len(pairs) == len(own) and all(len(label) == 1 for label in own)
    return f" ({list_names(each)})" if is_one_each else None


def _crowd(ids: Sequence[str], kinds: dict[str, list[str]], names: dict[str, str]) -> str:
    """Say several entities by one name if they are all of a kind: `the workers`."""
    for kind, members in kinds.items() if len(ids) > 1 else ():
        if set(ids) == set(members) and kind != "node":
            return f"the {plural(kind)}"
    return list_names([names[name] for name in ids], series="through")


_MOST_PHASES_COUNT = 6  # that are counted one by one


def timeline(content: Timeline, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """What a timeline shows, what matters most first."""
    axes = [part.axis for _, _, part in figure.parts(Timeline) if part.axis and figure.abreast == 1]
    axis = content.axis or (axes[-1] if axes else None)  # panels one below the other share one
    unit = axis.unit if axis else ""
    names = [label_to_unicode(lane.label) or lane.id for lane in content.lanes]
    way = {"up": ", time runs upwards", "down": ", time runs downwards"}.get(content.direction, "")
    yield Sentence(0, f"Timeline of {count_of(len(names), 'lane')} ({list_names(list(dict.fromkeys(names)))}){way}")
    if content.spans:
        yield Sentence(1, f"{count_of(len(content.spans), 'span')}: {_phases(content, figure)}")
        share = f", devices idle {percent(known.idle)} of it" if known.idle is not None else ""
        end = known.end if known.end is not None else max(span.end for span in content.spans)
        yield Sentence(0, f"Ends after {duration(end, unit)}{share}")
    # the share of idle time is above
    if summary := ", ".join(text for text in label_to_unicode(content.summary).split(", ") if text and "%" not in text):
        yield Sentence(0, summary[:1].upper() + summary[1:])
    if faults := sum(bool(span.fault) for span in content.spans):
        yield Sentence(0, f"{count_of(faults, 'span')} marked as impossible")
    yield from _marks(content)


def _phases(content: Timeline, figure: FigureModel) -> str:
    """How many spans of each phase there are, in the order of the first of each."""
    names = Counter((span.phase, span.second.phase if span.second else "") for span in content.spans)
    said: Counter[str] = Counter()
    for (phase, second), many in names.items():
        said[_phase(phase, figure) + (f" with {_phase(second, figure)}" if second else "")] += many
    parts = [f"{many} {name}" for name, many in said.items()]
    if len(parts) > _MOST_PHASES_COUNT:
        rest = sum(list(said.values())[_MOST_PHASES_COUNT - 1 :])
        parts = [*parts[: _MOST_PHASES_COUNT - 1], f"{rest} others"]
    return join_words(parts)


def _phase(name: str, figure: FigureModel) -> str:
    return label_to_unicode(figure.phase(name).label) or name.replace("-", " ")


def _marks(content: Timeline) -> Iterator[Sentence]:
    """What stands beside the spans."""
    for strip in content.strips:
        peak = number(max(level.value for level in content.levels(strip)))
        limit = f", limit {number(strip.cap)}" if strip.cap is not None else ""
        yield Sentence(1, f"Curve of {label_to_unicode(strip.label) or 'levels'}: peak {peak}{limit}")
    if braces := [text for brace in content.braces if (text := label_to_unicode(brace.label))]:
        yield Sentence(1, f"Braces mark {list_names(braces)}")
    if measures := [text for one in content.dimensions if (text := label_to_unicode(one.label))]:
        yield Sentence(1, f"Measured: {list_names(measures)}")
    if barriers := [f"{label_to_unicode(one.label)} at {number(one.time)}".strip() for one in content.barriers]:
        yield Sentence(1, f"{count_of(len(barriers), 'barrier')}: {list_names(barriers)}")
    if events := [f"{label_to_unicode(one.label)} at {number(one.time)}".strip() for one in content.events]:
        yield Sentence(1, f"{count_of(len(events), 'event')}: {list_names(events)}")
    if content.dependencies:
        messages = sum(one.kind == "message" for one in content.dependencies)
        arrows = [count_of(messages, "message")] if messages else []
        if other := len(content.dependencies) - messages:
            arrows.append(f"{other} {'dependency' if other == 1 else 'dependencies'}")
        yield Sentence(2, f"Arrows: {join_words(arrows)}")
    if content.critical:
        yield Sentence(2, f"The critical path of {count_of(len(content.critical), 'span')} is drawn heavily")
    said = [*(one.text for one in content.remarks), *(one.text for one in content.notes)]
    if notes := [text for one in said if (text := label_to_unicode(one))]:
        yield Sentence(2, f"Notes: {list_names(notes)}")
    groups = [text for group in content.groups if (text := label_to_unicode(group.label))]
    if len(groups) > 1:
        yield Sentence(3, f"Lanes grouped as {list_names(groups)}")


def spacetime(content: SpaceTime, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """What a space-time diagram shows, what matters most first."""
    names = {one.id: label_to_unicode(one.label) or one.id for one in content.lifelines}
    way = ", time runs downwards" if content.direction == "down" else ""
    lifelines = f"{count_of(len(names), 'lifeline')} ({list_names(list(names.values()))})"
    yield Sentence(0, f"Space-time diagram of {lifelines}{way}")
    for one in content.lifelines:
        if one.crash is not None:
            back = f" and is back at {number(one.restart)}" if one.restart is not None else ""
            yield Sentence(0, f"{names[one.id]} fails at {number(one.crash)}{back}")
    messages = sorted(content.messages, key=lambda message: message.sent)
    if messages:
        yield Sentence(
            1, f"{count_of(len(messages), 'message')}: {'; '.join(_describe_message(one, names) for one in messages)}"
        )

    yield from _life_marks(content, names)


def _life_marks(content: SpaceTime, names: dict[str, str]) -> Iterator[Sentence]:
    """Feet, cuts, clocks, what happened before what, events, and who is busy."""
    for one in content.lifelines:
        if one.foot:
            yield Sentence(1, f"{names[one.id]} ends with: {label_to_unicode(one.foot)}")
    for place, cut in enumerate(content.cuts, 1):
        label = f"Cut {label_to_unicode(cut.label) or place}"
        broken = list(content.broken_by(cut))
        why = f"not consistent: it has {list_names(broken)} as received, but not as sent" if broken else "consistent"
        yield Sentence(1, f"{label} is {why}")
    for region in content.regions:
        what = " ".join(filter(None, (label_to_unicode(region.label), label_to_unicode(region.guard)))) or "a frame"
        over = f" around {list_names([names[one] for one in region.lifelines])}" if region.lifelines else ""
        others = [label_to_unicode(case.guard) or "another case" for case in region.cases]
        then = f", then {list_names(others)}" if others else ""
        yield Sentence(1, f"Region from {number(region.start)} to {number(region.end)}{over}: {what}{then}")
    for line in content.separators:
        yield Sentence(2, f"A line at {number(line.time)}{': ' if line.label else ''}{label_to_unicode(line.label)}")
    if content.notes:
        yield Sentence(2, f"Notes: {'; '.join(label_to_unicode(note.text) for note in content.notes)}")
    if content.clocks:
        yield Sentence(1, f"{content.clocks.capitalize()} clocks are printed at all events")
    events = {
        name: label_to_unicode(one.label) or f"an event at {number(one.time)}"
        for name, one in zip(content.event_names(), content.events, strict=True)
    }
    for arrow in content.happened_before:
        yield Sentence(1, f"{events[arrow.source]} happened before {events[arrow.target]}")
    if events:
        told = [f"{events[name]} at {names[one.lifeline]}" for name, one in zip(events, content.events, strict=True)]
        yield Sentence(2, f"{count_of(len(events), 'event')}: {list_names(told)}")
    for busy in content.activations:
        what = f" ({label_to_unicode(busy.label)})" if busy.label else ""
        period = f"from {number(busy.start)} to {number(busy.end)}"
        yield Sentence(2, f"{names[busy.lifeline]} is busy {period}{what}")


def _describe_message(message: Message, names: dict[str, str]) -> str:
    """Describe a message: its label, sender and receiver, and whether it arrives."""
    text = label_to_unicode(message.label) or ("a reply" if message.reply else "a message")
    if message.source in message.targets:
        return f"{text} at {names[message.source]} itself"
    goals = [names[target] for target in message.targets]
    missed = [names[target] for target in message.targets if target in message.unreached_targets]
    end = "" if not missed else ", lost" if len(missed) == len(goals) else f", lost on the way to {list_names(missed)}"
    return f"{text} from {names[message.source]} to {list_names(goals)}{end}"
