"""What a legend may explain besides phases: roles and states of entities, kinds of flow, numbers of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tikzgen.base.record import NOTHING, Record
from tikzgen.icons.catalogue import Icon
from tikzgen.layout.number_words import spell, wordy
from tikzgen.model.content import Content, Path
from tikzgen.model.entities import LOOKS, Entity
from tikzgen.model.figure import Figure
from tikzgen.model.topology import Topology
from tikzgen.text import Text


class LegendMark(Record):
    """One that has an entry: its stem in macros and names, its text and where that stands, and what is shown of it.

    `swatch` has the styles of a filled square, `line` that of a line, `sign` what stands in a circle.
    """

    stem: str
    text: Text
    path: Path
    swatch: str = ""
    line: str = ""
    sign: str = ""


def legend_marks(figure: Figure, icons: Mapping[str, Icon] = NOTHING) -> Iterator[LegendMark]:
    """All that the figure uses, in the order in which its legend asks for them."""
    if figure.legend.position != "none":
        for what in figure.legend.of:
            if what != "phases":
                yield from _FOUND[what](figure, icons)


def _mark(figure: Figure, what: str, name: str, swatch: str = "", line: str = "", sign: str = "") -> LegendMark:
    own = figure.legend.texts.get(name)
    path: Path = ("legend", "texts", name) if own is not None else ()
    word = spell(int(name)) if name.isdigit() else wordy(name.replace(" ", "-"))
    return LegendMark(f"{word}{what}", name if own is None else own, path, swatch, line, sign)


def _entities(figure: Figure) -> Iterator[Entity]:
    for _, _, part in figure.parts(Topology):
        yield from (node for node in part.nodes if isinstance(node, Entity))


def _roles(figure: Figure, icons: Mapping[str, Icon]) -> Iterator[LegendMark]:
    found: dict[str, str] = {}
    for node in _entities(figure):
        kind = getattr(node, "kind", "node")
        icon = icons.get(node.icon or "")
        found.setdefault(node.role or kind, node.color or (icon.color if icon else LOOKS.get(kind, ("", "otgray"))[1]))
    yield from (_mark(figure, "role", name, swatch=f"tone={color}") for name, color in found.items())


def _kinds(figure: Figure, icons: Mapping[str, Icon]) -> Iterator[LegendMark]:
    for kind in dict.fromkeys(kind for _, _, part in figure.parts(Content) for kind, _ in part.flow_kinds()):
        yield _mark(figure, "kind", kind, line=figure.kind(kind).tikz_style(kind))


def _steps(figure: Figure, icons: Mapping[str, Icon]) -> Iterator[LegendMark]:
    numbers = sorted({step for _, _, part in figure.parts(Topology) for step in part.steps()})
    yield from (_mark(figure, "step", str(one), sign=str(one)) for one in numbers if str(one) in figure.legend.texts)


def _states(figure: Figure, icons: Mapping[str, Icon]) -> Iterator[LegendMark]:
    for state in dict.fromkeys(node.state for node in _entities(figure) if node.state != "normal"):
        yield _mark(figure, "state", state, swatch=state)


_FOUND: Mapping[str, Callable[[Figure, Mapping[str, Icon]], Iterator[LegendMark]]] = {
    "roles": _roles,
    "kinds": _kinds,
    "steps": _steps,
    "states": _states,
}
