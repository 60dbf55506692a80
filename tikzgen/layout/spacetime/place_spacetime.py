"""A space-time diagram on paper. Coordinates inside its scope are (time, lifeline): the scope's unit vectors do the
rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import CRASH, INNER
from tikzgen.layout.extent import Extent, union
from tikzgen.layout.items import Item, Note
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.links.curved_links import Site
from tikzgen.layout.scene import Piece
from tikzgen.layout.spacetime.cuts import across_extents, across_items
from tikzgen.layout.spacetime.life_marks import bars, mark_items, mark_ways, mark_wishes, taken_by_marks
from tikzgen.layout.spacetime.lifeline_heads import Head, feet, heads
from tikzgen.layout.spacetime.regions import around, region_boxes, region_extents, region_items, region_ways
from tikzgen.layout.spacetime.spacetime_items import LifelineHead
from tikzgen.layout.spacetime.texts_beside import TAIL, Wish, anchor, label_size, placed, reaches, size_of, wishes
from tikzgen.layout.spacetime.weave import Track, Turn, Weave, foot_stem, life_stem, message_stem, tracks, way
from tikzgen.layout.timeline.arrow_labels import Standing
from tikzgen.layout.timeline.directions import extent, spot
from tikzgen.layout.timeline.timeline_items import Label, Path, Spot
from tikzgen.plane.rectangles import Box

_LEAD = 0.12  # cm between a head and time 0
_OUTRUN = 0.5  # cm by which the arrow of time does
_TIP = 0.05  # cm: what the outline of its tip may take besides
_AXIS = 0.45  # cm between the arrow of time and the lifeline beside it
_PAST = 0.4  # cm, where lines go beyond the lifelines
_CROSS = CRASH / 2
_AWAY = _CROSS + 0.055  # cm: texts keep 1.5 pt off crosses
_MANY = 40  # messages


class _Drawn(Record):
    """What the diagram consists of, before it is spelt; `axis` is how far from its lifeline the arrow of time lies."""

    heads: tuple[Head, ...]
    feet: tuple[Head, ...]
    tracks: tuple[Track, ...]
    texts: Mapping[str, Standing]
    axis: float


def spacetime(plan: Plan, weave: Weave) -> Piece:
    """Lay out a diagram: time 0 of the first lifeline is at the origin."""
    found = tuple(tracks(plan, weave))
    # where only the size is asked for, places are not chosen for many texts: they reach no farther than beyond the ends
    roughly = plan.rough and len(weave.part.messages) > _MANY
    wanted = [*mark_wishes(plan, weave), *wishes(plan, weave, found)]
    taken = [*_crosses(plan, weave, found), *_ends(plan, weave), *taken_by_marks(plan, weave)]
    taken += region_boxes(plan, weave)
    ways = [*(way(plan, track) for track in found), *mark_ways(plan, weave), *region_ways(plan, weave)]
    texts = NOTHING if roughly else placed(plan, weave, wanted, ways, taken)
    drawn = _Drawn(tuple(heads(plan, weave)), tuple(feet(plan, weave)), found, texts, _axis_off(plan, weave, wanted))
    links = plan.figure.links
    extents = [*_extents(plan, weave, drawn), *_axis_extents(plan, weave, drawn), *across_extents(plan, weave)]
    extents += region_extents(plan, weave)
    return Piece(
        items=() if plan.rough else tuple(_items(plan, weave, drawn)),
        extent=union([*extents, *(reaches(plan, weave, wanted) if roughly else ())], plan.values),
        axes=weave.part.direction,
        outlines=dict(_outlines(plan, weave, drawn)) if links else {},
        texts=tuple(_texts(plan, weave, drawn)) if links else (),
        sites=dict(_sites(plan, weave)) if links else {},
    )


def _items(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[Item]:
    sections: list[tuple[str, list[Item]]] = [
        ("regions", list(region_items(plan, weave, behind=True))),
        ("lifelines", [*_heads(plan, weave, drawn), *_lines(plan, weave), *bars(plan, weave)]),
        ("across the lifelines", [*region_items(plan, weave, behind=False), *across_items(plan, weave)]),
        ("messages", list(_messages(plan, weave, drawn))),
        ("events", list(mark_items(plan, weave, drawn.texts))),
        ("crashes", list(_crashes(plan, weave))),
        ("arrow of time", list(_axis(plan, weave, drawn))),
    ]
    for title, section in sections:
        if section:
            yield from (Note(title), *section)


def _time(value: float) -> str:
    return number(value, 4)


def _spot(weave: Weave, turn: Turn) -> Spot:
    return spot(weave, _time(float(turn.time)), turn.row, off=turn.off)


def _row(row: float) -> Length:
    return param("lifelinesep", row)


def _heads(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[Item]:
    level = weave.part.direction == "right"
    for row, (one, head) in enumerate(zip(weave.part.lifelines, drawn.heads, strict=True)):
        place, name = spot(weave, "0", row, along=-_LEAD), plan.name(weave.panel, one.id)
        macro = plan.labels.macro(weave.panel, life_stem(weave.part, row, weave.mark)) if one.label else ""
        side, (above, below) = "east" if level else "south", (head.above, head.below) if head.tall else (0.0, 0.0)
        yield LifelineHead(name, macro, one.color, place, side, not level, above, below)
        if one.foot:
            end, foot = spot(weave, _time(weave.end), row, along=TAIL), drawn.feet[row]
            macro = plan.labels.macro(weave.panel, foot_stem(weave.part, row, weave.mark))
            above, below = (foot.above, foot.below) if foot.tall else (0.0, 0.0)
            side = "west" if level else "north"
            yield LifelineHead(f"{name}-foot", macro, one.color, end, side, False, above, below)


def _lines(plan: Plan, weave: Weave) -> Iterator[Item]:
    """The lifelines, up to their crash or beyond the last moment."""
    start, end = ("east", weave.end) if weave.part.direction == "right" else ("south", weave.end)
    for row, one in enumerate(weave.part.lifelines):
        name = plan.name(weave.panel, one.id)
        head = Spot(name=f"{name}.{start}" if one.label else name)
        last = spot(weave, _time(end), row, along=TAIL)
        if one.crash is None:
            yield Path((f"life line={one.color}",), (head, last))
            continue
        crash = spot(weave, _time(float(one.crash / weave.unit)), row)
        yield Path((f"life line={one.color}",), (head, crash))
        back = None if one.restart is None else spot(weave, _time(float(one.restart / weave.unit)), row)
        if one.after == "dotted":
            yield Path((f"crashed line={one.color}",), (crash, back or last))
        if back is not None:
            yield Path((f"life line={one.color}",), (back, last))


def _messages(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[Item]:
    """The messages, each with its text; what is lost ends at a cross."""
    size = label_size(plan)
    small = number(size) if size != plan.size else ""
    for track in drawn.tracks:
        message = weave.part.messages[track.place]
        styles = [plan.figure.kind(message.kind).tikz_style(message.kind)]
        styles += ["reply arrow"] * message.reply + ["async arrow"] * message.asynchronous
        styles += ["lost arrow"] * track.lost + ["bent arrow"] * (len(track.turns) > 2)
        spots, text = tuple(_spot(weave, turn) for turn in track.turns), drawn.texts.get(track.name)
        if text is None:
            yield Path(tuple(styles), spots, name=track.name)
        else:
            macro = plan.labels.macro(weave.panel, message_stem(weave.part, track.place, weave.mark))
            leg, on = text.leg % (len(spots) - 1), weave.part.ticks or (message.label_at == "on" and len(spots) == 2)
            side = anchor(weave, text)
            yield Path(
                tuple(styles), spots, macro, side, pos=text.share, size=small, name=track.name, leg=leg, clear=on
            )
        if track.lost:
            yield Label((), spots[-1], styles=("cross sign",), name=f"{track.name}-lost")


def _crashes(plan: Plan, weave: Weave) -> Iterator[Item]:
    for row, one in enumerate(weave.part.lifelines):
        if one.crash is not None:
            place = spot(weave, _time(float(one.crash / weave.unit)), row)
            yield Label((), place, styles=("crash sign",), name=f"{plan.name(weave.panel, one.id)}-crash")
        if one.restart is not None:
            place = spot(weave, _time(float(one.restart / weave.unit)), row)
            sign = f"restart sign={one.color}"
            yield Label((), place, styles=(sign,), name=f"{plan.name(weave.panel, one.id)}-restart")


def _crosses(plan: Plan, weave: Weave, found: Sequence[Track]) -> Iterator[Box]:
    """The places of all crosses, in cm along time and away from the first lifeline."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    places = [(float(track.turns[-1].time), track.turns[-1].row) for track in found if track.lost]
    places += [
        (float(time / weave.unit), float(row))
        for row, one in enumerate(weave.part.lifelines)
        for time in (one.crash, one.restart)
        if time is not None
    ]
    for time, row in places:
        yield time * unit - _AWAY, row * apart - _AWAY, time * unit + _AWAY, row * apart + _AWAY


def _ends(plan: Plan, weave: Weave) -> Iterator[Box]:
    """The places of heads, and of the texts at the ends of lifelines, in cm along time and away from the first one."""
    end, apart = weave.end * plan.values["timeunit"] + TAIL, plan.values["lifelinesep"]
    level = weave.part.direction == "right"
    for row, head in enumerate(heads(plan, weave)):
        long, wide = (head.width, head.height) if level else (head.height, head.width)
        yield -_LEAD - long, row * apart - wide / 2, -_LEAD, row * apart + wide / 2
    for row, one in enumerate(weave.part.lifelines):
        if one.foot:
            long, wide = size_of(plan, weave, one.foot, plan.size)
            yield end, row * apart - wide / 2, end + long, row * apart + wide / 2


def _axis_off(plan: Plan, weave: Weave, wanted: Sequence[Wish]) -> float:
    """How far from the lifeline beside it the arrow of time lies: below the last, or left of the first one."""
    level = weave.part.direction == "right"
    row = (len(weave.part.lifelines) - 1 if level else 0) * plan.values["lifelinesep"]
    # texts at moments of that lifeline may stand between it and the arrow
    texts = (one.reach[1] for one in wanted if all(point[1] == row for point in one.course))
    ends = [] if level else [heads(plan, weave)[0].width / 2 + _LEAD]
    if not level and weave.part.lifelines[0].foot:  # the text at the arrow's end stands beside it
        ends.append((feet(plan, weave)[0].width + plan.measure(weave.part.time).width) / 2 + 2 * INNER)
    cuts = [_PAST] if weave.part.cuts or weave.part.ticks or weave.part.separators else []
    cuts += [each + _PAST for each in around(plan, weave)[level : level + 1] if each]
    return max([_AXIS, *texts, *ends, *cuts])


def _axis_place(weave: Weave, drawn: _Drawn) -> tuple[int, float]:
    """Beside which lifeline the arrow of time lies, and how far away from the first lifeline from there."""
    return (len(weave.part.lifelines) - 1, drawn.axis) if weave.part.direction == "right" else (0, -drawn.axis)


def _axis(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[Item]:
    if weave.part.time:
        row, off = _axis_place(weave, drawn)
        macro = plan.labels.macro(weave.panel, f"spacetimelabel{weave.mark}")
        ends = spot(weave, "0", row, off=off), spot(weave, _time(weave.end), row, along=_OUTRUN, off=off)
        yield Path(("time",), ends, macro, "north east" if weave.part.direction == "right" else "north")


def _axis_extents(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[Extent]:
    if not weave.part.time:
        return
    size = plan.measure(weave.part.time)
    high = size.height + size.depth + 2 * INNER
    end = param("timeunit", weave.end) + _OUTRUN
    row, off = _axis_place(weave, drawn)
    if weave.part.direction == "right":
        yield extent(weave, Length(), end + _TIP, _row(row) + off, _row(row) + (off + high))
        yield extent(weave, end - (size.width + 2 * INNER), end, _row(row) + off, _row(row) + off)
    else:
        half = size.width / 2 + INNER
        yield extent(weave, Length(), end + (high + _TIP), Length(off - half), Length(off + half))


def _extents(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[Extent]:
    """What heads, lifelines, texts and ways take."""
    last = len(weave.part.lifelines) - 1
    end = param("timeunit", weave.end) + TAIL
    yield extent(weave, Length(-_LEAD), end, Length(-_CROSS), _row(last) + _CROSS)
    for row in range(last + 1):
        yield _head_extent(weave, drawn.heads, row)
        if drawn.feet[row].width:
            yield _foot_extent(weave, drawn.feet[row], row)
    for track in drawn.tracks:
        offs = [turn.off for turn in track.turns]
        place = _row(track.turns[0].row)
        if any(offs):
            yield extent(weave, Length(), end, place + min(offs), place + max(offs))
    for _, box in _texts(plan, weave, drawn, heads=False):
        yield box


def _head_extent(weave: Weave, found: Sequence[Head], row: int) -> Extent:
    wide, high = found[row].width, found[row].height
    long, across = (wide, high / 2) if weave.part.direction == "right" else (high, wide / 2)
    return extent(weave, Length(-_LEAD - long), Length(-_LEAD), _row(row) - across, _row(row) + across)


def _foot_extent(weave: Weave, foot: Head, row: int) -> Extent:
    long, half = (foot.width, foot.height / 2) if weave.part.direction == "right" else (foot.height, foot.width / 2)
    end = param("timeunit", weave.end) + TAIL
    return extent(weave, end, end + long, _row(row) - half, _row(row) + half)


def _texts(plan: Plan, weave: Weave, drawn: _Drawn, *, heads: bool = True) -> Iterator[tuple[str, Extent]]:
    """The places of all texts, with the names of the nodes that they are in."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    for row, one in enumerate(weave.part.lifelines) if heads else ():
        yield plan.name(weave.panel, one.id), _head_extent(weave, drawn.heads, row)
    for text in drawn.texts.values():
        start, near, stop, far = text.box
        time, place = param("timeunit", (start + stop) / 2 / unit), _row((near + far) / 2 / apart)
        long, deep = (stop - start) / 2 + INNER, (far - near) / 2 + INNER
        yield "", extent(weave, time - long, time + long, place - deep, place + deep)


def _outlines(plan: Plan, weave: Weave, drawn: _Drawn) -> Iterator[tuple[str, Extent]]:
    """The places of what links can end on: heads, the middles of messages, and events."""
    for row, one in enumerate(weave.part.lifelines):
        yield plan.name(weave.panel, one.id), _head_extent(weave, drawn.heads, row)
    for track in drawn.tracks:
        middle = len(track.turns) // 2
        start, goal = track.turns[middle - 1], track.turns[middle]
        time = param("timeunit", float(start.time + goal.time) / 2)
        place = _row((start.row + goal.row) / 2) + (start.off + goal.off) / 2
        yield track.name, extent(weave, time, time, place, place)
    for event, name in zip(weave.part.events, weave.part.event_names(), strict=True):
        time, place = param("timeunit", float(event.time / weave.unit)), _row(weave.row(event.lifeline))
        yield plan.name(weave.panel, name), extent(weave, time, time, place, place)


def _sites(plan: Plan, weave: Weave) -> Iterator[tuple[str, Site]]:
    """What links can end on, by reference; of a message to several, its way to the first of them."""
    for one in weave.part.lifelines:
        yield one.id, Site(plan.name(weave.panel, one.id), turn="level")
    for message, name in zip(weave.part.messages, weave.names, strict=True):
        own = f"{name}-{message.targets[0]}" if len(message.targets) > 1 else name
        yield name, Site(plan.name(weave.panel, own), turn="point")
    for name in weave.part.event_names():
        yield name, Site(plan.name(weave.panel, name), turn="point")
