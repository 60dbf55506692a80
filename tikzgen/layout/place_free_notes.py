"""Placement of free notes: in blank space next to their subject, or outside with a leader line.

`place_free_notes` places all notes of a part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import dist
from typing import Literal, NoReturn

from tikzgen.base.errors import Problem, SpecError, quote
from tikzgen.base.plane import (
    Point,
    grow_box,
    has_overlap,
    is_segment_across_box,
    is_within,
    lines_cross,
    measure_distance_to_lines,
)
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER, PAD, SIGN
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_box_around, union
from tikzgen.model.content import Content, FreeNote
from tikzgen.model.looks import width_in_cm

_NOTE_WIDTH_CM = 4.5  # cm: longest line; a note above or below the whole figure may be wider
_SHARE = 0.35  # share of the figure's width that a line may take
_WIDTH_RATIOS = (1.0, 0.6, 0.35)  # times the line width, tried in this order
_GAP = 0.1  # cm between a note and its subject
_BOXED_NOTE_GAP = 0.2  # cm between a boxed note and its subject
_LEADER_NOTE_GAP = 0.35  # cm between a note with a leader line and its subject
_LEADER_CLEARANCE_CM = 0.05  # cm around a leader line
_LEAST_ANGLE_SINE_RATIO = 0.35  # sine of the smallest angle between crossing lines: flatter ones seem to merge
_SIDE_SHARES = (0.5, 0.3, 0.7, 0.12, 0.88)  # share of a side
"""Positions on a side of a note's subject where the leader line can start, as shares of the side from its beginning."""
_OFFSETS = tuple((x, y) for y in (0.0, 0.08, -0.08, 0.16, -0.16) for x in (0.0, 0.08, -0.08, 0.16, -0.16))
"""Offsets from the middle for notes in the middle of their subject, as shares of its width and height."""
_SHIFTS_CM = (0.9, -0.9, 1.8, -1.8)  # cm: shift of a note along a side, from the start of its leader line
_OUTSIDE_COST = 1.0  # cm: cost of a note outside the figure, and of a flow that a leader line crosses
_CROSSED_FLOW_COST = 3.0
_LED_COST = 0.4  # cm: cost of a leader line
_GROWTH_COST = 0.2  # cost of each cm that the figure grows; the second for width, if a width is stated
_WIDTH_GROWTH_COST = 2.0
Side = Literal["above", "below", "left", "right"]
_SIDES: tuple[Side, ...] = ("right", "left", "below", "above")
_LEVEL_SIDES: tuple[Side, ...] = ("left", "right")
_UPRIGHT_SIDES: tuple[Side, ...] = ("above", "below")
_CORNER_SHARES = ((1.0, 0.0, 0.5, 0.75, 0.25), (0.5, 1.0, 0.0))  # share of a side
"""Positions of a note's number on these sides: for usual subjects, and for narrow ones."""
_OPPOSITE_SIDES: Mapping[Side, Side] = {"right": "left", "left": "right", "below": "above", "above": "below"}


class Taken(Record):
    """Occupied areas of a part: nodes and labels, the borders of groups, and the routes of flows.

    `about` maps each subject of a note to its boxes, to any of which a leader line may lead. Key `""` is the whole
    part, if its middle differs from the middle of its extent. A note must be clear at each multiple of the parameter
    values in `times`, because a user may change the parameters.
    """

    solids: tuple[SymbolicBox, ...]
    frames: tuple[SymbolicBox, ...]
    courses: tuple[tuple[Pair, ...], ...]
    about: Mapping[str, tuple[SymbolicBox, ...]]
    times: tuple[float, ...]
    clear: float = 0.06  # cm around a note
    soft: tuple[SymbolicBox, ...] = ()  # areas that lines may cross, but notes may not overlap


class _Spot(Record):
    """A possible place of a note, its leader line to its subject, and its cost in cm."""

    box: SymbolicBox
    about: SymbolicBox
    line: tuple[Pair, ...] = ()
    cost: float = 0.0


class Stood(Record):
    """A placed note: its box, the width at which it wraps (0 if it does not), and its leader line.

    `covers` is true if the note overlaps something because no place is free. A note may instead be a footnote below
    the figure with a number that is also at its subject; `numbered` holds both places of that number.
    """

    note: FreeNote
    box: SymbolicBox
    wrap: float
    line: tuple[Pair, ...] = ()
    covers: bool = False
    numbered: tuple[Pair, ...] = ()

    @property
    def at(self) -> Pair:
        return self.box.middle


def place_free_notes(
    plan: LayoutAttempt,
    part: Content,
    notes: Sequence[FreeNote],
    extent: SymbolicBox,
    taken: Taken,
    *,
    must: bool = True,
    by_number: bool = False,
) -> tuple[list[Stood], SymbolicBox]:
    """Return the placed notes of a part, clear of each other and of occupied areas, and the new extent.

    With `by_number`, a note without a free place may become a numbered footnote. Otherwise raise `SpecError` if
    `must`, else use the first place that was tried.
    """
    found: dict[int, Stood] = {}
    paper, whole = _Paper(plan, taken), extent
    footnotes: list[int] = []  # below all other notes, and therefore placed last
    for index, note in enumerate(notes):
        about = taken.about.get(note.about or "", (extent,))
        best: list[tuple[float, _Spot]] = []  # of each width, if all space were free
        covers = False
        for share in _WIDTH_RATIOS:
            size, wrap = _size_note(plan, note, _limit_note_width(plan, note, extent) * share)
            tries = [
                _cost_of_growth(plan, spot, whole)
                for one in about
                for spot in _iterate_note_spots(plan, note, size, one, (extent, whole))
            ]
            best.append((wrap, tries[0]))
            if spot := paper.first_free(tries):
                break
        else:
            if by_number and note.about and note.side == "auto" and not note.leader:
                footnotes.append(index)
                continue
            if must and not plan.rough:  # another size of the figure may have space
                _refuse(plan, part, note, index)
            (wrap, spot), covers = best[0], True
        found[index] = Stood(note, spot.box, wrap, spot.line, covers)
        paper.add(spot)
        whole = union([whole, spot.box], plan.values)
    for index in footnotes:
        note = notes[index]
        (spoken_of, *_) = taken.about.get(note.about or "", (extent,))
        sign = _place_of_number(spoken_of, paper)
        if sign is None and not plan.rough:
            _refuse(plan, part, note, index)
        found[index] = _place_footnote(plan, note, sign or spoken_of, taken, whole)
        paper.add(_Spot(sign or spoken_of, spoken_of))
        whole = union([whole, found[index].box, make_box_around(found[index].numbered[1], SIGN / 2)], plan.values)
    return [found[index] for index in sorted(found)], whole


def _place_of_number(about: SymbolicBox, paper: _Paper) -> SymbolicBox | None:
    """Return the place of a note's number: a corner of its subject, or the middle of a narrow subject.

    Return None if no place is free.
    """
    narrow = min(about.measure_width(paper.values[0]), about.measure_height(paper.values[0])) < SIGN
    edges = [about, about.grow_by(SIGN / 2)] if narrow else [about.grow_by(-SIGN / 2 - _LEADER_CLEARANCE_CM)]
    places = [
        _find_side_point(edge, side, share)
        for edge in edges
        for share in _CORNER_SHARES[narrow]
        for side in _UPRIGHT_SIDES
    ]
    return paper.find_clearest_box([make_box_around(at, SIGN / 2, SIGN / 2) for at in (*places, about.middle)])


def _place_footnote(plan: LayoutAttempt, note: FreeNote, sign: SymbolicBox, taken: Taken, whole: SymbolicBox) -> Stood:
    """Return the note as a footnote below the figure, after its number."""
    (lanes,) = taken.about[""]
    (wide, tall), wrap = _size_note(
        plan, note, whole.right.compute_cm(plan.values) - lanes.left.compute_cm(plan.values) - SIGN
    )
    middle = whole.bottom - _GAP - max(tall, SIGN) / 2
    box = make_box_around((lanes.left + SIGN + wide / 2, middle), wide / 2, tall / 2)
    return Stood(note, box, wrap, numbered=(sign.middle, (lanes.left + SIGN / 2, middle)))


def _cost_of_growth(plan: LayoutAttempt, spot: _Spot, whole: SymbolicBox) -> _Spot:
    """Return the place with the cost of the figure's growth; width costs more if a width is stated."""
    left, bottom, right, top = whole.measure_box(plan.values)
    low, deep, high, far = spot.box.measure_box(plan.values)
    across, up = max(left - low, 0.0) + max(high - right, 0.0), max(bottom - deep, 0.0) + max(far - top, 0.0)
    return replace(
        spot,
        cost=spot.cost
        + _GROWTH_COST * up
        + (_GROWTH_COST if plan.figure.width is None else _WIDTH_GROWTH_COST) * across,
    )


def _limit_note_width(plan: LayoutAttempt, note: FreeNote, extent: SymbolicBox) -> float:
    """Return the maximum length of a line of a note, in cm."""
    figure = plan.figure
    found = _NOTE_WIDTH_CM if figure.width is None else min(_NOTE_WIDTH_CM, _SHARE * width_in_cm(figure.width))
    beside = note.about is not None or note.side in ("left", "right", "center")
    return found if beside else max(found, extent.measure_width(plan.values))


def _size_note(plan: LayoutAttempt, note: FreeNote, widest: float) -> tuple[tuple[float, float], float]:
    """Return the size of a note, and the width at which it wraps, in cm."""
    pad = PAD if note.boxed else INNER
    size, wrap = in_lines(plan, note.text, widest)
    return (size.width + 2 * pad, size.total + 2 * pad), wrap


def _refuse(plan: LayoutAttempt, part: Content, note: FreeNote, index: int) -> NoReturn:
    where = "beside what it is about, and no way to it from outside"
    hint = "use a shorter text, or fewer labels there"
    if note.side == "center":
        where, hint = "in the middle", "name a side, or use a shorter text"
    elif note.side != "auto" or note.leader:
        hint = "use side: auto, or leader: false"
    panel, content = next((panel, place) for panel, place, one in plan.figure.parts(Content) if one is part)
    path = f"panels[{panel}].content[{content}].notes[{index}].side"
    raise SpecError([Problem(f"no blank space for {quote(note.text)} {where}", path, hint=hint)])


def _iterate_note_spots(
    plan: LayoutAttempt, note: FreeNote, size: tuple[float, float], about: SymbolicBox, edges: Sequence[SymbolicBox]
) -> Iterator[_Spot]:
    """Yield all possible places of a note, free or not; outside places are next to one of the `edges`."""
    if note.side == "center":
        across, up = about.measure_width(plan.values), about.measure_height(plan.values)
        (x, y), (wide, tall) = about.middle, size
        for dx, dy in _OFFSETS:
            yield _Spot(
                make_box_around((x + dx * across, y + dy * up), wide / 2, tall / 2), about, (), abs(dx) + abs(dy)
            )
        return
    gap = _BOXED_NOTE_GAP if note.boxed else _GAP
    sides = _SIDES if note.side == "auto" else (note.side,)
    if note.about is None:
        side: Side = "below" if note.side == "auto" else note.side
        for (place, edge), share in product(enumerate(edges), (0.5, 1.0, 0.0)):
            yield _Spot(_area_beside(edge, side, size, gap, share), about, (), place + abs(share - 0.5))
        return
    for place, side in enumerate(sides):
        for share in () if note.leader else (0.5, 1.0, 0.0):
            box = _area_beside(about, side, size, gap, share)
            yield _Spot(box, about, (), 0.1 * place + 0.05 * (share != 0.5))
        for share in _SIDE_SHARES if note.leader else ():
            start = _find_side_point(about, side, share)
            box = _area_beside(make_box_around(start), side, size, _LEADER_NOTE_GAP, 0.5)
            yield _Spot(
                box,
                about,
                (start, _find_side_point(box, _OPPOSITE_SIDES[side], 0.5)),
                0.1 * place + 0.2 * abs(share - 0.5),
            )
        for aside in () if note.leader is False else _SHIFTS_CM:
            start = _find_side_point(about, side, 0.5)
            box = _area_beside(
                make_box_around(_shift_along_side(start, side, aside)), side, size, _LEADER_NOTE_GAP, 0.5
            )
            near = min(max(0.5 - aside / size[side in _LEVEL_SIDES], 0.1), 0.9)
            line = (start, _find_side_point(box, _OPPOSITE_SIDES[side], near))
            yield _Spot(box, about, line, _LED_COST + 0.1 * place + 0.2 * abs(aside))
        leaves = [*((share, 0.0) for share in _SIDE_SHARES), *((0.5, aside) for aside in _SHIFTS_CM)]
        for (share, aside), edge in product(leaves, edges):
            start, out = _find_side_point(about, side, share), _find_side_point(edge, side, 0.5)
            foot = _shift_along_side((out[0], start[1]) if side in _LEVEL_SIDES else (start[0], out[1]), side, aside)
            box = _area_beside(make_box_around(foot), side, size, _LEADER_NOTE_GAP, 0.5)
            goal = _find_side_point(box, _OPPOSITE_SIDES[side], 0.5)
            far = sum(abs((one - other).compute_cm(plan.values)) for one, other in zip(start, goal, strict=True))
            way = () if note.leader is False else (start, goal)
            yield _Spot(box, about, way, _OUTSIDE_COST + 0.1 * place + far + 0.2 * abs(share - 0.5) + 0.2 * abs(aside))


def _shift_along_side(at: Pair, side: Side, by: float) -> Pair:
    """Shift a point along a side."""
    return (at[0], at[1] + by) if side in _LEVEL_SIDES else (at[0] + by, at[1])


def _find_side_point(box: SymbolicBox, side: Side, share: float) -> Pair:
    """Return the point at a share of the length of a side."""
    x, y = _interpolate_lengths(box.left, box.right, share), _interpolate_lengths(box.bottom, box.top, share)
    return {"left": (box.left, y), "right": (box.right, y), "above": (x, box.top), "below": (x, box.bottom)}[side]


def _interpolate_lengths(low: Length, high: Length, share: float) -> Length:
    return low * (1 - share) + high * share


def _area_beside(about: SymbolicBox, side: Side, size: tuple[float, float], gap: float, share: float) -> SymbolicBox:
    """Return the area of a note next to its subject: aligned with the middle or one end of its side."""
    wide, tall = size
    x = _interpolate_lengths(about.left + wide / 2, about.right - wide / 2, share)
    y = _interpolate_lengths(about.bottom + tall / 2, about.top - tall / 2, share)
    places: dict[Side, Pair] = {
        "left": (about.left - gap - wide / 2, y),
        "right": (about.right + gap + wide / 2, y),
        "above": (x, about.top + gap + tall / 2),
        "below": (x, about.bottom - gap - tall / 2),
    }
    return make_box_around(places[side], wide / 2, tall / 2)


class _Paper:
    """Occupied areas in cm, for each multiple of the parameter values."""

    def __init__(self, plan: LayoutAttempt, taken: Taken) -> None:
        self.clear = taken.clear
        self.values = [{name: value * by for name, value in plan.values.items()} for by in taken.times]
        self.solids = [[one.measure_box(values) for one in taken.solids] for values in self.values]
        self.soft = [[one.measure_box(values) for one in taken.soft] for values in self.values]
        self.frames = [[one.measure_box(values) for one in taken.frames] for values in self.values]
        self.legs = [
            [
                leg
                for way in taken.courses
                for leg in pairwise([(x.compute_cm(values), y.compute_cm(values)) for x, y in way])
            ]
            for values in self.values
        ]

    def add(self, spot: _Spot) -> None:
        """Mark the area of a note and its leader line as occupied."""
        for values, solids, legs in zip(self.values, self.solids, self.legs, strict=True):
            solids.append(spot.box.measure_box(values))
            legs.extend(pairwise([(x.compute_cm(values), y.compute_cm(values)) for x, y in spot.line]))

    def first_free(self, spots: Sequence[_Spot]) -> _Spot | None:
        """Return the cheapest free place, or None. Each flow that its leader line crosses adds a cost."""
        best: tuple[float, _Spot] | None = None
        for spot in sorted(spots, key=lambda one: one.cost):
            if best is not None and best[0] <= spot.cost:
                break
            if self._is_free(spot.box) and (crossed := self._count_crossed_flows(spot)) is not None:
                cost = spot.cost + _CROSSED_FLOW_COST * crossed
                best = (cost, spot) if best is None or cost < best[0] else best
        return best[1] if best else None

    def find_clearest_box(self, boxes: Sequence[SymbolicBox]) -> SymbolicBox | None:
        """Return the box that overlaps no solid and meets the fewest lines; None if every box overlaps one."""
        values, solids, legs = self.values[0], self.solids[0], self.legs[0]
        places = {box: box.measure_box(values) for box in boxes}
        free = [box for box, own in places.items() if not any(has_overlap(own, solid) for solid in solids)]
        return min(free, key=lambda box: sum(is_segment_across_box(*leg, places[box]) for leg in legs), default=None)

    def _is_free(self, box: SymbolicBox) -> bool:
        """Return whether a note is clear at each multiple: it meets no solid or line, and no group border."""
        places = zip(self.values, self.solids, self.soft, self.frames, self.legs, strict=True)
        for values, solids, soft, frames, legs in places:
            own = box.grow_by(self.clear).measure_box(values)
            if any(has_overlap(own, solid) for solid in (*solids, *soft)) or any(
                is_segment_across_box(*leg, own) for leg in legs
            ):
                return False
            if any(has_overlap(own, frame) and not is_within(own, frame) for frame in frames):
                return False
        return True

    def _count_crossed_flows(self, spot: _Spot) -> int | None:
        """Count the flows that a leader line crosses; None if the line is not allowed.

        A line must not cross a node or a label, or run along a flow.
        """
        most = 0
        for values, solids, legs in zip(self.values, self.solids, self.legs, strict=True):
            if not spot.line:
                break
            start, goal = ((x.compute_cm(values), y.compute_cm(values)) for x, y in spot.line)
            own = grow_box(spot.about.measure_box(values), _LEADER_CLEARANCE_CM)
            if any(
                is_segment_across_box(start, goal, solid, _LEADER_CLEARANCE_CM) and not is_within(solid, own)
                for solid in solids
            ):
                return None
            crossed = [leg for leg in legs if _has_contact(leg, (start, goal))]
            if any(_is_flat(leg, (start, goal)) for leg in crossed):
                return None
            most = max(most, len(crossed))
        return most


def _has_contact(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Return whether two lines cross, or one ends on the other."""
    return lines_cross(*one, *other) or any(
        measure_distance_to_lines(end, (line,)) < _LEADER_CLEARANCE_CM
        for ends, line in ((one, other), (other, one))
        for end in ends
    )


def _is_flat(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Return whether two lines meet at a flat angle."""
    ((x0, y0), (x1, y1)), ((x2, y2), (x3, y3)) = one, other
    sine = abs((x1 - x0) * (y3 - y2) - (y1 - y0) * (x3 - x2))
    return sine < _LEAST_ANGLE_SINE_RATIO * dist(*one) * dist(*other)
