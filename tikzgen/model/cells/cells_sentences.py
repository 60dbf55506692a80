"""Sentences about figures of cells: the cells of each owner, marks, flows and bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tikzgen.base.plain_words import count_of, join_words, list_names, spell_rounded
from tikzgen.base.record import Record
from tikzgen.model.addresses import Range
from tikzgen.model.cells.bars import BarPart
from tikzgen.model.cells.cell_arrays import CellArray, Rectangle
from tikzgen.model.cells.cell_fills import EMPTY, HOLE, MASKED, CellKey
from tikzgen.model.cells.cells import Cells
from tikzgen.model.cells.cells_parts import CellElement, CellFlow
from tikzgen.model.cells.headers import Header
from tikzgen.model.figure import FigureModel
from tikzgen.model.sentences import Known, Sentence, number
from tikzgen.text import fill_number
from tikzgen.text.spoken_labels import label_to_unicode

_MOST_RECTANGLES = 8
"""Rectangles of an array that a description lists; of more, it counts cells."""
_MARKS = {"held": "marked", "removed": "removed", "diagonal": "half masked"}


class FilledBlock(Record):
    """A maximal rectangle of cells with one fill."""

    letter: str
    place: Rectangle


def find_blocks(array: CellArray) -> list[FilledBlock]:
    """Return rectangles of cells with one fill: equal runs of consecutive rows."""
    found: list[FilledBlock] = []
    layers, rows, _ = array.shape
    for layer in range(layers):
        open_runs: dict[tuple[Range, str], int] = {}
        for row in range(rows + 1):
            line = array.grid.fills[layer][row] if row < rows else ()
            runs = dict.fromkeys(_iterate_runs(line))
            for (span, letter), start in list(open_runs.items()):
                if (span, letter) not in runs:
                    found.append(FilledBlock(letter, Rectangle((layer, layer + 1), (start, row), span)))
                    del open_runs[span, letter]
            for run in runs:
                open_runs.setdefault(run, row)
    return sorted(found, key=lambda one: (one.place.layers[0], one.place.rows[0], one.place.columns[0]))


def _iterate_runs(line: Sequence[str]) -> Iterator[tuple[Range, str]]:
    start = 0
    for letter, equal in groupby(line):
        end = start + sum(1 for _ in equal)
        yield (start, end), letter
        start = end


def describe(content: Cells, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """Yield sentences about arrays, then about marks, flows, notes and bars."""
    names = name_parts(content)
    if len(content.arrays) > 1:
        yield Sentence(0, f"{count_of(len(content.arrays), 'array')}: {list_names([*_array_names(content)])}")
    for array in content.arrays:
        rank = 0 if len(content.arrays) <= 4 else 1
        yield Sentence(rank, _describe_array(content, figure, array))
        if text := _say_texts(array):
            yield Sentence(rank + 1, text)
        yield from (Sentence(2, text) for text in _describe_marks(array))
    for flow in content.flows:
        yield Sentence(1, _describe_flow(content, flow, names))
    if content.entry is not None:
        label = f": {label_to_unicode(content.entry.label)}" if content.entry.label else ""
        yield Sentence(1, f"An arrow leads to {list_names([*_array_names(content)])}{label}")
    for brace in content.braces:
        yield Sentence(2, f"A brace over {spell_element(content, brace.over, names)}: {label_to_unicode(brace.label)}")
    yield from _describe_bars(content, figure)
    if content.notes:
        yield Sentence(2, f"Notes: {'; '.join(label_to_unicode(note.text) for note in content.notes)}")


def name_parts(content: Cells) -> dict[str, str]:
    """Return the spoken names of arrays and of other parts, by id."""
    labels = {one.id: one.label for one in content.arrays} | {one.id: one.label for one in content.bars}
    return {name: label_to_unicode(label) or name for name, label in labels.items()}


def _array_names(content: Cells) -> Iterator[str]:
    yield from (label_to_unicode(array.label) or array.id for array in content.arrays)


def _describe_array(content: Cells, figure: FigureModel, array: CellArray) -> str:
    layers, rows, columns = array.shape
    size = f"{layers} by {rows} by {columns}" if array.has_layers else f"{rows} by {columns}"
    head = f"Array {label_to_unicode(array.label) or array.id}, {size}"
    blocks = [one for one in find_blocks(array) if one.letter not in (EMPTY, HOLE)]
    if array.ramp is not None:
        told = [f"values from {number(array.ramp.start)} to {number(array.ramp.end)}"]
    elif len(blocks) > _MOST_RECTANGLES:
        told = list(_count_cells(content, figure, array))
    else:
        said = [(spell_fill(content, figure, array, one.letter), one.place) for one in blocks]
        told = []
        for who, held in groupby(
            sorted(said, key=lambda each: find_first_mention(said, each[0])), key=lambda each: each[0]
        ):
            told.append(f"{who} has {join_words([spell_place(array, place) for _, place in held])}")
    holes = sum(line.count(HOLE) for layer in array.grid.fills for line in layer)
    told += [f"{holes} of {layers * rows * columns} cells do not exist"] * (holes > 0)
    return f"{head}: {'; '.join(told)}" if told else head


def find_first_mention(said: Sequence[tuple[str, Rectangle]], who: str) -> int:
    """Return the place of a name among the first mentions."""
    return next(place for place, (name, _) in enumerate(said) if name == who)


def _count_cells(content: Cells, figure: FigureModel, array: CellArray) -> Iterator[str]:
    """Yield how many cells have each fill."""
    letters = [letter for layer in array.grid.fills for line in layer for letter in line if letter != HOLE]
    for letter in dict.fromkeys(letters):
        if letter != EMPTY:
            who = spell_fill(content, figure, array, letter)
            yield f"{letters.count(letter)} of {len(letters)} cells: {who}"


def spell_fill(content: Cells, figure: FigureModel, array: CellArray, letter: str) -> str:
    """Return the name of a fill: `owner 2`, the label of a role, `masked`."""
    if letter == MASKED:
        return "masked"
    key = content.key_of(array, letter)
    return spell_key(content, key, figure) if key else letter


def spell_key(content: Cells, key: CellKey, figure: FigureModel) -> str:
    """Return the name of a key; `in part` if it has a hatch."""
    if key.role is not None:
        return label_to_unicode(figure.phase(key.role).label) or key.role
    return label_to_unicode(fill_number(content.owner_name, key.owner or 0)) + (
        " (in part)" if key.hatch != "none" else ""
    )


def spell_place(array: CellArray, place: Rectangle) -> str:
    """Return cells as words: `rows 0 to 3 of columns 0 and 1`, `all cells`, `row 7`."""
    layers, rows, columns = array.shape
    row = spell_range("row", array.rows, place.rows)
    column = spell_range("column", array.columns, place.columns)
    every_row, every_column = place.rows == (0, rows), place.columns == (0, columns)
    if every_row and every_column:
        told = "all cells"
    elif every_column:
        told = row
    else:
        told = column if every_row else f"{row} of {column}"
    if layers == 1 or place.layers == (0, layers):
        return told
    first, end = place.layers
    layer = f"layer {first}" if end - first == 1 else f"layers {first} to {end - 1}"
    return f"{told} in {layer}"


def spell_range(what: str, header: Header, span: Range) -> str:
    """Return rows or columns as words: `row 3`, `rows 0 and 1`, `rows 0 to 3`."""
    first, last = header.first + span[0], header.first + span[1] - 1
    if first == last:
        return f"{what} {header.ids[span[0]] if header.ids else first}"
    return f"{what}s {first} {'and' if last == first + 1 else 'to'} {last}"


def _say_texts(array: CellArray) -> str:
    """Return a sentence with the labels in the cells of an array, if they are few."""
    grid = array.grid
    texts = [label_to_unicode(text) for text in grid.texts.values() if text]
    texts += [label_to_unicode(array.regions[one.region].label) for one in grid.labeled]
    if not texts or len(texts) > 64 or array.ramp is not None:
        return ""
    rows: list[str] = []
    head = f"Array {label_to_unicode(array.label) or array.id} contains"
    if len(grid.texts) == len(texts):
        for _, held in groupby(sorted(grid.texts), key=lambda cell: cell[:2]):
            rows.append(" ".join(label_to_unicode(grid.texts[cell]) for cell in held))
        return f"{head} {' / '.join(rows)}"
    return f"{head} {', '.join(texts)}"


def _describe_marks(array: CellArray) -> Iterator[str]:
    """Yield sentences about marks and lines of an array."""
    name = label_to_unicode(array.label) or array.id
    for look, told in _MARKS.items():
        places = [spell_place(array, array.find_checked(mark.at)) for mark in array.marks if mark.look == look]
        if places:
            yield f"{told.capitalize()} in {name}: {list_names(places, 8)}"
    for line in array.lines:
        label = f": {label_to_unicode(line.label)}" if line.label else ""
        yield f"A line in {name} after {line.axis.removesuffix('s')} {line.after}{label}"


def spell_element(content: Cells, address: str, names: Mapping[str, str]) -> str:
    """Return an address as words: `row 7 of physical blocks`."""
    found = content.find_checked_element(address)
    return spell_found(found, names)


def spell_found(found: CellElement, names: Mapping[str, str]) -> str:
    """Return an element as words."""
    if found.bar is not None:
        first, end = found.parts
        whole = first == 0 and end == len(found.bar.parts)
        told = f"segment {first}" if end == first + 1 else f"segments {first} to {end - 1}"
        return names[found.bar.id] if whole else f"{told} of {names[found.bar.id]}"
    assert found.array is not None
    assert found.cells is not None
    if found.way == "all":
        return names[found.array.id]
    return f"{spell_place(found.array, found.cells)} of {names[found.array.id]}"


def _describe_flow(content: Cells, flow: CellFlow, names: Mapping[str, str]) -> str:
    label = f" ({label_to_unicode(flow.label)})" if flow.label else ""
    ends = (flow.target, flow.source) if flow.direction == "backward" else (flow.source, flow.target)
    source, target = (spell_element(content, end, names) for end in ends)
    verb = {"both": "and", "none": "is joined to"}.get(flow.direction, "leads to")
    if content.find_checked_element(ends[0]).way != "all":
        source = source[:1].upper() + source[1:]
    return f"{source} {verb} {target}{' lead to each other' if flow.direction == 'both' else ''}{label}"


def _describe_bars(content: Cells, figure: FigureModel) -> Iterator[Sentence]:
    """Yield the bars with their segments, and the limits that they exceed."""
    unit = f" {label_to_unicode(content.axis.unit)}" if content.axis and content.axis.unit else ""
    names = name_parts(content)
    for bar in content.bars:
        parts = join_words([f"{_say_segment(content, part, figure)} {spell_rounded(part.size)}" for part in bar.parts])
        yield Sentence(0, f"Bar {names[bar.id]}, {spell_rounded(bar.size)}{unit}: {parts}")
    for limit in content.axis.limits if content.axis else ():
        over = [names[bar.id] for bar in content.bars if bar.size > limit.at]
        what = label_to_unicode(limit.label) or f"the limit of {spell_rounded(limit.at)}{unit}"
        yield Sentence(0, f"Longer than {what}: {list_names(over) if over else 'no bar'}")


def _say_segment(content: Cells, part: BarPart, figure: FigureModel) -> str:
    return spell_key(content, CellKey(role=part.role, owner=part.owner), figure)
