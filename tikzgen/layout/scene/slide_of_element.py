"""Slides of the elements of a page in a talk: never before an element to which they are attached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tikzgen.base.record import replace
from tikzgen.layout.scene.items import (
    Item,
    LegendEntryItem,
    LegendItem,
    NoteItem,
    ScopeItem,
    ShownItem,
    name_phase_style,
)
from tikzgen.model.addresses import read_address
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel


def on_slides(figure: FigureModel, items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the elements of a page with their slides, in scopes by slide; unchanged without slides."""
    return tuple(_Talk(figure).slides_in_scope(items, 1)) if figure.slides else tuple(items)


def by_groups(figure: FigureModel) -> dict[str, int]:
    """Return the slides of the nodes that groups name, by the nodes' names."""
    known, found = figure.refs() if figure.slides else {}, {}
    for slide, names in enumerate(figure.slides.groups.values() if figure.slides else (), 1):
        for address in map(read_address, names):
            panel = address.name.rpartition(".")[0]
            own = known[address.name].name_node(address.inside)
            found[f"{panel}-{own}" if panel else own] = slide
    return found


class _Talk:
    """State while the elements are visited in file order, in which each element follows its dependencies."""

    def __init__(self, figure: FigureModel) -> None:
        self.slides = by_groups(figure)
        self.steps: dict[str, int] = {}
        if figure.slides and figure.slides.by == "flows":
            numbers = sorted({step for _, _, part in figure.parts(Content) for step in part.steps()})
            self.steps = {str(step): slide for slide, step in enumerate(numbers, 2)}
        self.looks: dict[str, int] = {}  # first slide that shows each style

    def slides_in_scope(self, items: Iterable[Item], base: int) -> Iterator[Item]:
        """Yield the elements of a scope that is itself shown from slide `base` on."""
        found = [self.set_item_slide(item, base) for item in items]
        for slide, group in groupby(found, key=lambda pair: pair[1]):
            own = tuple(item for item, _ in group)
            yield from (ScopeItem("", own, slide=slide),) if slide > base else own

    def set_item_slide(self, item: Item, base: int) -> tuple[Item, int]:
        """Return an element, and the slide for the scope around it (`base` if it needs no scope)."""
        slide = base
        while isinstance(item, ShownItem):
            slide, item = max(slide, item.slide), item.item
        if isinstance(item, NoteItem):
            return item, base
        if isinstance(item, LegendItem):
            return replace(item, entries=tuple(map(self.set_entry_slide, item.entries))), base
        if isinstance(item, ScopeItem):
            return replace(
                item, items=tuple(self.slides_in_scope(item.items, slide)), slide=slide if slide > base else 0
            ), base
        own = [self.slides[name] for name in (*item.iterate_names(), *item.iterate_end_nodes()) if name in self.slides]
        slide = max([slide, self.steps.get(getattr(item, "step", ""), 1), *own])
        slide = getattr(item, "slide", 0) or slide  # spans and paths may have their own slide
        self.slides.update(dict.fromkeys(item.iterate_names(), slide))
        seen = [name_phase_style(*look) for look in item.iterate_phases()] + [name_phase_style("idle", 0)] * (
            "frame" in item.iterate_styles()
        )
        seen += [getattr(item, "style", "")] if getattr(item, "source", "") else []  # lines of flows
        self.looks.update((look, min(slide, self.looks.get(look, slide))) for look in seen)
        if hasattr(item, "slide"):
            return (replace(item, slide=slide) if slide > base else item), base
        return item, slide

    def set_entry_slide(self, entry: LegendEntryItem) -> LegendEntryItem:
        """Return the legend entry with the first slide that shows its swatches, its line or its step."""
        if entry.sign in self.steps:
            return replace(entry, slide=self.steps[entry.sign])
        own = [slide for look, slide in self.looks.items() if entry.chunk and look.startswith(f"{entry.name} ")]
        seen = own or [self.looks.get(look, 1) for look in (*entry.swatches, *([entry.line] if entry.line else []))]
        slide = (max if entry.name == "two-phases" else min)(seen, default=1)
        return replace(entry, slide=slide if slide > 1 else 0)
