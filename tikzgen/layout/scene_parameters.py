"""The parameters of a scene: distances with the least that an edit may set, and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil

from tikzgen.layout.cell_texts import definition
from tikzgen.layout.lengths import number, param
from tikzgen.layout.page.fit_width import Attempt
from tikzgen.layout.plan import Labels, Need, Slot
from tikzgen.layout.scene import Least, Parameter
from tikzgen.text import typeset


def distances(needs: Mapping[str, Need], values: Mapping[str, float]) -> Iterator[Parameter]:
    for name, need in needs.items():
        # how far a vertical distance may shrink is known for the usual figure only
        least = ceil(need.least * 1000 - 1e-6) / 1000 if need.axis == "x" else None
        yield Parameter(name, number(values[name], 7), need.meaning, "length-cm", least)


def least_distances(found: Attempt) -> Iterator[Least]:
    """What distances are at least: by themselves first, then beside others."""
    values = found.plan.values
    firm = {name: need.firm for name, need in found.needs.items() if need.firm}
    beside: dict[tuple[str, str], float] = {}
    for name, length in found.page.least:
        firm[name] = max(firm.get(name, 0.0), length.constant)
        for other, share in length.terms:
            beside[name, str(other)] = max(beside.get((name, str(other)), 0.0), share)
    for name, cm in firm.items():
        yield Least(f"\\{name}", number(min(ceil(cm * 1000 - 1e-6) / 1000, values[name])))
    for (name, other), share in beside.items():
        yield Least(f"\\{name}", str(param(other, share)))


def texts(labels: Labels, used: set[str]) -> Iterator[Parameter]:
    """The texts in the order of the file, the title last."""
    ordered = sorted(labels.slots.values(), key=lambda slot: slot.stem == "titlelabel")
    first: dict[str, Slot] = {}
    for slot in ordered:
        first.setdefault(slot.macro, slot)
    for slot in (slot for macro, slot in first.items() if macro in used):
        if slot.numbered:
            yield Parameter(slot.macro, definition(slot.text), slot.meaning, "text-of-number")
        else:
            yield Parameter(slot.macro, typeset(slot.text).source, slot.meaning, "text")
