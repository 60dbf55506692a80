r"""Every visible text has a macro of its own: which texts a figure has, and what their macros are called.

A text is wanted under a stem (`workerone`); the same text under the same stem in several panels is one macro, and
different texts under one stem get their panel's id in front.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tikzgen.base.errors import Problem, SpecError
from tikzgen.layout.cell_texts import cell_stem
from tikzgen.layout.chart import Chart
from tikzgen.layout.drawn_kinds import kind_of
from tikzgen.layout.hues import hues_text
from tikzgen.layout.labels import Labels, Slot
from tikzgen.layout.legend_marks import legend_marks
from tikzgen.layout.number_words import wordy
from tikzgen.model.figure import Figure

BANDS = "shade changes every {n}"
# LaTeX's own macros that end in "label"; inside the figure's group they would be hidden.
_RESERVED = {"newlabel", "makelabel", "reflabel", "itemlabel", "taglabel", "ltxlabel"}


def collect(figure: Figure, charts: Mapping[tuple[str, int], Chart]) -> Labels:
    """Name every text of the figure, in reading order."""
    slots: dict[tuple[str, str], Slot] = {}
    homes: dict[tuple[str, str], list[tuple[str | int, ...]]] = {}
    for slot in _slots(figure, charts):
        if slot.text:
            homes.setdefault((slot.panel, slot.stem), []).append(slot.path)
            first = slots.setdefault((slot.panel, slot.stem), slot)
            if first.text != slot.text:
                _clash(f"{first.meaning} and {slot.meaning} would share the macro \\{slot.stem}", slot)
    texts: dict[str, set[str]] = {}
    for slot in slots.values():
        texts.setdefault(slot.stem, set()).add(slot.text)
    macros = {
        key: slot.stem if len(texts[slot.stem]) == 1 else wordy(key[0]) + slot.stem for key, slot in slots.items()
    }
    _refuse_clashes(slots, macros)
    return Labels(slots, macros, homes)


def _refuse_clashes(slots: Mapping[tuple[str, str], Slot], macros: Mapping[tuple[str, str], str]) -> None:
    owner: dict[str, Slot] = {}
    for key, macro in macros.items():
        slot = slots[key]
        first = owner.setdefault(macro, slot)
        if macro in _RESERVED:
            _clash(f"{slot.meaning} would need the macro \\{macro}, which LaTeX uses itself", slot)
        if first.text != slot.text:
            _clash(f"{first.meaning} and {slot.meaning} would share the macro \\{macro}", slot)


def _clash(message: str, slot: Slot) -> None:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in slot.path)
    raise SpecError([Problem(message, path[1:], hint="choose another id")])


def used_phases(figure: Figure, charts: Iterable[Chart]) -> dict[str, set[int]]:
    """The phases that the figure shows with their chunks, in the order of the legend's entries or of first use.

    Frames show idle time, which stands first then; where only bubbles do, it stands last.
    """
    charts = tuple(charts)
    used: dict[str, set[int]] = {}
    if any(chart.part.frames for chart in charts):
        used["idle"] = {0}
    for chart in charts:
        for phase, found in chart.chunks.items():
            used.setdefault(phase, set()).update(found)
    if any(chart.part.bubbles for chart in charts):
        used.setdefault("idle", {0})
    wanted = figure.legend.entries
    return used if wanted is None else {name: used[name] for name in wanted if name in used}


def overlapped(figure: Figure, charts: Iterable[Chart]) -> tuple[tuple[str, int], ...]:
    """The two phases, with their chunks, of the first cell that is split between them; none where no cell is."""
    wanted = figure.legend.entries
    for chart in charts:
        for span in chart.part.spans:
            if span.second and (wanted is None or {span.phase, span.second.phase} <= set(wanted)):
                return (span.phase, span.chunk), (span.second.phase, span.second.chunk)
    return ()


def _chunks_text(charts: Iterable[Chart]) -> str:
    """What the legend says about shades: what they stand for in each timeline, empty where there is one."""
    used: dict[str, set[int]] = {}
    for chart in charts:
        used.setdefault(chart.part.shades, set()).update(*chart.chunks.values())
    parts = []
    for word, chunks in used.items():
        listed = [str(chunk + 1) for chunk in sorted(chunks)]
        if len(listed) > 1:
            parts.append(f"{word} {', '.join(listed) if len(listed) < 5 else f'{listed[0]} to {listed[-1]}'}")
    return f"shades: {'; '.join(parts)}" if parts else ""


def _slots(figure: Figure, charts: Mapping[tuple[str, int], Chart]) -> Iterator[Slot]:
    yield Slot("", "titlelabel", figure.title, "figure title", ("title",))
    for number, panel in enumerate(figure.panels):
        for index, content in enumerate(panel.content):
            yield from kind_of(content).slots(charts, panel, content, ("panels", number, "content", index))
        yield Slot(panel.id, "captionlabel", panel.caption, "caption below the panel", ("panels", number, "caption"))
    for mark in legend_marks(figure):
        yield Slot("", mark.stem + "label", mark.text, f"legend entry {mark.stem}", mark.path)
    if figure.legend.position != "none" and "phases" in figure.legend.of:
        for name in used_phases(figure, charts.values()):
            meaning = f"legend entry for {name}"
            yield Slot("", wordy(name) + "label", figure.phase(name).label, meaning, ("phases", name, "label"))
        together = "at the same time" if overlapped(figure, charts.values()) else ""
        yield Slot("", "overlaplabel", together, "legend entry for cells of two phases")
        if figure.color_by == "phase":
            yield Slot("", "chunkslabel", _chunks_text(charts.values()), "legend entry for the shades of a color")
        elif any(max(chunks) for chunks in used_phases(figure, charts.values()).values()):
            yield Slot("", "hueslabel", hues_text(figure), "legend entry for the hues")
        if any(chart.runs for chart in charts.values()):
            yield Slot("", "bandslabel", BANDS, "legend entry for alternating shades: #1 is how many", numbered=True)
        faulty = any(span.fault for chart in charts.values() for span in chart.part.spans)
        yield Slot("", "invalidlabel", "invalid" if faulty else "", "legend entry for cells that cannot be")
    for name in dict.fromkeys(cell.phase for chart in charts.values() for cell in chart.cells):
        meaning = f"number in the {name} spans: #1 is the number"
        yield Slot("", cell_stem(name), figure.phase(name).cell, meaning, ("phases", name, "cell"), numbered=True)
