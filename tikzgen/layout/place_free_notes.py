"""Free notes: on paper that nothing takes beside what they are about, or outside of all with a line to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import dist
from typing import Literal, NoReturn

from tikzgen.base.errors import Problem, SpecError, quote
from tikzgen.base.plane import Point, distance, grow_box, is_within, lines_cross, meets, overlap
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER, PAD, SIGN
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, around, union
from tikzgen.model.content import Content, FreeNote
from tikzgen.model.looks import width_in_cm

_NOTE_WIDTH_CM = 4.5  # cm of a line of text, and at most of the figure's width; more above or below it all
_SHARE = 0.35  # cm
_WIDTH_RATIOS = (1.0, 0.6, 0.35)  # times so wide is tried
_GAP = 0.1  # cm between a note, or its box, and what it is about,
_BOXED_NOTE_GAP = 0.2  # cm
_LEADER_NOTE_GAP = 0.35  # cm, where a line joins them
_LEADER_CLEARANCE_CM = 0.05  # cm around its line
_LEAST_ANGLE_SINE_RATIO = 0.35  # of a right angle's sine: a line that meets another so flat seems to be one with it
_SIDE_SHARES = (0.5, 0.3, 0.7, 0.12, 0.88)  # share of a side
"""Where a line may leave the side of what a note is about, from its beginning."""
_OFFSETS = tuple((x, y) for y in (0.0, 0.08, -0.08, 0.16, -0.16) for x in (0.0, 0.08, -0.08, 0.16, -0.16))
"""How far from the middle a note may stand that is to stand there, as shares of the width and the height."""
_SHIFTS_CM = (0.9, -0.9, 1.8, -1.8)  # cm that a note may stand aside of where its line leaves
_OUTSIDE_COST = 1.0  # what it costs to stand outside of all, and to cross a flow with a line, in cm
_CROSSED_FLOW_COST = 3.0
_LED_COST = 0.4  # what it costs that it takes a line
_GROWTH_COST = 0.2  # what it costs that the figure grows by a cm, and where its width was asked for
_WIDTH_GROWTH_COST = 2.0
Side = Literal["above", "below", "left", "right"]
_SIDES: tuple[Side, ...] = ("right", "left", "below", "above")
_LEVEL_SIDES: tuple[Side, ...] = ("left", "right")
_UPRIGHT_SIDES: tuple[Side, ...] = ("above", "below")
_CORNER_SHARES = ((1.0, 0.0, 0.5, 0.75, 0.25), (0.5, 1.0, 0.0))  # share of a side
"""Where on these sides the number of a note may stand, and where on those of what is narrower."""
_OPPOSITE_SIDES: Mapping[Side, Side] = {"right": "left", "left": "right", "below": "above", "above": "below"}


class Taken(Record):
    """What is on the paper: entities and texts, the borders of frames, and the courses of flows.

    `about` are the places of what notes can be about, of each where a line may lead; "" is the whole, where its middle
    is not that of its room. A note is clear of it all at so
    many times the distances, where this is known: a person may set them so.
    """

    solids: tuple[SymbolicBox, ...]
    frames: tuple[SymbolicBox, ...]
    courses: tuple[tuple[Pair, ...], ...]
    about: Mapping[str, tuple[SymbolicBox, ...]]
    times: tuple[float, ...]
    clear: float = 0.06  # cm around a note
    soft: tuple[SymbolicBox, ...] = ()  # what lines may cross, and no note lies on


class _Spot(Record):
    """A place for a note, with a line to what it is about, and how far from ideal that is."""

    box: SymbolicBox
    about: SymbolicBox
    line: tuple[Pair, ...] = ()
    cost: float = 0.0


class Stood(Record):
    """A note where it stands: its box, the width that it is broken to (0 where it is not), and its line.

    It `covers` something where no paper was free for it. Where that must not be, it stands below all behind a number,
    which is also at what it is about: the `numbered` are both places.
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


def stand(
    plan: LayoutAttempt,
    part: Content,
    notes: Sequence[FreeNote],
    extent: SymbolicBox,
    taken: Taken,
    *,
    must: bool = True,
    by_number: bool = False,
) -> tuple[list[Stood], SymbolicBox]:
    """The `notes` of a part that takes this room, clear of each other and of all else; and the room with them.

    They `must` be, or the figure is refused, but for what may be led to `by_number`; else the first place will do.
    """
    found: dict[int, Stood] = {}
    paper, whole = _Paper(plan, taken), extent
    footnotes: list[int] = []  # below all, and so after the others
    for index, note in enumerate(notes):
        about = taken.about.get(note.about or "", (extent,))
        best: list[tuple[float, _Spot]] = []  # of each width, were all paper free
        covers = False
        for share in _WIDTH_RATIOS:
            size, wrap = _size_note(plan, note, _widest(plan, note, extent) * share)
            tries = [
                _cost_of_growth(plan, spot, whole)
                for one in about
                for spot in _spots(plan, note, size, one, (extent, whole))
            ]
            best.append((wrap, tries[0]))
            if spot := paper.first_free(tries):
                break
        else:
            if by_number and note.about and note.side == "auto" and not note.leader:
                footnotes.append(index)
                continue
            if must and not plan.rough:  # another size of the figure may have room
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
        found[index] = _footnote(plan, note, sign or spoken_of, taken, whole)
        paper.add(_Spot(sign or spoken_of, spoken_of))
        whole = union([whole, found[index].box, around(found[index].numbered[1], SIGN / 2)], plan.values)
    return [found[index] for index in sorted(found)], whole


def _place_of_number(about: SymbolicBox, paper: _Paper) -> SymbolicBox | None:
    """Where the number of a note stands: in a corner of what it is about, or at the middle of what is narrower."""
    narrow = min(about.width(paper.values[0]), about.height(paper.values[0])) < SIGN
    edges = [about, about.grow_by(SIGN / 2)] if narrow else [about.grow_by(-SIGN / 2 - _LEADER_CLEARANCE_CM)]
    places = [_on(edge, side, share) for edge in edges for share in _CORNER_SHARES[narrow] for side in _UPRIGHT_SIDES]
    return paper.clearest([around(at, SIGN / 2, SIGN / 2) for at in (*places, about.middle)])


def _footnote(plan: LayoutAttempt, note: FreeNote, sign: SymbolicBox, taken: Taken, whole: SymbolicBox) -> Stood:
    """The note below all, behind its number."""
    (lanes,) = taken.about[""]
    (wide, tall), wrap = _size_note(plan, note, whole.right.at(plan.values) - lanes.left.at(plan.values) - SIGN)
    middle = whole.bottom - _GAP - max(tall, SIGN) / 2
    box = around((lanes.left + SIGN + wide / 2, middle), wide / 2, tall / 2)
    return Stood(note, box, wrap, numbered=(sign.middle, (lanes.left + SIGN / 2, middle)))


def _cost_of_growth(plan: LayoutAttempt, spot: _Spot, whole: SymbolicBox) -> _Spot:
    """Return the place with the cost of the figure's growth: most for width, if a width is stated."""
    left, bottom, right, top = whole.box(plan.values)
    low, deep, high, far = spot.box.box(plan.values)
    across, up = max(left - low, 0.0) + max(high - right, 0.0), max(bottom - deep, 0.0) + max(far - top, 0.0)
    return replace(
        spot,
        cost=spot.cost
        + _GROWTH_COST * up
        + (_GROWTH_COST if plan.figure.width is None else _WIDTH_GROWTH_COST) * across,
    )


def _widest(plan: LayoutAttempt, note: FreeNote, extent: SymbolicBox) -> float:
    """How long a line of a note may be, in cm."""
    figure = plan.figure
    found = _NOTE_WIDTH_CM if figure.width is None else min(_NOTE_WIDTH_CM, _SHARE * width_in_cm(figure.width))
    beside = note.about is not None or note.side in ("left", "right", "center")
    return found if beside else max(found, extent.width(plan.values))


def _size_note(plan: LayoutAttempt, note: FreeNote, widest: float) -> tuple[tuple[float, float], float]:
    """Return the size of a note, and the width at which it wraps."""
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
    raise SpecError([Problem(f"there is no free paper for {quote(note.text)} {where}", path, hint=hint)])


def _spots(
    plan: LayoutAttempt, note: FreeNote, size: tuple[float, float], about: SymbolicBox, edges: Sequence[SymbolicBox]
) -> Iterator[_Spot]:
    """All places that a note may have, whether or not they are free; it stands outside of one of the `edges`."""
    if note.side == "center":
        across, up = about.width(plan.values), about.height(plan.values)
        (x, y), (wide, tall) = about.middle, size
        for dx, dy in _OFFSETS:
            yield _Spot(around((x + dx * across, y + dy * up), wide / 2, tall / 2), about, (), abs(dx) + abs(dy))
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
            start = _on(about, side, share)
            box = _area_beside(around(start), side, size, _LEADER_NOTE_GAP, 0.5)
            yield _Spot(box, about, (start, _on(box, _OPPOSITE_SIDES[side], 0.5)), 0.1 * place + 0.2 * abs(share - 0.5))
        for aside in () if note.leader is False else _SHIFTS_CM:
            start = _on(about, side, 0.5)
            box = _area_beside(around(_shift_along_side(start, side, aside)), side, size, _LEADER_NOTE_GAP, 0.5)
            near = min(max(0.5 - aside / size[side in _LEVEL_SIDES], 0.1), 0.9)
            line = (start, _on(box, _OPPOSITE_SIDES[side], near))
            yield _Spot(box, about, line, _LED_COST + 0.1 * place + 0.2 * abs(aside))
        leaves = [*((share, 0.0) for share in _SIDE_SHARES), *((0.5, aside) for aside in _SHIFTS_CM)]
        for (share, aside), edge in product(leaves, edges):
            start, out = _on(about, side, share), _on(edge, side, 0.5)
            foot = _shift_along_side((out[0], start[1]) if side in _LEVEL_SIDES else (start[0], out[1]), side, aside)
            box = _area_beside(around(foot), side, size, _LEADER_NOTE_GAP, 0.5)
            goal = _on(box, _OPPOSITE_SIDES[side], 0.5)
            far = sum(abs((one - other).at(plan.values)) for one, other in zip(start, goal, strict=True))
            way = () if note.leader is False else (start, goal)
            yield _Spot(box, about, way, _OUTSIDE_COST + 0.1 * place + far + 0.2 * abs(share - 0.5) + 0.2 * abs(aside))


def _shift_along_side(at: Pair, side: Side, by: float) -> Pair:
    """Shift a point along a side."""
    return (at[0], at[1] + by) if side in _LEVEL_SIDES else (at[0] + by, at[1])


def _on(box: SymbolicBox, side: Side, share: float) -> Pair:
    """A point of a side."""
    x, y = _between(box.left, box.right, share), _between(box.bottom, box.top, share)
    return {"left": (box.left, y), "right": (box.right, y), "above": (x, box.top), "below": (x, box.bottom)}[side]


def _between(low: Length, high: Length, share: float) -> Length:
    return low * (1 - share) + high * share


def _area_beside(about: SymbolicBox, side: Side, size: tuple[float, float], gap: float, share: float) -> SymbolicBox:
    """Return the area of a note next to something: aligned with its middle or one end of its side."""
    wide, tall = size
    x = _between(about.left + wide / 2, about.right - wide / 2, share)
    y = _between(about.bottom + tall / 2, about.top - tall / 2, share)
    places: dict[Side, Pair] = {
        "left": (about.left - gap - wide / 2, y),
        "right": (about.right + gap + wide / 2, y),
        "above": (x, about.top + gap + tall / 2),
        "below": (x, about.bottom - gap - tall / 2),
    }
    return around(places[side], wide / 2, tall / 2)


class _Paper:
    """What is on the paper at each of the stretches, in cm."""

    def __init__(self, plan: LayoutAttempt, taken: Taken) -> None:
        self.clear = taken.clear
        self.values = [{name: value * by for name, value in plan.values.items()} for by in taken.times]
        self.solids = [[one.box(values) for one in taken.solids] for values in self.values]
        self.soft = [[one.box(values) for one in taken.soft] for values in self.values]
        self.frames = [[one.box(values) for one in taken.frames] for values in self.values]
        self.legs = [
            [leg for way in taken.courses for leg in pairwise([(x.at(values), y.at(values)) for x, y in way])]
            for values in self.values
        ]

    def add(self, spot: _Spot) -> None:
        """Others keep clear of this note and of its line."""
        for values, solids, legs in zip(self.values, self.solids, self.legs, strict=True):
            solids.append(spot.box.box(values))
            legs.extend(pairwise([(x.at(values), y.at(values)) for x, y in spot.line]))

    def first_free(self, spots: Sequence[_Spot]) -> _Spot | None:
        """The best place that is free; over each flow that its line crosses another one may be better."""
        best: tuple[float, _Spot] | None = None
        for spot in sorted(spots, key=lambda one: one.cost):
            if best is not None and best[0] <= spot.cost:
                break
            if self._is_free(spot.box) and (crossed := self._count_crossed_flows(spot)) is not None:
                cost = spot.cost + _CROSSED_FLOW_COST * crossed
                best = (cost, spot) if best is None or cost < best[0] else best
        return best[1] if best else None

    def clearest(self, boxes: Sequence[SymbolicBox]) -> SymbolicBox | None:
        """The one that touches no solid, and the fewest lines."""
        values, solids, legs = self.values[0], self.solids[0], self.legs[0]
        places = {box: box.box(values) for box in boxes}
        free = [box for box, own in places.items() if not any(overlap(own, solid) for solid in solids)]
        return min(free, key=lambda box: sum(meets(*leg, places[box]) for leg in legs), default=None)

    def _is_free(self, box: SymbolicBox) -> bool:
        """Whether a note touches nothing there, and stands in or outside of each frame, at every stretch."""
        places = zip(self.values, self.solids, self.soft, self.frames, self.legs, strict=True)
        for values, solids, soft, frames, legs in places:
            own = box.grow_by(self.clear).box(values)
            if any(overlap(own, solid) for solid in (*solids, *soft)) or any(meets(*leg, own) for leg in legs):
                return False
            if any(overlap(own, frame) and not is_within(own, frame) for frame in frames):
                return False
        return True

    def _count_crossed_flows(self, spot: _Spot) -> int | None:
        """Count the flows that a line crosses; None if it crosses a node or a label, or runs along a flow."""
        most = 0
        for values, solids, legs in zip(self.values, self.solids, self.legs, strict=True):
            if not spot.line:
                break
            start, goal = ((x.at(values), y.at(values)) for x, y in spot.line)
            own = grow_box(spot.about.box(values), _LEADER_CLEARANCE_CM)
            if any(meets(start, goal, solid, _LEADER_CLEARANCE_CM) and not is_within(solid, own) for solid in solids):
                return None
            crossed = [leg for leg in legs if _meet(leg, (start, goal))]
            if any(_is_flat(leg, (start, goal)) for leg in crossed):
                return None
            most = max(most, len(crossed))
        return most


def _meet(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Whether two lines cross, or one ends on the other."""
    return lines_cross(*one, *other) or any(
        distance(end, (line,)) < _LEADER_CLEARANCE_CM for ends, line in ((one, other), (other, one)) for end in ends
    )


def _is_flat(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Whether a line runs nearly along another one."""
    ((x0, y0), (x1, y1)), ((x2, y2), (x3, y3)) = one, other
    sine = abs((x1 - x0) * (y3 - y2) - (y1 - y0) * (x3 - x2))
    return sine < _LEAST_ANGLE_SINE_RATIO * dist(*one) * dist(*other)
