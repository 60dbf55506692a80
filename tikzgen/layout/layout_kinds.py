"""Layouts of the kinds of panel content: one `LayoutKind` instance per kind, found by its name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.extensions import is_attribute_missing, load_address
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.scene.scene import Fate, PlacedPart, Scene
from tikzgen.layout.time.timeline_facts import TimelineFacts
from tikzgen.model.content import KINDS, Content, Path
from tikzgen.model.figure import FigureModel
from tikzgen.model.layout_record import TopologyRecord
from tikzgen.model.panel_parts import Panel

_C = TypeVar("_C", bound=Content, contravariant=True)
FactsByPlace = Mapping[tuple[str, int], TimelineFacts]
Said = tuple[str, str, str, *Path]
"""Stem of a label's macro, the label, its meaning, and the path of its field in the part, if any."""
Linked = Sequence[tuple[str, str]]
"""Ends of links in a panel: addresses, each with the position along a flow, which is empty if not given."""


class LayoutKind(Protocol[_C]):
    """Layout of one kind. A part is given by its panel and its index in the content of that panel.

    Items name their templates. The template `<name of the kind>-styles` writes the styles that are specific to the
    kind, in the order of `styles`.
    """

    styles: ClassVar[tuple[str, ...]] = ()

    def with_dots(self, part: _C, linked: Collection[str]) -> Content:
        """Return the part with dots for the members that it does not draw; keep the nodes that are `linked`."""
        return part

    @abstractmethod
    def texts(self, timelines: FactsByPlace, panel: Panel, index: int, part: _C) -> Iterator[Said]:
        """Yield the labels of the part."""

    def number_formats(self, panel: Panel, index: int, part: _C) -> Iterator[Said]:
        """Yield the formats of its numbers, whose macros take the number as argument."""
        yield from ()

    @abstractmethod
    def needs(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> dict[str, DistanceNeed]:
        """Return the distances that the part uses, by name."""

    @abstractmethod
    def place_part(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C, linked: Linked) -> PlacedPart:
        """Place the part around its own origin, with the data that links need."""

    def record(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> TopologyRecord | None:
        """Return the layers of a part that the layout found, to be kept by later layouts; None if there are none."""
        return None

    def length(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> float | None:
        """Return the length in time units if time runs to the right, else None."""
        return None

    def fates(self, plan: LayoutAttempt, panel: Panel, at: Path, part: _C, used: Collection[str]) -> Iterator[Fate]:
        """Yield the outcome of the labels, numbers and flows of the part at `at`; `used` macros are drawn."""
        return fates_of_texts(plan, panel, at, self.texts(plan.timelines, panel, int(at[-1]), part), used)

    def phases_with_text(self, plan: LayoutAttempt, panel: Panel, index: int, part: _C) -> Iterator[str]:
        """Yield the phases whose cells show a number or a label, if their legend entry depends on that."""
        yield from ()

    def naming_scheme(self, figure: FigureModel, scene: Scene, parts: Sequence[_C]) -> Iterator[str]:
        """Yield sentences without a period that state the names of the nodes of these parts."""
        yield from ()

    def by_hand(self, figure: FigureModel, scene: Scene, parts: Sequence[_C]) -> dict[str, str]:
        """Return instructions for manual edits, by the placeholders in the `hand` text of operations."""
        return {}

    def contract_rows(self, figure: FigureModel, scene: Scene) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return rows of the contract for programs, such as the counted families of the parts, by field."""
        return {}

    def invariants(self, figure: FigureModel, scene: Scene, parts: Sequence[_C]) -> Iterator[str]:
        """Yield the conditions that every edit must preserve."""
        yield from ()


def fates_of_texts(
    plan: LayoutAttempt, panel: Panel, at: Path, texts: Iterable[Said], used: Collection[str]
) -> Iterator[Fate]:
    """Yield the outcome of labels of the part at `at`: drawn if their macros are `used`, else left out."""
    for stem, text, meaning, *path in texts:
        if text:
            macro = plan.labels.find_macro(panel.id, stem)
            yield Fate("label", (*at, *path), text, "drawn" if macro in used else "left out", meaning)


def phases_with_text(plan: LayoutAttempt) -> Iterator[str]:
    """Yield the phases whose cells show a number or a label, for all parts of a figure."""
    for panel in plan.figure.panels:
        for index, part in enumerate(panel.content):
            yield from kind_of(part).phases_with_text(plan, panel, index, part)


def kind_of(part: Content) -> LayoutKind[Any]:
    """Return the layout of a part's kind. Raise `TikzgenError` if the layout of a package is incomplete."""
    return _load_kind(part.type)


@cache
def _load_kind(name: str) -> LayoutKind[Any]:
    # Kinds are slow to load: figures without a kind must not load its modules.
    address = KINDS[name].layout_address
    found = load_address(address)
    if missing := [each for each in ("texts", "needs", "place_part") if is_attribute_missing(found, each)]:
        message = f"package {quote(KINDS.package_of(name))}: the layout of the kind {quote(name)} lacks "
        raise TikzgenError(message + ", ".join(missing), hint=f"define {missing[0]} in {address}")
    made: LayoutKind[Any] = found() if isinstance(found, type) else found
    return made
