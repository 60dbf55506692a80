"""Painting of paths: fills, lines, tips of arrows, and contents that a path clips."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, dist, floor, hypot, sin, sqrt, tan

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import IDENTITY, PT_PER_CM, Matrix, Point, compute_bounding_box, map_point, shift
from tikzgen.base.record import Record, replace
from tikzgen.compile.draw.canvas import PATH_COST, WAVE_COST, Canvas, Clipped, PaintedPath, Stroke
from tikzgen.compile.draw.node_borders import NodeBorder
from tikzgen.compile.draw.state import State
from tikzgen.compile.draw.strokes import PathStep, move_towards, round_corners
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.compile.draw.waves import add_waves

# Tips of arrows, by pgf's formulas: Stealth, Straight Barb, and the bar.

_TIP_WIDTH_RATIO = 0.75  # of a Stealth's length
_TIP_INSET_RATIO = 0.325
_BAR = (3.0, 4.0)  # pt, and line widths: the width of a bar


class DrawnTip(Record):
    """A tip of an arrow: outline, line width, whether it is filled, and a hull for the picture's size."""

    path: tuple[PathStep, ...]
    width: float
    filled: bool
    hull: tuple[Point, ...]


class _Tip(Record):
    """A tip that points to the right; `end` is its front, `line` the end of the line, `back` its rear.

    `hull` is one of its two rear corners, which are symmetric.
    """

    points: tuple[Point, ...]
    hull: Point
    width: float
    end: float
    line: float
    back: float
    filled: bool


def _make_stealth_tip(length: float, width: float) -> _Tip:
    across, inset = _TIP_WIDTH_RATIO * length, _TIP_INSET_RATIO * length
    line = min(width, (length - inset) / 4)
    front = sqrt(4 * (length / across) ** 2 + 1) * line / 2
    outer, inner = atan2(length, across / 2), atan2(inset, across / 2)
    reach = line / 2 / tan((outer - inner) / 2)
    back, top = sin((outer + inner) / 2) * reach, cos((outer + inner) / 2) * reach
    notch = inset + sqrt(4 * (inset / across) ** 2 + 1) * line / 2
    height = across / 2 - top
    points = ((length - front, 0.0), (back, height), (notch, 0.0), (back, -height))
    return _Tip(points, (0.0, across / 2), line, length, notch - line / 4, 0.0, True)


def _make_barb_tip(length: float, width: float) -> _Tip:
    # By default of pgf, it is twice as wide as long, so its front is a miter of half the line width times sqrt 2.
    points = ((0.0, length), (length, 0.0), (0.0, -length))
    corner = (-width / 2, length + width / 2)
    return _Tip(points, corner, width, length + width / sqrt(2), length - width / 2, -width / 2, False)


def _make_bar_tip(width: float) -> _Tip:
    half = (_BAR[0] + _BAR[1] * width) / 2
    return _Tip(((0.0, half), (0.0, -half)), (-width / 2, half), width, width / 2, -width / 4, -width / 2, False)


def add_tips(
    path: Sequence[PathStep], tips: tuple[str, str], length: float, width: float, *, barbed: bool
) -> tuple[list[PathStep], list[DrawnTip]]:
    """Shorten a path for its arrow tips; return both. Tips are at the ends of its last part."""
    steps: list[PathStep] = list(path)
    drawn: list[DrawnTip] = []
    head = (_make_barb_tip if barbed else _make_stealth_tip)(length, width)
    begin = max((at for at, step in enumerate(steps) if step.kind == "M"), default=0)
    if len(steps) - begin < 2 or any(step.kind == "Z" for step in steps[begin:]):
        return steps, []
    if tips[1]:
        last = steps[-1]
        before = last.points[1] if last.kind == "C" else steps[-2].end
        if before == last.end and last.kind == "C":
            before = last.points[0]
        cut = _place_tips(tips[1][::-1], last.end, before, head, width, drawn)
        steps[-1] = PathStep(last.kind, (*last.points[:-1], move_towards(last.end, before, cut)))
    if tips[0]:
        start, following = steps[begin].end, steps[begin + 1].points[0]
        cut = _place_tips(tips[0], start, following, head, width, drawn)
        steps[begin] = PathStep("M", (move_towards(start, following, cut),))
    return steps, drawn


def _place_tips(signs: str, end: Point, inside: Point, head: _Tip, width: float, drawn: list[DrawnTip]) -> float:
    """Place tips from an end inwards; return by how much they shorten the line."""
    x, y = end[0] - inside[0], end[1] - inside[1]
    far = hypot(x, y)
    if not far:
        raise Unsupported("an arrow without length")
    x, y = x / far, y / far
    used = cut = 0.0
    for sign in signs:
        tip = _make_bar_tip(width) if sign == "|" else head
        back = -(used + tip.end)
        place: Matrix = (x, y, -y, x, end[0] + x * back, end[1] + y * back)
        points = [map_point(point, place) for point in tip.points]
        path = [PathStep("M", (points[0],)), *(PathStep("L", (point,)) for point in points[1:])]
        if tip.filled:
            path.append(PathStep("Z", (points[0],)))
        a, b = tip.hull
        hull = tuple(map_point(point, place) for point in ((tip.end, 0.0), (a, b), (a, -b)))
        drawn.append(DrawnTip(tuple(path), tip.width, tip.filled, hull))
        cut = used + tip.end - tip.line
        used += tip.end - tip.back
    return cut


_BOX = "path picture bounding box"
# Code with which a style gets the width and height of its area, and a length greater than both.
_MEASURED_BOX = pattern_of(
    r"\\pgfpointdiff\{\\pgfpointanchor\{path picture bounding box\}\{south west\}\}"
    r"\{\\pgfpointanchor\{path picture bounding box\}\{north east\}\}\s*"
    r"\\pgfgetlastxy\\(\w+)\\(\w+)\s*\\edef\\(\w+)\{\\the\\dimexpr\\\1\+\\\2\+([\d.]+)pt\}"
)
_STRIPE_LIMIT = 5000
_WITHOUT_BOUNDS = (r"\pgfinterruptboundingbox", r"\endpgfinterruptboundingbox")
_RESET_TRANSFORM = r"\pgftransformreset"


def paint(canvas: Canvas, path: Sequence[PathStep], state: State) -> None:
    """Fill and draw a path according to its keys."""
    begin = len(canvas.items)
    _paint(canvas, path, state)
    if len(canvas.items) > begin:
        canvas.join_items("path", begin)


def _paint(canvas: Canvas, path: Sequence[PathStep], state: State) -> None:
    steps = list(path)
    while steps and steps[-1].kind == "M":
        steps.pop()
    points = [point for step in path if step.kind != "Z" for point in step.points]
    if not steps:
        return
    canvas.count_steps(PATH_COST + len(steps))
    across = 2 * state.line_width + state.inner if state.inner else state.line_width
    canvas.enlarge_picture(points, across / 2 if state.draw else 0.0)
    if state.hidden or not (state.draw or state.fill or state.picture):
        return
    fill = (state.fill_color or state.color) if state.fill else None
    stroke = None
    if state.draw:
        cap = {"rect": "square"}.get(state.cap, state.cap)
        stroke = Stroke(state.draw_color or state.color, across, state.dash, cap, state.join)
    if stroke is not None and _is_hatch(canvas, stroke):
        _draw_hatch(canvas, steps, stroke)
        return
    outline = round_corners(steps)
    if state.decorated:
        if not state.waves[0]:
            raise Unsupported("the key 'decorate' without a decoration")
        bare, outline = outline, []
        for step in add_waves(bare, *state.waves):
            canvas.count_steps(WAVE_COST)
            outline.append(step)
        canvas.enlarge_picture([point for step in outline for point in step.points], across / 2)
    if stroke is not None and any(state.tips):
        if fill is not None:
            canvas.items.append(PaintedPath(tuple(outline), fill, None, state.opacity))
        line, tips = add_tips(outline, state.tips, state.tip_length, state.line_width, barbed=state.tip_open)
        canvas.items.append(PaintedPath(tuple(line), None, stroke, state.opacity))
        _divide_double_line(canvas, line, stroke, state)
        for tip in tips:
            canvas.enlarge_picture(tip.hull)
            drawn = Stroke(stroke.color, tip.width)
            canvas.items.append(PaintedPath(tip.path, stroke.color if tip.filled else None, drawn, state.opacity))
    elif not state.picture:
        canvas.items.append(PaintedPath(tuple(outline), fill, stroke, state.opacity))
        if stroke is not None:
            _divide_double_line(canvas, outline, stroke, state)
    else:
        if fill is not None:
            canvas.items.append(PaintedPath(tuple(outline), fill, None, state.opacity))
        _draw_path_picture(canvas, outline, points, state)
        if stroke is not None:
            canvas.items.append(PaintedPath(tuple(outline), None, stroke, state.opacity))


def _divide_double_line(canvas: Canvas, line: Sequence[PathStep], stroke: Stroke, state: State) -> None:
    """Divide a double line by another line in its middle."""
    if state.inner and state.inner_color:
        middle = replace(stroke, color=state.inner_color, width=state.inner)
        canvas.items.append(PaintedPath(tuple(line), None, middle, state.opacity))


def _draw_path_picture(canvas: Canvas, outline: list[PathStep], points: list[Point], state: State) -> None:
    """Draw the contents that a style has inside of a path."""
    assert canvas.interpreter is not None
    left, bottom, right, top = compute_bounding_box(points)
    middle = shift((left + right) / 2, (bottom + top) / 2)
    box = NodeBorder("rectangle", middle, (right - left) / 2, (top - bottom) / 2)
    inner = state.copy()
    inner.picture, inner.draw, inner.fill, inner.tips = "", False, False, ("", "")
    text = state.picture
    for word in reversed(_WITHOUT_BOUNDS):
        text = text.replace(word, "")
    if _RESET_TRANSFORM in text:
        text = text.replace(_RESET_TRANSFORM, "")
        inner.matrix, inner.x_vector, inner.y_vector = IDENTITY, (PT_PER_CM, 0.0), (0.0, PT_PER_CM)
    if (measured := _MEASURED_BOX.search(text)) is not None:
        text = text.replace(measured[0], "")
        sides = {measured[1]: right - left, measured[2]: top - bottom}
        sides[measured[3]] = right - left + top - bottom + float(measured[4])
        for name, side in sides.items():
            canvas.define(name, f"{side:.5f}pt")
    canvas.clips.append((left, bottom, right, top))
    with canvas.name_node(_BOX, box), canvas.collect_items() as drawn:
        canvas.interpreter.run_in_scope(text, inner)
    canvas.clips.pop()
    if drawn:
        canvas.items.append(Clipped(tuple(outline), tuple(drawn)))


def _is_hatch(canvas: Canvas, stroke: Stroke) -> bool:
    """Return whether a line is a hatch: dashed, and wider than its clip."""
    if not canvas.clips or len(stroke.dash) != 2:
        return False
    left, bottom, right, top = canvas.clips[-1]
    return stroke.width >= right - left + top - bottom


def _draw_hatch(canvas: Canvas, steps: list[PathStep], stroke: Stroke) -> None:
    """Draw a hatch, which is one very wide dashed line: each dash that meets the clip becomes a line."""
    if [step.kind for step in steps] != ["M", "L"] * (len(steps) // 2):
        raise Unsupported("a hatch along a curve")
    for start, goal in zip(steps[::2], steps[1::2], strict=True):
        found = _place_dashes(canvas.clips[-1], start.end, goal.end, stroke)
        canvas.count_steps(len(found))
        line = replace(stroke, width=stroke.dash[0], dash=())
        canvas.items.append(PaintedPath(tuple(found), None, line, hatch=((start, goal), stroke)))


def _place_dashes(clip: tuple[float, float, float, float], start: Point, goal: Point, stroke: Stroke) -> list[PathStep]:
    left, bottom, right, top = clip
    (x, y), (p, q) = start, goal
    far = dist(start, goal)
    on, period = stroke.dash[0], sum(stroke.dash)
    if not far or period <= 0:
        raise Unsupported("a hatch without length")
    a, b = (p - x) / far, (q - y) / far
    corners = [(c - x, d - y) for c in (left, right) for d in (bottom, top)]
    along, across = [c * a + d * b for c, d in corners], [d * a - c * b for c, d in corners]
    first, last = floor((max(min(along), 0.0) - on) / period), floor(min(max(along), far) / period)
    if last - first > _STRIPE_LIMIT:
        raise Unsupported(f"a hatch of more than {_STRIPE_LIMIT} lines")
    found: list[PathStep] = []
    for number in range(max(first, 0), last + 1):
        t = number * period + on / 2
        ends = [(x + a * t - b * n, y + b * t + a * n) for n in (min(across), max(across))]
        found += [PathStep("M", (ends[0],)), PathStep("L", (ends[1],))]
    return found
