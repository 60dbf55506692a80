"""Paths become ink: fills, lines, tips, and what is drawn inside of a path and clipped by it."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist, floor

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import replace
from tikzgen.drawing.canvas import PATH, WAVE, Canvas, Clipped, Painted, Stroke
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.shapes import Shape
from tikzgen.drawing.state import State
from tikzgen.drawing.strokes import Step, rounded
from tikzgen.drawing.tips import tipped
from tikzgen.drawing.waves import waved
from tikzgen.plane.affine import HERE, shift
from tikzgen.plane.rectangles import Point, surround
from tikzgen.plane.units import PT_PER_CM

_BOX = "path picture bounding box"
# how a style learns the width and the height of what it fills, and something larger than both
_MEASURED = pattern_of(
    r"\\pgfpointdiff\{\\pgfpointanchor\{path picture bounding box\}\{south west\}\}"
    r"\{\\pgfpointanchor\{path picture bounding box\}\{north east\}\}\s*"
    r"\\pgfgetlastxy\\(\w+)\\(\w+)\s*\\edef\\(\w+)\{\\the\\dimexpr\\\1\+\\\2\+([\d.]+)pt\}"
)
_MOST_STRIPES = 5000
_SHELTERED = (r"\pgfinterruptboundingbox", r"\endpgfinterruptboundingbox")
_UPRIGHT = r"\pgftransformreset"


def paint(canvas: Canvas, path: Sequence[Step], state: State) -> None:
    """Fill and draw a path as its keys say."""
    begin = len(canvas.items)
    _paint(canvas, path, state)
    if len(canvas.items) > begin:
        canvas.part("path", begin)


def _paint(canvas: Canvas, path: Sequence[Step], state: State) -> None:
    steps = list(path)
    while steps and steps[-1].kind == "M":
        steps.pop()
    points = [point for step in path if step.kind != "Z" for point in step.points]
    if not steps:
        return
    canvas.spend(PATH + len(steps))
    across = 2 * state.line_width + state.inner if state.inner else state.line_width
    canvas.cover(points, across / 2 if state.draw else 0.0)
    if state.hidden or not (state.draw or state.fill or state.picture):
        return
    fill = (state.fill_color or state.color) if state.fill else None
    stroke = None
    if state.draw:
        cap = {"rect": "square"}.get(state.cap, state.cap)
        stroke = Stroke(state.draw_color or state.color, across, state.dash, cap, state.join)
    if stroke is not None and _sweeps(canvas, stroke):
        _stripes(canvas, steps, stroke)
        return
    outline = rounded(steps)
    if state.decorated:
        if not state.waves[0]:
            raise Unsupported("the key 'decorate' without a decoration")
        bare, outline = outline, []
        for step in waved(bare, *state.waves):
            canvas.spend(WAVE)
            outline.append(step)
        canvas.cover([point for step in outline for point in step.points], across / 2)
    if stroke is not None and any(state.tips):
        if fill is not None:
            canvas.items.append(Painted(tuple(outline), fill, None, state.opacity))
        line, tips = tipped(outline, state.tips, state.tip_length, state.line_width, barbed=state.tip_open)
        canvas.items.append(Painted(tuple(line), None, stroke, state.opacity))
        _part(canvas, line, stroke, state)
        for tip in tips:
            canvas.cover(tip.hull)
            drawn = Stroke(stroke.color, tip.width)
            canvas.items.append(Painted(tip.path, stroke.color if tip.filled else None, drawn, state.opacity))
    elif not state.picture:
        canvas.items.append(Painted(tuple(outline), fill, stroke, state.opacity))
        if stroke is not None:
            _part(canvas, outline, stroke, state)
    else:
        if fill is not None:
            canvas.items.append(Painted(tuple(outline), fill, None, state.opacity))
        _inside(canvas, outline, points, state)
        if stroke is not None:
            canvas.items.append(Painted(tuple(outline), None, stroke, state.opacity))


def _part(canvas: Canvas, line: Sequence[Step], stroke: Stroke, state: State) -> None:
    """Part a double line into two by another one in its middle."""
    if state.inner and state.inner_color:
        middle = replace(stroke, color=state.inner_color, width=state.inner)
        canvas.items.append(Painted(tuple(line), None, middle, state.opacity))


def _inside(canvas: Canvas, outline: list[Step], points: list[Point], state: State) -> None:
    """What a style draws inside of a path."""
    assert canvas.interpreter is not None
    left, bottom, right, top = surround(points)
    middle = shift((left + right) / 2, (bottom + top) / 2)
    box = Shape("rectangle", middle, (right - left) / 2, (top - bottom) / 2)
    inner = state.copy()
    inner.picture, inner.draw, inner.fill, inner.tips = "", False, False, ("", "")
    text = state.picture
    for word in reversed(_SHELTERED):
        text = text.replace(word, "")
    if _UPRIGHT in text:
        text = text.replace(_UPRIGHT, "")
        inner.matrix, inner.x_vector, inner.y_vector = HERE, (PT_PER_CM, 0.0), (0.0, PT_PER_CM)
    if (measured := _MEASURED.search(text)) is not None:
        text = text.replace(measured[0], "")
        sides = {measured[1]: right - left, measured[2]: top - bottom}
        sides[measured[3]] = right - left + top - bottom + float(measured[4])
        for name, side in sides.items():
            canvas.define(name, f"{side:.5f}pt")
    canvas.clips.append((left, bottom, right, top))
    with canvas.named(_BOX, box), canvas.apart() as drawn:
        canvas.interpreter.statements(text, inner)
    canvas.clips.pop()
    if drawn:
        canvas.items.append(Clipped(tuple(outline), tuple(drawn)))


def _sweeps(canvas: Canvas, stroke: Stroke) -> bool:
    """Whether a line is a hatch: dashed, and wider than what clips it."""
    if not canvas.clips or len(stroke.dash) != 2:
        return False
    left, bottom, right, top = canvas.clips[-1]
    return stroke.width >= right - left + top - bottom


def _stripes(canvas: Canvas, steps: list[Step], stroke: Stroke) -> None:
    """A hatch is one very wide dashed line: only the dashes that meet the clip are drawn, each as a line across."""
    if [step.kind for step in steps] != ["M", "L"] * (len(steps) // 2):
        raise Unsupported("a hatch along a curve")
    for start, goal in zip(steps[::2], steps[1::2], strict=True):
        found = _dashes(canvas.clips[-1], start.end, goal.end, stroke)
        canvas.spend(len(found))
        line = replace(stroke, width=stroke.dash[0], dash=())
        canvas.items.append(Painted(tuple(found), None, line, hatch=((start, goal), stroke)))


def _dashes(clip: tuple[float, float, float, float], start: Point, goal: Point, stroke: Stroke) -> list[Step]:
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
    if last - first > _MOST_STRIPES:
        raise Unsupported(f"a hatch of more than {_MOST_STRIPES} lines")
    found: list[Step] = []
    for number in range(max(first, 0), last + 1):
        t = number * period + on / 2
        ends = [(x + a * t - b * n, y + b * t + a * n) for n in (min(across), max(across))]
        found += [Step("M", (ends[0],)), Step("L", (ends[1],))]
    return found
