r"""Macros of visible labels: collection of all labels of a figure, and macro names.

The name of a macro consists of the ids of the element that has the label. Elements with the same ids and the same text
in several panels share a macro. The id of the panel precedes the name of an element without id, and of an element that
has another text than the same one in an earlier panel. Names that are still equal are numbered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count

from tikzgen.base.record import replace
from tikzgen.layout.attempt import CAPTION_STEM, WITHOUT_ID, Labels, Slot
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.scene.legend_entries import legend_entries
from tikzgen.layout.scene.number_words import spell_identifier
from tikzgen.layout.time.cell_texts import cell_stem
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.content import Path
from tikzgen.model.figure import FigureModel

RESERVED_NAMES = frozenset(
    f"{start}{end}"
    for end, starts in {
        "label": ("new", "make", "ref", "item", "tag", "ltx", "description", "labeling", "symbol", "pgf", "pgfnode"),
        "rule": ("h", "v", "fbox", "columnsep", "footnote", "top", "mid", "bottom", "pgfseteo", "pgfsetnonzero"),
        "text": ("latin", "greek", "cyrillic", "language", "pgf", "tikzpic", "inter", "footnote", "caption", "cite"),
        "cell": ("make", "multi", "pgfmatrixnext", "pgfdvnext"),
    }.items()
    for start in starts
)
"""Macros of LaTeX, TikZ and packages that end like macros of labels, which would hide them."""


def collect(figure: FigureModel, timelines: Mapping[tuple[str, int], TimelineFacts]) -> Labels:
    """Return all labels of the figure with their macros, in reading order."""
    homes: dict[tuple[str, str, str], list[Path]] = {}
    first: dict[tuple[str, str, str], Slot] = {}
    for slot in _iterate_slots(figure, timelines):
        if slot.text:
            key = slot.panel, slot.stem, slot.text
            first.setdefault(key, slot)
            homes.setdefault(key, []).append(slot.path)
    owners: dict[str, tuple[str, str]] = dict.fromkeys(RESERVED_NAMES, ("", ""))
    slots = []
    for key, slot in first.items():
        macros = map(spell_identifier, _iterate_names(slot, several=len(figure.panels) > 1))
        macro = next(each for each in macros if owners.setdefault(each, key[1:]) == key[1:])
        slots.append(replace(slot, macro=macro, homes=homes[key]))
    return Labels(
        slots,
        {(slot.panel, slot.stem): slot.macro for slot in reversed(slots)},
        {path: slot.macro for slot in slots for path in slot.homes},
    )


def _iterate_names(slot: Slot, *, several: bool) -> Iterator[str]:
    """Yield the possible names of a macro, the best one first: without the panel, with it, and numbered."""
    inside = f"{slot.panel} {slot.stem}" if several else slot.stem
    if not slot.stem.startswith(WITHOUT_ID):
        yield slot.stem
    yield from chain([inside], (f"{inside} {number}" for number in count(2)))


def _iterate_slots(figure: FigureModel, timelines: Mapping[tuple[str, int], TimelineFacts]) -> Iterator[Slot]:
    yield Slot("", "titlelabel", figure.title, "figure title", ("title",))
    for number, panel in enumerate(figure.panels):
        for index, content in enumerate(panel.content):
            at = ("panels", number, "content", index)
            for stem, text, meaning, *path in kind_of(content).texts(timelines, panel, index, content):
                yield Slot(panel.id, stem, text, meaning, (*at, *path) if path else ())
            for stem, text, meaning, *path in kind_of(content).number_formats(panel, index, content):
                yield Slot(panel.id, stem, text, meaning, (*at, *path), numbered=True)
        yield Slot(
            panel.id,
            CAPTION_STEM,
            panel.caption,
            "caption below the panel",
            ("panels", number, "caption"),
        )
    yield from (slot for slot, _ in legend_entries(figure, timelines.values()))
    for name in dict.fromkeys(cell.phase for facts in timelines.values() for cell in facts.cells):
        meaning = f"number in the {name} spans: #1 is the number"
        yield Slot("", cell_stem(name), figure.phase(name).cell, meaning, ("phases", name, "cell"), numbered=True)
