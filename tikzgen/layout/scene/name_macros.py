r"""Macros of visible labels: collection of all labels of a figure, and macro names.

Each label is requested under a stem (`workerone`). Equal labels under one stem in several panels share a macro. If
they differ, the panel's id precedes the stem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tikzgen.base.errors import Problem, SpecError, format_path
from tikzgen.base.record import replace
from tikzgen.layout.attempt import Labels, Slot
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.scene.legend_entries import legend_entries
from tikzgen.layout.scene.number_words import spell_identifier
from tikzgen.layout.time.cell_texts import cell_stem
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel

# LaTeX macros that end in "label"; a macro of the figure would hide them inside its group.
_RESERVED_NAMES = {"newlabel", "makelabel", "reflabel", "itemlabel", "taglabel", "ltxlabel"}


def collect(figure: FigureModel, timelines: Mapping[tuple[str, int], TimelineFacts]) -> Labels:
    """Return all labels of the figure with their macros, in reading order. Raise `SpecError` on clashes."""
    slots: dict[tuple[str, str], Slot] = {}
    homes: dict[tuple[str, str], list[Path]] = {}
    for slot in _iterate_slots(figure, timelines):
        if slot.text:
            homes.setdefault((slot.panel, slot.stem), []).append(slot.path)
            first = slots.setdefault((slot.panel, slot.stem), slot)
            if first.text != slot.text:
                _refuse_clash(f"{first.meaning} and {slot.meaning} would share the macro \\{slot.stem}", slot)
    texts: dict[str, set[str]] = {}
    for slot in slots.values():
        texts.setdefault(slot.stem, set()).add(slot.text)
    for key, slot in slots.items():
        macro = slot.stem if len(texts[slot.stem]) == 1 else spell_identifier(slot.panel) + slot.stem
        slots[key] = replace(slot, macro=macro, homes=homes[key])
    _refuse_clashes(slots.values())
    return Labels(slots, {path: slot.macro for slot in slots.values() for path in slot.homes})


def _refuse_clashes(slots: Iterable[Slot]) -> None:
    owner: dict[str, Slot] = {}
    for slot in slots:
        first = owner.setdefault(slot.macro, slot)
        if slot.macro in _RESERVED_NAMES:
            _refuse_clash(f"{slot.meaning} would need the macro \\{slot.macro}, which LaTeX uses itself", slot)
        if first.text != slot.text:
            _refuse_clash(f"{first.meaning} and {slot.meaning} would share the macro \\{slot.macro}", slot)


def _refuse_clash(message: str, slot: Slot) -> None:
    raise SpecError([Problem(message, format_path(slot.path), hint="choose another id")])


def _iterate_slots(figure: FigureModel, timelines: Mapping[tuple[str, int], TimelineFacts]) -> Iterator[Slot]:
    yield Slot("", "titlelabel", figure.title, "figure title", ("title",))
    for number, panel in enumerate(figure.panels):
        for index, content in enumerate(panel.content):
            at = ("panels", number, "content", index)
            for stem, text, meaning, *path in kind_of(content).texts(timelines, panel, index, content):
                yield Slot(panel.id, stem, text, meaning, (*at, *path) if path else ())
        yield Slot(panel.id, "captionlabel", panel.caption, "caption below the panel", ("panels", number, "caption"))
    yield from (slot for slot, _ in legend_entries(figure, timelines.values()))
    for name in dict.fromkeys(cell.phase for facts in timelines.values() for cell in facts.cells):
        meaning = f"number in the {name} spans: #1 is the number"
        yield Slot("", cell_stem(name), figure.phase(name).cell, meaning, ("phases", name, "cell"), numbered=True)
