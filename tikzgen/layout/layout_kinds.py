"""What draws each kind of what a panel may hold: one instance a kind, in its own folder, found by the kind's name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.extensions import lacks, load_address
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.scene.scene import Fate, PlacedPart, Scene
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.content import KINDS, Content, Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.panel_parts import Panel

_C = TypeVar("_C", bound=Content, contravariant=True)
FactsByPlace = Mapping[tuple[str, int], TimelineFacts]
Said = tuple[str, str, str, *Path]
"""The stem of a text's macro, the text, what it means, and the path in the part of the field that says it, if any."""
Linked = Sequence[tuple[str, str]]
"""What links end on in a panel: ids there, each with the place along it, empty where none was given."""


class LayoutKind(Protocol[_C]):
    """How one kind is drawn. A part is told by its panel and its place among what that holds.

    Its items name their templates; the styles that they use, beyond those that all figures have, are spelt by the
    template `<name of the kind>-styles`, in the order of `styles`.
    """

    styles: ClassVar[tuple[str, ...]] = ()

    def with_dots(self, part: _C, linked: Collection[str]) -> Content:
        """Return the part with dots for the members that it does not draw; keep the nodes that are `linked`."""
        return part

    @abstractmethod
    def texts(self, timelines: FactsByPlace, panel: Panel, index: int, part: _C) -> Iterator[Said]:
        """Its texts."""

    @abstractmethod
    def needs(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> dict[str, DistanceNeed]:
        """The distances that it uses."""

    @abstractmethod
    def place_part(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C, linked: Linked) -> PlacedPart:
        """Place the part around its own origin, with all that links need to know of it."""

    def length(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> float | None:
        """How long it is in time units, where its time runs to the right."""
        return None

    def fates(self, plan: LayoutAttempt, panel: Panel, at: Path, part: _C, used: Collection[str]) -> Iterator[Fate]:
        """What became of the texts, numbers and flows of the part at this path; macros that are `used` are drawn."""
        return fates_of_texts(plan, panel, at, self.texts(plan.timelines, panel, int(at[-1]), part), used)

    def phases_with_text(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> Iterator[str]:
        """The phases whose cells show a number or a label, among those whose legend entries depend on it."""
        yield from ()

    def naming_scheme(self, figure: FigureModel, scene: Scene, parts: Sequence[_C]) -> Iterator[str]:
        """Yield how the nodes of these parts are named, in sentences without a period."""
        yield from ()

    def by_hand(self, figure: FigureModel, scene: Scene, parts: Sequence[_C]) -> dict[str, str]:
        """Return how a person does what operations do, by the words in braces in their `hand`."""
        return {}

    def invariants(self, figure: FigureModel, scene: Scene, parts: Sequence[_C]) -> Iterator[str]:
        """Yield what every edit must keep."""
        yield from ()


def fates_of_texts(
    plan: LayoutAttempt, panel: Panel, at: Path, texts: Iterable[Said], used: Collection[str]
) -> Iterator[Fate]:
    """What became of texts of the part at this path."""
    for stem, text, meaning, *path in texts:
        if text:
            macro = plan.labels.macro(panel.id, stem)
            yield Fate("label", (*at, *path), text, "drawn" if macro in used else "left out", meaning)


def phases_with_text(plan: LayoutAttempt) -> Iterator[str]:
    """The same of all parts of a figure."""
    for panel in plan.figure.panels:
        for index, part in enumerate(panel.content):
            yield from kind_of(part).phases_with_text(plan, panel, index, part)


def kind_of(part: Content) -> LayoutKind[Any]:
    """Return what draws a part; `TikzgenError` if the layout of a package is incomplete."""
    return _kind(part.type)


@cache
def _kind(name: str) -> LayoutKind[Any]:
    # each kind takes long to load: figures without one go without its modules
    address = KINDS[name].layout_address
    found = load_address(address)
    if missing := [each for each in ("texts", "needs", "place_part") if lacks(found, each)]:
        message = f"package {quote(KINDS.package_of(name))}: the layout of the kind {quote(name)} lacks "
        raise TikzgenError(message + ", ".join(missing), hint=f"define {missing[0]} in {address}")
    made: LayoutKind[Any] = found() if isinstance(found, type) else found
    return made
