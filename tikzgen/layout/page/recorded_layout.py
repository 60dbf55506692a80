"""Record of the layout of a figure, and the next layout of the figure by this record."""

from __future__ import annotations

from tikzgen.base.errors import SpecError
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import COLUMN_HEIGHT_CM
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.page.fit_width import Attempt
from tikzgen.layout.page.try_layouts import fit
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import width_in_cm
from tikzgen.model.topology import LayoutRecord, Topology

_VARIANTS = ((1.0, False), (1.0, True), (1.25, False), (1.6, False))
"""Factors on the recorded gaps, and whether new nodes get separate layers; tried in this order."""
_TALLER_RATIO = 1.25
"""Largest ratio of the height to the recorded height."""
_SMALLER_PT = 1.0
"""Reduction of the type size in pt, above which the record is not used."""
_SETTLED_CM = 0.5
"""Tolerance of width and cost in cm, within which a layout by the record equals the original layout."""
_Recorded = tuple[Attempt, LayoutRecord | None]
"""A layout with the record for its file."""


def fit_as_recorded(start: LayoutAttempt, record: LayoutRecord) -> _Recorded | None:
    """Return a layout with the recorded layers; None if it is worse, or if the size or most nodes differ."""
    if _read_size(start.figure) != (record.width, record.height) or not _is_same_figure(start.figure, record):
        return None
    for factor, own_layers in _VARIANTS:
        found = _fit_with_layers(start, record.vary(factor, own_layers=own_layers))
        if found and (now := record_layout(found)) and _is_as_good(now, record):
            settled, now = (found, now) if now.has_layers_of(record) else settle(start, found)
            return settled, now and now.with_lower_costs(record)
    return None


def settle(start: LayoutAttempt, found: Attempt) -> _Recorded:
    """Return the layout that its own record gives, so that rendering the figure again changes nothing."""
    record = record_layout(found)
    again = _fit_with_layers(start, record) if record else None
    now = record_layout(again) if again else None
    same = record and now and now.faults <= record.faults and now.cost <= record.cost + _SETTLED_CM
    return (again, now) if again and same and again.width <= found.width + _SETTLED_CM else (found, None)


def record_layout(found: Attempt) -> LayoutRecord | None:
    """Return the record of a layout; None if it found no layers."""
    plan = found.plan
    parts = ((panel, index, part) for panel in plan.figure.panels for index, part in enumerate(panel.content))
    records = [kind_of(part).record(plan, panel, index, part) for panel, index, part in parts]
    width, height = _read_size(plan.figure)
    topologies = tuple(record for record in records if record)
    return (
        LayoutRecord(
            width=width,
            height=height,
            compact=plan.compact,
            short=plan.short,
            type_size=plan.size,
            tall=round(found.height, 2),
            topologies=topologies,
        )
        if topologies
        else None
    )


def _fit_with_layers(start: LayoutAttempt, record: LayoutRecord) -> Attempt | None:
    """Return the layout with the layers, the density and the height of a record; None if it is too wide or tall."""
    size = min(record.type_size, start.size) if record.short else start.size
    try:
        found = fit(replace(start, earlier=record, compact=record.compact, short=record.short, size=size))
    except SpecError:  # taller than stated
        return None
    return found if isinstance(found, Attempt) else None


def _is_same_figure(figure: FigureModel, record: LayoutRecord) -> bool:
    """Return whether a figure has at least half of the recorded nodes and groups."""
    ids = {
        (figure.panels[place].id, index, name)
        for place, index, part in figure.parts(Topology)
        for name, _ in part.named_parts()
    }
    known = [(each.panel, each.index, member) for each in record.topologies for member in each.list_members()]
    return 2 * sum(each in ids for each in known) >= len(known)


def _is_as_good(now: LayoutRecord, earlier: LayoutRecord) -> bool:
    return (
        now.is_as_good(earlier)
        and now.tall <= max(COLUMN_HEIGHT_CM, _TALLER_RATIO * earlier.tall)
        and now.type_size >= earlier.type_size - _SMALLER_PT
    )


def _read_size(figure: FigureModel) -> tuple[float, float]:
    """Return the stated width and the greatest height in cm, 0 without one."""
    return width_in_cm(figure.width) if figure.width is not None else 0.0, figure.greatest_height or 0.0
