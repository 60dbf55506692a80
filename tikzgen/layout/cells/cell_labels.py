"""Labels of a figure of cells that are parameters, and the formats of its headers."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import WITHOUT_ID
from tikzgen.layout.layout_kinds import Said
from tikzgen.layout.scene.number_words import part_mark
from tikzgen.model.cells import CellArray, Cells
from tikzgen.model.panel_parts import Panel


def iterate_labels(panel: Panel, part: Cells) -> Iterator[Said]:
    """Yield the labels of a part: stem, text, meaning and field."""
    mark = part_mark(panel, part)
    for index, array in enumerate(part.arrays):
        yield from _iterate_array_labels(array, index)
    for index, bar in enumerate(part.bars):
        yield f"{bar.id} label", bar.label, f"label of bar {bar.id}", "bars", index, "label"
        yield f"{bar.id} total", bar.total or "", f"label at the end of bar {bar.id}", "bars", index, "total"
        for place, one in enumerate(bar.parts):
            stem = f"{bar.id} {one.id or place} label"
            yield (
                stem,
                one.label,
                f"label in segment {one.id or place} of bar {bar.id}",
                "bars",
                index,
                "parts",
                place,
                "label",
            )
    if part.axis is not None:
        yield f"{WITHOUT_ID}{mark} unitlabel", part.axis.unit, "unit of the sizes of bars", "axis", "unit"
        for place, limit in enumerate(part.axis.limits):
            stem = f"{WITHOUT_ID}{mark} limit {place + 1} label"
            yield stem, limit.label, f"label at limit {place + 1}", "axis", "limits", place, "label"
    for index, flow in enumerate(part.flows):
        stem = f"{flow.id} label" if flow.id else f"{WITHOUT_ID}{mark} flow {index + 1} label"
        yield stem, flow.label, f"label at the flow from {flow.source} to {flow.target}", "flows", index, "label"
    if part.entry is not None:
        yield f"{WITHOUT_ID}{mark} entry label", part.entry.label, "label at the arrow to the arrays", "entry", "label"
    for index, brace in enumerate(part.braces):
        stem = f"{WITHOUT_ID}{mark} brace {index + 1} label"
        yield stem, brace.label, f"label at the brace over {brace.over}", "braces", index, "label"
    for index, note in enumerate(part.notes):
        yield f"{WITHOUT_ID}{mark} note {index + 1}", note.text, f"note {index + 1}", "notes", index, "text"


def _iterate_array_labels(array: CellArray, index: int) -> Iterator[Said]:
    name = array.id
    yield f"{name} label", array.label, f"label of array {name}", "arrays", index, "label"
    for field, header in (("rows", array.rows), ("columns", array.columns)):
        yield (
            f"{name} {field} label",
            header.label,
            f"label beyond the header of {name}",
            "arrays",
            index,
            field,
            "label",
        )
        for place, group in enumerate(header.groups):
            stem, meaning = f"{name} {field} group {place + 1}", f"group {place + 1} of {field} of {name}"
            yield stem, group.label, meaning, "arrays", index, field, "groups", place, "label"
    for place, line in enumerate(array.lines):
        meaning = f"label at the line after {line.axis.removesuffix('s')} {line.after} of {name}"
        yield f"{name} line {place + 1} label", line.label, meaning, "arrays", index, "lines", place, "label"


def iterate_header_formats(part: Cells) -> Iterator[Said]:
    """Yield the formats of headers that are more than the number."""
    for index, array in enumerate(part.arrays):
        for field, header in (("rows", array.rows), ("columns", array.columns)):
            if header.text != "{n}" and not header.texts and header.side != "none":
                meaning = f"header of {field} of {array.id}: #1 is the number"
                yield f"{array.id} {field} header", header.text, meaning, "arrays", index, field, "text"
        if (array.hides_layers or array.layers_apart) and array.layers.text != "{n}":
            meaning = f"header of layers of {array.id}: #1 is the number"
            yield f"{array.id} layers header", array.layers.text, meaning, "arrays", index, "layers", "text"
