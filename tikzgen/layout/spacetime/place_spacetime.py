"""Layout of a space-time diagram. Coordinates inside its scope are (time, lifeline).

The unit vectors of the scope scale them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from tikzgen.base.plane import grow_box
from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.constants import INNER
from tikzgen.layout.page.links_across import Site
from tikzgen.layout.place_free_notes import Stood
from tikzgen.layout.scene.items import Item, with_comment
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.spacetime.cuts_and_clocks import across_parts, across_texts, across_ways
from tikzgen.layout.spacetime.facts_and_message_ways import (
    LIFELINE_TAIL_CM,
    SpacetimeFacts,
    Track,
    iterate_tracks,
    make_route_points,
    route_message,
)
from tikzgen.layout.spacetime.lifeline_marks import (
    crash_parts,
    iterate_cross_areas,
    mark_items,
    mark_ways,
    mark_wishes,
    placed_notes,
    taken_by_marks,
)
from tikzgen.layout.spacetime.lifeline_parts import (
    HEAD_GAP,
    Head,
    draw_activation_bars,
    head_parts,
    line_parts,
    placed_feet,
    placed_heads,
)
from tikzgen.layout.spacetime.regions import (
    draw_region_frames,
    measure_outer_frames,
    region_parts,
    region_texts,
    region_ways,
    size_regions,
)
from tikzgen.layout.spacetime.spacetime_texts import (
    PlacedText,
    Wish,
    iterate_reach_areas,
    message_labels,
    place_texts,
    with_text,
)
from tikzgen.layout.symbolic_lengths import ZERO, SymbolicBox, union
from tikzgen.layout.time.note_items import note_items
from tikzgen.layout.time.part_with_time import Patch
from tikzgen.layout.time.timed_items import LabelItem, PathItem

_ARROW_OVERHANG_CM = 0.5  # cm by which the time axis extends beyond the last time
_TIP_OUTLINE_CM = 0.05  # cm: additional extent of the outline of its tip
_AXIS_GAP = 0.45  # cm between the time axis and the lifeline next to it
_AXIS_GAP_PAST_CUTS_CM = 0.4  # cm, if lines extend beyond the lifelines
_MOST_THICK_MESSAGES_COUNT = 40  # messages; a larger diagram is only estimated in rough layouts


class _Drawn(Record):
    """Computed parts of a diagram: heads and feet with areas, message routes, notes, and label positions."""

    heads: tuple[tuple[Head, Patch], ...]
    feet: tuple[tuple[Head, Patch], ...]
    tracks: tuple[Track, ...]
    notes: Sequence[Stood]
    texts: Mapping[str, PlacedText]


def place_spacetime(facts: SpacetimeFacts) -> PlacedPart:
    """Lay out a diagram: time 0 of the first lifeline is at the origin."""
    plan, found, regions = facts.plan, tuple(iterate_tracks(facts)), size_regions(facts)
    ends = tuple(placed_heads(facts)), tuple(placed_feet(facts))
    ground: list[tuple[str, list[Item | SymbolicBox]]] = [
        ("regions", list(draw_region_frames(facts, regions))),
        ("lifelines", [*head_parts(facts, *ends), *line_parts(facts), *draw_activation_bars(facts)]),
        (
            "across the lifelines",
            [*region_parts(facts, regions), *across_parts(facts, measure_outer_frames(facts, regions))],
        ),
    ]
    # If only the size is needed, an upper bound of the extent of many labels suffices.
    roughly = plan.rough and len(facts.part.messages) > _MOST_THICK_MESSAGES_COUNT
    wanted = [*mark_wishes(facts), *message_labels(facts, found)]
    taken = [*iterate_cross_areas(facts, found), *(place.measure_box(plan.values) for head, place in ends[0])]
    taken += [grow_box(place.measure_box(plan.values), -INNER) for foot, place in ends[1] if foot.width]
    taken += [*taken_by_marks(facts), *(place.measure_box(plan.values) for place in region_texts(facts, regions))]
    taken += [facts.off_page(text) for text in across_texts(facts, measure_outer_frames(facts, regions))]
    ways = [*(route_message(facts, track.turns) for track in found), *mark_ways(facts), *across_ways(facts)]
    notes = placed_notes(facts, union(_select_areas(ground), plan.values), ways, taken, _select_areas(ground[:1]))
    taken += [facts.off_page(note.box) for note in notes]
    ways += [*region_ways(facts, regions), *(list(map(facts.point_off_page, note.line)) for note in notes)]
    drawn = _Drawn(*ends, found, notes, NOTHING if roughly else place_texts(facts, wanted, ways, taken))
    origins = [(note.time, facts.find_row(note.lifeline)) for note in facts.part.notes]
    off, links = _axis_off(facts, wanted, drawn, measure_outer_frames(facts, regions)), plan.figure.links
    sections: list[tuple[str, list[Item | SymbolicBox]]] = [
        *ground,
        ("messages", list(_draw_messages(facts, drawn))),
        ("events", [*mark_items(facts, drawn.texts), *_iterate_text_areas(facts, drawn)]),
        ("crashes", list(crash_parts(facts))),
        ("arrow of time", list(_draw_time_axis(facts, off))),
        ("notes", [*note_items(facts, notes, origins=origins), *(note.box for note in notes)]),
    ]
    return PlacedPart(
        items=() if plan.rough else tuple(item for title, section in sections for item in with_comment(title, section)),
        unplaced=sum(text.unclear for text in drawn.texts.values()) + sum(note.covers for note in notes),
        extent=union([*_select_areas(sections), *(iterate_reach_areas(facts, wanted) if roughly else ())], plan.values),
        axes=facts.part.direction,
        outlines=dict(_iterate_link_areas(facts, drawn)) if links else {},
        texts=(*_named_heads(facts, drawn), *(("", text) for text in _iterate_text_areas(facts, drawn)))
        if links
        else (),
        sites=dict(_iterate_sites(facts)) if links else {},
    )


def _select_areas(sections: Sequence[tuple[str, list[Item | SymbolicBox]]]) -> list[SymbolicBox]:
    return [part for _, section in sections for part in section if isinstance(part, SymbolicBox)]


def _draw_messages(facts: SpacetimeFacts, drawn: _Drawn) -> Iterator[Item | SymbolicBox]:
    """Yield the messages, each with its label; a lost message ends at a cross."""
    end = facts.place_time(facts.last) + LIFELINE_TAIL_CM
    for track in drawn.tracks:
        message, kind = facts.part.messages[track.place], facts.plan.figure.kind
        styles = [kind(message.kind).tikz_style(message.kind)]
        styles += ["reply arrow"] * message.reply + ["async arrow"] * message.asynchronous
        styles += ["lost arrow"] * track.lost + ["bent arrow"] * (len(track.turns) > 2)
        points, text = tuple(make_route_points(facts, track.turns)), drawn.texts.get(track.name)
        on = text is not None and (facts.part.ticks or text.covers or not any(text.side))
        path = PathItem(tuple(styles), points, name=track.name, clear=on)
        yield with_text(facts, path, message.label, facts.find_field_macro("messages", track.place, "label"), text)
        if track.lost:
            yield LabelItem((), points[-1], styles=("cross sign",), name=f"{track.name}-lost")
        offs, place = [turn.off for turn in track.turns], facts.place_row(track.turns[0].row)
        if any(offs):
            yield facts.make_extent(ZERO, end, place + min(offs), place + max(offs))


def _axis_off(facts: SpacetimeFacts, wanted: Sequence[Wish], drawn: _Drawn, beyond: tuple[float, float]) -> float:
    """Return the distance in cm of the time axis from its lifeline: below the last, or left of the first."""
    part = facts.part
    row = facts.measure_row(len(part.lifelines) - 1 if facts.right else 0)
    # Labels at times of that lifeline may be between it and the axis.
    texts = (one.reach[1] for one in wanted if all(point[1] == row for point in one.course))
    ends = [] if facts.right else [drawn.heads[0][0].width / 2 + HEAD_GAP]
    if not facts.right and part.lifelines[0].foot:  # the label at the axis's end is next to the foot
        ends.append((drawn.feet[0][0].width + facts.plan.measure(part.time).width) / 2 + 2 * INNER)
    cuts = [_AXIS_GAP_PAST_CUTS_CM] if part.cuts or part.ticks or part.separators else []
    cuts += [each + _AXIS_GAP_PAST_CUTS_CM for each in beyond[facts.right : facts.right + 1] if each]
    for _, near, _, far in map(facts.off_page, (note.box for note in drawn.notes)):
        cuts.append((far - row if facts.right else -near) + _AXIS_GAP_PAST_CUTS_CM)
    return max([_AXIS_GAP, *texts, *ends, *cuts])


def _draw_time_axis(facts: SpacetimeFacts, off: float) -> Iterator[Item | SymbolicBox]:
    """Yield the time axis, `off` cm from the lifeline next to it, and the area of the axis and its label."""
    if not facts.part.time:
        return
    row, off = (len(facts.part.lifelines) - 1, off) if facts.right else (0, -off)
    line = (
        facts.make_point(Fraction(0), row, off=off),
        facts.make_point(facts.last, row, along=_ARROW_OVERHANG_CM, off=off),
    )
    yield PathItem(("time",), line, facts.find_field_macro("time"), "north east" if facts.right else "north")
    size = facts.plan.measure(facts.part.time)
    high = size.total + 2 * INNER
    end, place = facts.place_time(facts.last) + _ARROW_OVERHANG_CM, facts.place_row(row) + off
    if facts.right:
        yield facts.make_extent(ZERO, end + _TIP_OUTLINE_CM, place, place + high)
        yield facts.make_extent(end - (size.width + 2 * INNER), end, place, place)
    else:
        half = size.width / 2 + INNER
        yield facts.make_extent(ZERO, end + (high + _TIP_OUTLINE_CM), place - half, place + half)


def _iterate_text_areas(facts: SpacetimeFacts, drawn: _Drawn) -> Iterator[SymbolicBox]:
    """Yield the areas of the labels of messages and marks."""
    yield from (facts.make_padded_extent(text.box, INNER) for text in drawn.texts.values())


def _named_heads(facts: SpacetimeFacts, drawn: _Drawn) -> Iterator[tuple[str, SymbolicBox]]:
    for one, (_, place) in zip(facts.part.lifelines, drawn.heads, strict=True):
        yield facts.name(one.id), facts.patch(place)


def _iterate_link_areas(facts: SpacetimeFacts, drawn: _Drawn) -> Iterator[tuple[str, SymbolicBox]]:
    """Yield the areas of possible ends of links: heads, the middles of messages, and events."""
    yield from _named_heads(facts, drawn)
    for track in drawn.tracks:
        middle = len(track.turns) // 2
        start, goal = track.turns[middle - 1], track.turns[middle]
        time = facts.place_time((start.time + goal.time) / 2)
        place = facts.place_row((start.row + goal.row) / 2) + (start.off + goal.off) / 2
        yield track.name, facts.make_extent(time, time, place, place)
    for event, name in zip(facts.part.events, facts.part.event_names(), strict=True):
        time, place = facts.place_time(event.time), facts.place_row(facts.find_row(event.lifeline))
        yield facts.name(name), facts.make_extent(time, time, place, place)


def _iterate_sites(facts: SpacetimeFacts) -> Iterator[tuple[str, Site]]:
    """Yield the possible ends of links, by reference; for a multicast, the route to its first target."""
    for one in facts.part.lifelines:
        yield one.id, Site(facts.name(one.id), turn="level")
    for message, name in zip(facts.part.messages, facts.names, strict=True):
        own = f"{name}-{message.targets[0]}" if len(message.targets) > 1 else name
        yield name, Site(facts.name(own), turn="point")
    for name in facts.part.event_names():
        yield name, Site(facts.name(name), turn="point")
