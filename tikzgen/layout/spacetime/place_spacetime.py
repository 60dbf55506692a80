"""A space-time diagram on paper. Coordinates inside its scope are (time, lifeline): the scope's unit vectors do the
rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.constants import INNER
from tikzgen.layout.items import Item, titled
from tikzgen.layout.lengths import ZERO, Extent, param, union
from tikzgen.layout.links_across import Site
from tikzgen.layout.scene import Piece
from tikzgen.layout.spacetime.cuts_and_clocks import across_parts, across_ways
from tikzgen.layout.spacetime.lifeline_marks import mark_items, mark_ways, mark_wishes, taken_by_marks
from tikzgen.layout.spacetime.lifeline_parts import (
    LEAD,
    Head,
    bars,
    crash_parts,
    crosses,
    head_parts,
    line_parts,
    placed_feet,
    placed_heads,
)
from tikzgen.layout.spacetime.regions import areas, around, frames, region_parts, region_texts, region_ways
from tikzgen.layout.spacetime.spacetime_facts import TAIL, Track, Weave, spots, tracks, way
from tikzgen.layout.spacetime.spacetime_texts import Wish, placed, reaches, wishes, with_text
from tikzgen.layout.timeline.arrow_labels import Standing
from tikzgen.layout.timeline.directions import Patch, extent
from tikzgen.layout.timeline.timeline_items import Label, Path
from tikzgen.plane.rectangles import grown

_OUTRUN = 0.5  # cm by which the arrow of time does
_TIP = 0.05  # cm: what the outline of its tip may take besides
_AXIS = 0.45  # cm between the arrow of time and the lifeline beside it
_PAST = 0.4  # cm, where lines go beyond the lifelines
_MANY = 40  # messages


class _Drawn(Record):
    """What the diagram consists of, before it is spelt: heads and feet with their places, messages, places of texts."""

    heads: tuple[tuple[Head, Patch], ...]
    feet: tuple[tuple[Head, Patch], ...]
    tracks: tuple[Track, ...]
    texts: Mapping[str, Standing]


def spacetime(weave: Weave) -> Piece:
    """Lay out a diagram: time 0 of the first lifeline is at the origin."""
    plan, found, regions = weave.plan, tuple(tracks(weave)), areas(weave)
    ends = tuple(placed_heads(weave)), tuple(placed_feet(weave))
    # where only the size is asked for, places are not chosen for many texts: they reach no farther than beyond the ends
    roughly = plan.rough and len(weave.part.messages) > _MANY
    wanted = [*mark_wishes(weave), *wishes(weave, found)]
    taken = [*crosses(weave, found), *(place.box(plan.values) for head, place in ends[0])]
    taken += [grown(place.box(plan.values), -INNER) for foot, place in ends[1] if foot.width]
    taken += [*taken_by_marks(weave), *(place.box(plan.values) for place in region_texts(weave, regions))]
    ways = [*(way(weave, track.turns) for track in found), *mark_ways(weave), *across_ways(weave)]
    ways += region_ways(weave, regions)
    drawn = _Drawn(*ends, found, NOTHING if roughly else placed(weave, wanted, ways, taken))
    off, links = _axis_off(weave, wanted, drawn, around(weave, regions)), plan.figure.links
    sections: list[tuple[str, list[Item | Extent]]] = [
        ("regions", list(frames(weave, regions))),
        ("lifelines", [*head_parts(weave, *ends), *line_parts(weave), *bars(weave)]),
        ("across the lifelines", [*region_parts(weave, regions), *across_parts(weave, around(weave, regions))]),
        ("messages", list(_messages(weave, drawn))),
        ("events", [*mark_items(weave, drawn.texts), *_texts(weave, drawn)]),
        ("crashes", list(crash_parts(weave))),
        ("arrow of time", list(_axis(weave, off))),
    ]
    extents = [part for _, section in sections for part in section if isinstance(part, Extent)]
    return Piece(
        items=() if plan.rough else tuple(item for title, section in sections for item in titled(title, section)),
        extent=union([*extents, *(reaches(weave, wanted) if roughly else ())], plan.values),
        axes=weave.part.direction,
        outlines=dict(_outlines(weave, drawn)) if links else {},
        texts=(*_named_heads(weave, drawn), *(("", text) for text in _texts(weave, drawn))) if links else (),
        sites=dict(_sites(weave)) if links else {},
    )


def _messages(weave: Weave, drawn: _Drawn) -> Iterator[Item | Extent]:
    """The messages, each with its text; what is lost ends at a cross."""
    end = weave.moment(weave.last) + TAIL
    for track in drawn.tracks:
        message, kind = weave.part.messages[track.place], weave.plan.figure.kind
        styles = [kind(message.kind).tikz_style(message.kind)]
        styles += ["reply arrow"] * message.reply + ["async arrow"] * message.asynchronous
        styles += ["lost arrow"] * track.lost + ["bent arrow"] * (len(track.turns) > 2)
        points, text = tuple(spots(weave, track.turns)), drawn.texts.get(track.name)
        on = text is not None and (weave.part.ticks or (message.label_at == "on" and len(points) == 2))
        path = Path(tuple(styles), points, name=track.name, clear=on)
        yield with_text(weave, path, weave.macro("messages", track.place, "label"), text)
        if track.lost:
            yield Label((), points[-1], styles=("cross sign",), name=f"{track.name}-lost")
        offs, place = [turn.off for turn in track.turns], weave.line(track.turns[0].row)
        if any(offs):
            yield extent(weave, ZERO, end, place + min(offs), place + max(offs))


def _axis_off(weave: Weave, wanted: Sequence[Wish], drawn: _Drawn, beyond: tuple[float, float]) -> float:
    """How far from the lifeline beside it the arrow of time lies: below the last, or left of the first one."""
    part = weave.part
    row = weave.across(len(part.lifelines) - 1 if weave.right else 0)
    # texts at moments of that lifeline may stand between it and the arrow
    texts = (one.reach[1] for one in wanted if all(point[1] == row for point in one.course))
    ends = [] if weave.right else [drawn.heads[0][0].width / 2 + LEAD]
    if not weave.right and part.lifelines[0].foot:  # the text at the arrow's end stands beside it
        ends.append((drawn.feet[0][0].width + weave.plan.measure(part.time).width) / 2 + 2 * INNER)
    cuts = [_PAST] if part.cuts or part.ticks or part.separators else []
    cuts += [each + _PAST for each in beyond[weave.right : weave.right + 1] if each]
    return max([_AXIS, *texts, *ends, *cuts])


def _axis(weave: Weave, off: float) -> Iterator[Item | Extent]:
    """The arrow of time, so far from the lifeline beside it, and the paper that it takes with its text."""
    if not weave.part.time:
        return
    row, off = (len(weave.part.lifelines) - 1, off) if weave.right else (0, -off)
    line = weave.spot(Fraction(0), row, off=off), weave.spot(weave.last, row, along=_OUTRUN, off=off)
    yield Path(("time",), line, weave.macro("time"), "north east" if weave.right else "north")
    size = weave.plan.measure(weave.part.time)
    high = size.height + size.depth + 2 * INNER
    end, place = weave.moment(weave.last) + _OUTRUN, weave.line(row) + off
    if weave.right:
        yield extent(weave, ZERO, end + _TIP, place, place + high)
        yield extent(weave, end - (size.width + 2 * INNER), end, place, place)
    else:
        half = size.width / 2 + INNER
        yield extent(weave, ZERO, end + (high + _TIP), place - half, place + half)


def _texts(weave: Weave, drawn: _Drawn) -> Iterator[Extent]:
    """The places of the texts of messages and marks."""
    unit, apart = weave.plan.values["timeunit"], weave.plan.values["lifelinesep"]
    for text in drawn.texts.values():
        start, near, stop, far = text.box
        time, place = param("timeunit", (start + stop) / 2 / unit), weave.line((near + far) / 2 / apart)
        long, deep = (stop - start) / 2 + INNER, (far - near) / 2 + INNER
        yield extent(weave, time - long, time + long, place - deep, place + deep)


def _named_heads(weave: Weave, drawn: _Drawn) -> Iterator[tuple[str, Extent]]:
    for one, (_, place) in zip(weave.part.lifelines, drawn.heads, strict=True):
        yield weave.name(one.id), place.on(weave)


def _outlines(weave: Weave, drawn: _Drawn) -> Iterator[tuple[str, Extent]]:
    """The places of what links can end on: heads, the middles of messages, and events."""
    yield from _named_heads(weave, drawn)
    for track in drawn.tracks:
        middle = len(track.turns) // 2
        start, goal = track.turns[middle - 1], track.turns[middle]
        time = weave.moment((start.time + goal.time) / 2)
        place = weave.line((start.row + goal.row) / 2) + (start.off + goal.off) / 2
        yield track.name, extent(weave, time, time, place, place)
    for event, name in zip(weave.part.events, weave.part.event_names(), strict=True):
        time, place = weave.moment(event.time), weave.line(weave.row(event.lifeline))
        yield weave.name(name), extent(weave, time, time, place, place)


def _sites(weave: Weave) -> Iterator[tuple[str, Site]]:
    """What links can end on, by reference; of a message to several, its way to the first of them."""
    for one in weave.part.lifelines:
        yield one.id, Site(weave.name(one.id), turn="level")
    for message, name in zip(weave.part.messages, weave.names, strict=True):
        own = f"{name}-{message.targets[0]}" if len(message.targets) > 1 else name
        yield name, Site(weave.name(own), turn="point")
    for name in weave.part.event_names():
        yield name, Site(weave.name(name), turn="point")
