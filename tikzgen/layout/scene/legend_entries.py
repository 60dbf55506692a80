"""Legend entries: phases with their shades, roles and states of nodes, flow kinds, step numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from tikzgen.base.record import NOTHING
from tikzgen.layout.attempt import Bands, Slot
from tikzgen.layout.scene.items import LegendEntryItem, name_owner_style, name_phase_style, name_value_style
from tikzgen.layout.scene.number_words import spell_cardinal, spell_identifier
from tikzgen.layout.scene.phase_shades import GREY, spell_owners
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.cells import VALUE_CLASSES_COUNT
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import Icon, translate_word
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import LOOKS, Entity, Topology

_BANDS = "shade changes every {n}"

Explained = Iterator[tuple[Slot, LegendEntryItem]]
"""Labels of the legend, each with its entry, which does not have a macro yet."""


def legend_entries(
    figure: FigureModel,
    timelines: Collection[TimelineFacts],
    icons: Mapping[str, Icon] = NOTHING,
    bands: Collection[Bands] = (),
    with_text: Collection[str] | None = None,
) -> Explained:
    """Yield an entry for everything that the figure uses, in the legend's order, phases last.

    Cells of the phases in `with_text` show labels. Pass None before the layout: both labels of each phase are then
    yielded.
    """
    if figure.legend.position == "none":
        return
    for what in figure.legend.of:
        if what != "phases":
            yield from _FINDERS[what](figure, icons)
    if "phases" in figure.legend.of:
        yield from _iterate_phase_entries(figure, timelines, bands, with_text)


def _iterate_phase_entries(
    figure: FigureModel,
    timelines: Collection[TimelineFacts],
    bands: Collection[Bands],
    with_text: Collection[str] | None,
) -> Explained:
    """Yield entries for phases, then for the meaning of their shades and marks."""
    shown, in_hues = _used_phases(figure, timelines), figure.is_by_owner
    for one in bands:
        for name in one.phases & shown.keys():
            shown[name] |= {0, 1}
    for name, chunks in shown.items():
        grey = GREY if in_hues and max(chunks) else 0  # hatch of the phase for any owner
        shades = (
            (name_phase_style(name, grey),)
            if grey
            else tuple(name_phase_style(name, chunk) for chunk in sorted(chunks))
        )
        look, meaning = figure.phase(name), f"legend entry for {name}"
        entry = LegendEntryItem(name, swatches=shades, chunk=grey, pale=look.is_background)
        if look.cell_label and (with_text is None or name in with_text):
            yield (
                Slot("", f"{name} label", look.cell_label, meaning, ("phases", name, "cell_label")),
                entry,
            )
        if not look.cell_label or with_text is None or name not in with_text:
            stem = f"{name} barelabel" if look.cell_label else f"{name} label"
            yield Slot("", stem, look.label, meaning, ("phases", name, "label")), entry
    ramps = dict.fromkeys(each for _, _, part in figure.parts(Content) for each in part.list_ramps())
    for place, label in enumerate(ramps):
        name = f"ramp-{place + 1}" if place else "ramp"
        swatches = tuple(map(name_value_style, range(VALUE_CLASSES_COUNT)))
        yield Slot("", f"{name} label", label, "legend entry for values"), LegendEntryItem(name, swatches=swatches)
    if in_hues and any(max(chunks) for chunks in shown.values()):
        slot = Slot("", "hueslabel", spell_owners(figure), "legend entry for the fills of owners")
        yield slot, LegendEntryItem("hues", swatches=_choose_hue_shades(shown))
    if both := _split_shades(figure, timelines):
        slot = Slot(
            "",
            "overlaplabel",
            translate_word("at the same time", figure.language),
            "legend entry for cells of two phases",
        )
        yield slot, LegendEntryItem("two-phases", swatches=both)
    if not in_hues:
        slot = Slot("", "chunkslabel", _chunks_text(timelines), "legend entry for the shades of a color")
        yield slot, LegendEntryItem("chunks")
    if any(facts.runs for facts in timelines):
        meaning = "legend entry for alternating shades: #1 is how many"
        counts = [str(every) for every in dict.fromkeys(one.every for one in bands if one.phases) if every]
        entry = LegendEntryItem(f"bands{'-'.join(counts)}", number=" / ".join(counts))
        yield Slot("", "bandslabel", translate_word(_BANDS, figure.language), meaning, numbered=True), entry
    if any(span.fault for facts in timelines for span in facts.part.spans):
        slot = Slot(
            "", "invalidlabel", translate_word("invalid", figure.language), "legend entry for cells that cannot be"
        )
        yield slot, LegendEntryItem("invalid", swatches=("fault",))


def _choose_hue_shades(shown: Mapping[str, set[int]]) -> tuple[str, ...]:
    """Return the fills of the first four owners, if possible of the phase that has most of them."""
    found: dict[int, str] = {}
    for name, chunks in sorted(shown.items(), key=lambda entry: -len(entry[1])):
        for chunk in chunks - {0}:
            found.setdefault(chunk, name_phase_style(name, chunk))
    return tuple(found[chunk] for chunk in sorted(found)[:4])


def _used_phases(figure: FigureModel, timelines: Collection[TimelineFacts]) -> dict[str, set[int]]:
    """Return the phases that the figure shows, with their chunks, in legend order or order of first use.

    Idle time, which bubbles and frames show, is last.
    """
    used: dict[str, set[int]] = {}
    for facts in timelines:
        for phase, found in facts.chunks.items():
            used.setdefault(phase, set()).update(found)
    if any(facts.part.bubbles or facts.part.frames for facts in timelines):
        used.setdefault("idle", {0})
    for _, _, part in figure.parts(Content):
        if not isinstance(part, Timeline):
            used.update((name, {0}) for name, _ in part.phases() if name not in used)
    wanted = figure.legend.entries
    return used if wanted is None else {name: used[name] for name in wanted if name in used}


def _split_shades(figure: FigureModel, timelines: Collection[TimelineFacts]) -> tuple[str, ...]:
    """Return the shades of the first cell that is split between two phases, if any."""
    wanted = figure.legend.entries
    for facts in timelines:
        for span in facts.part.spans:
            if span.second and (wanted is None or {span.phase, span.second.phase} <= set(wanted)):
                return name_phase_style(span.phase, span.chunk), name_phase_style(span.second.phase, span.second.chunk)
    return ()


def _chunks_text(timelines: Collection[TimelineFacts]) -> str:
    """Return the legend text for shades: their meaning in each timeline; empty if there is one shade only."""
    used: dict[str, set[int]] = {}
    for facts in timelines:
        used.setdefault(facts.part.shades, set()).update(*facts.chunks.values())
    parts = []
    for word, chunks in used.items():
        listed = [str(chunk + 1) for chunk in sorted(chunks)]
        if len(listed) > 1:
            parts.append(f"{word} {', '.join(listed) if len(listed) < 5 else f'{listed[0]} to {listed[-1]}'}")
    return f"shades: {'; '.join(parts)}" if parts else ""


def _mark(
    figure: FigureModel, what: str, name: str, swatch: str = "", line: str = "", sign: str = ""
) -> tuple[Slot, LegendEntryItem]:
    """Return the label slot and the entry for a role, kind, step or state: a swatch, a line, or a number."""
    own = figure.legend.texts.get(name)
    stem = f"{spell_cardinal(int(name)) if name.isdigit() else spell_identifier(name.replace(' ', '-'))}{what}"
    home = ("legend", "texts", name) if own is not None else ()
    text = translate_word(name, figure.language) if own is None else own
    slot = Slot("", stem + "label", text, f"legend entry {stem}", home)
    return slot, LegendEntryItem(stem, swatches=(swatch,) if swatch else (), line=line, sign=sign)


def _iterate_entities(figure: FigureModel) -> Iterator[Entity]:
    for _, _, part in figure.parts(Topology):
        yield from (node for node in part.nodes if isinstance(node, Entity))


def _iterate_role_entries(figure: FigureModel, icons: Mapping[str, Icon]) -> Explained:
    found: dict[str, str] = {}
    for node in _iterate_entities(figure):
        kind = getattr(node, "kind", "node")
        icon = icons.get(node.icon or "")
        found.setdefault(node.role or kind, node.color or (icon.color if icon else LOOKS.get(kind, ("", "otgray"))[1]))
    yield from (_mark(figure, "role", name, swatch=f"tone={color}") for name, color in found.items())


def _iterate_kind_entries(figure: FigureModel, icons: Mapping[str, Icon]) -> Explained:
    for kind in dict.fromkeys(kind for _, _, part in figure.parts(Content) for kind, _ in part.flow_kinds()):
        yield _mark(figure, "kind", kind, line=figure.kind(kind).tikz_style(kind))


def _iterate_step_entries(figure: FigureModel, icons: Mapping[str, Icon]) -> Explained:
    numbers = sorted({step for _, _, part in figure.parts(Topology) for step in part.steps()})
    yield from (_mark(figure, "step", str(one), sign=str(one)) for one in numbers if str(one) in figure.legend.texts)


_STATES = {"failed": "failed={0}{0}", "idle": "tone=otgray, idle"}
"""Styles of swatches for states that consist of more than a border."""


def _iterate_state_entries(figure: FigureModel, icons: Mapping[str, Icon]) -> Explained:
    for state in dict.fromkeys(node.state for node in _iterate_entities(figure) if node.state != "normal"):
        yield _mark(figure, "state", state, swatch=_STATES.get(state, state))


def _iterate_owner_entries(figure: FigureModel, icons: Mapping[str, Icon]) -> Explained:
    named = {owner: part.name_owner(owner) for _, _, part in figure.parts(Content) for owner, _ in part.list_owners()}
    for owner in sorted(named):
        own = figure.legend.texts.get(str(owner))
        stem = f"{spell_cardinal(owner)}owner"
        home = ("legend", "texts", str(owner)) if own is not None else ()
        slot = Slot("", f"{stem}label", named[owner] if own is None else own, f"legend entry {stem}", home)
        yield slot, LegendEntryItem(stem, swatches=(name_owner_style(owner),))


_FINDERS: Mapping[str, Callable[[FigureModel, Mapping[str, Icon]], Explained]] = {
    "roles": _iterate_role_entries,
    "kinds": _iterate_kind_entries,
    "steps": _iterate_step_entries,
    "states": _iterate_state_entries,
    "owners": _iterate_owner_entries,
}
