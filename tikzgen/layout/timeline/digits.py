"""The numbers in cells: one size for a phase, where its cells can carry numbers at all."""

from __future__ import annotations

from tikzgen.layout.attempt import SIZES, Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.timeline.numbers import Digits

__all__ = ["digits"]

_BESIDE = 0.008  # cm between a number and the edge of its cell, on each side; digits have white of their own
_ABOVE = 0.025
_APART = 1.0  # pt by which the numbers of one phase may be larger than those of another


def digits(plan: Plan, chart: Chart) -> Digits:
    """Which numbers are set in a timeline, and how large."""
    wanted: dict[tuple[str, float, int], list[str]] = {}
    for cell in chart.cells:
        wanted.setdefault((cell.phase, cell.length, cell.lanes), []).append(cell.text)
    sizes: dict[str, float] = {}
    least: dict[tuple[str, int], float] = {}
    for (phase, length, lanes), texts in wanted.items():
        size = _largest(plan, chart, texts, length, lanes)
        if size:
            sizes[phase] = min(size, sizes.get(phase, size))
            least[phase, lanes] = min(length, least.get((phase, lanes), length))
    # a shorter cell may carry short numbers where a longer one cannot carry its long ones
    for (phase, length, lanes), texts in wanted.items():
        if length >= least.get((phase, lanes), length) and not _largest(plan, chart, texts, length, lanes):
            shorter = [other for (one, other, many) in wanted if (one, many) == (phase, lanes) and other > length]
            least[phase, lanes] = min(shorter, default=float("inf"))
    smallest = min(sizes.values(), default=0.0)
    return Digits({phase: min(size, smallest + _APART) for phase, size in sizes.items()}, least)


def _largest(plan: Plan, chart: Chart, texts: list[str], length: float, lanes: int) -> float:
    """The largest size at which each of the texts fits into such a cell, 0 where even the smallest is too large."""
    values = plan.values
    along = length * values["timeunit"]
    across = lanes * values["laneheight"] + (lanes - 1) * values["lanesep"]
    # where time runs up or down, numbers stay level
    width, height = (along, across) if chart.part.direction == "right" else (across, along)
    for size in SIZES:
        if size <= plan.size and all(_fits(plan, text, size, width, height) for text in texts):
            return size
    return 0.0


def _fits(plan: Plan, text: str, size: float, width: float, height: float) -> bool:
    extent = plan.measure(text, size=size)
    wide, tall = extent.width + 2 * _BESIDE, extent.height + extent.depth + 2 * _ABOVE
    return wide <= width + 1e-6 and tall <= height + 1e-6
