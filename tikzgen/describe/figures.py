"""A whole figure in sentences: its subject, then its panels, in as much detail as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tikzgen.base.record import replace
from tikzgen.describe.english import Known, Sentence, counted, cut, fitted, listed
from tikzgen.describe.gists import gist
from tikzgen.describe.spacetimes import spacetime
from tikzgen.describe.speech import spoken
from tikzgen.describe.timelines import timeline
from tikzgen.describe.topologies import topology
from tikzgen.model.figure import Options

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure, Panel, Recipe

__all__ = ["described", "titled"]

_TITLE = 160  # characters


def titled(figure: Figure, origin: Recipe | None) -> str:
    """The author's name for the figure, else its title, its only caption, its subject, its id if it has one."""
    caption = figure.panels[0].caption if len(figure.panels) == 1 else ""
    named = figure.meta.name or spoken(figure.title) or spoken(caption) or gist(origin)
    return cut(" ".join(named.split()) or _named(figure.id), _TITLE)


def _named(identifier: str) -> str:
    return "" if identifier == Options.model_fields["id"].default else identifier.replace("-", " ")


def described(figure: Figure, origin: Recipe | None) -> str:
    """The author's description, else one made of the parts."""
    if figure.meta.description.strip():
        return " ".join(figure.meta.description.split())
    subject = gist(origin)
    known = _measured(origin, subject)
    captions = [spoken(panel.caption) for panel in figure.panels]
    # a caption that tells a share tells this one
    panels = [
        list(_panel(panel, figure, known.get(panel.id, Known(subject=subject)), told="%" in caption))
        for panel, caption in zip(figure.panels, captions, strict=True)
    ]
    return fitted(lambda detail: [*_told(subject, panels, captions, detail), *_links(figure, detail)])


def _measured(origin: Recipe | None, subject: str) -> dict[str, Known]:
    """What is known of each panel whose schedule was computed."""
    found = {plan.panel: plan.costs() for plan in origin.plans()} if origin is not None else {}
    return {
        panel: Known(each.makespan, each.bubble_over_total if each.busy else None, subject)
        for panel, each in found.items()
    }


_SENTENCES: Mapping[str, Callable[[Any, Figure, Known], Iterator[Sentence]]] = {
    "topology": topology,
    "timeline": timeline,
    "spacetime": spacetime,
}
"""What tells each kind of part, by the kind's name."""


def _panel(panel: Panel, figure: Figure, known: Known, *, told: bool) -> Iterator[Sentence]:
    """The sentences of a panel; `told` where its caption says the share of idle time already."""
    for content in panel.content:
        yield from _SENTENCES[content.type](content, figure, replace(known, idle=None) if told else known)


def _told(subject: str, panels: Sequence[Sequence[Sentence]], captions: Sequence[str], detail: int) -> Iterator[str]:
    yield subject
    if len(panels) == 1:
        if captions[0] and (detail or not subject):
            yield captions[0]
        yield from (one.text for one in panels[0] if one.rank <= detail)
        return
    told = [[one.inside for one in panel if one.rank < detail] for panel in panels]
    alike = [text for text in told[0] if all(text in other for other in told[1:])]
    named = [caption or f"Panel {place}" for place, caption in enumerate(captions, 1)]
    if detail == 0:
        yield f"{counted(len(panels), 'panel')}: {listed(named, 12)}"
    else:
        yield counted(len(panels), "panel") + (f", each: {'; '.join(alike)}" if alike else "")
    for name, texts in zip(named, told, strict=True) if detail else ():
        own = [text for text in texts if text not in alike]
        yield f"{name}: {'; '.join(own)}" if own else name


def _links(figure: Figure, detail: int) -> Iterator[str]:
    if figure.links and detail > 1:
        yield "Dotted links join what belongs together in different parts"
