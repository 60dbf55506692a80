"""Record of a layout: the layers of each topology, for the next render of the same figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, model_validator

from tikzgen.model.part import Part, fail

_WORSE_SHARE = 0.25
"""Largest increase of the cost, as a share, with which a changed topology keeps its layers."""
_NEW_CM = 4.0
"""Increase of the cost in cm of edge that is allowed for a change, and for each new node or flow."""


_Cm = Annotated[float, Field(ge=-600, le=600)]


class LayersRecord(Part):
    """Layers of the members of a group, or of a topology if `group` is empty, folded into `fold` bands.

    `along` are the positions of the layers in cm, and `across` the positions of members. Folded layers have none. Long
    layers may be `broken` into several.
    """

    group: str = ""
    down: bool = False
    fold: int = Field(default=1, ge=1, le=100)
    winding: bool = False
    broken: bool = False
    layers: tuple[tuple[str, ...], ...]
    along: tuple[_Cm, ...] = ()
    across: tuple[tuple[_Cm, ...], ...] = ()

    @model_validator(mode="after")
    def _has_one_position_each(self) -> Self:
        members = [member for layer in self.layers for member in layer]
        sizes = [*map(len, self.layers)]
        if len({*members}) < len(members) or 0 in sizes:
            fail("each member has one layer, and each layer has a member", "layers")
        if self.along and (len(self.along) != len(sizes) or [*map(len, self.across)] != sizes):
            fail("each layer and each member has one position", "across")
        return self


class TopologyRecord(Part):
    """Layers in a topology, with a factor on the gaps, and whether flows share unrequested trunks.

    `cost` is the cost of the layout in cm of edge when it was found, for `size` nodes and flows. `faults` counts its
    overlaps. With `own_layers`, each new node gets a separate layer.
    """

    panel: str
    index: int = Field(default=0, ge=0, le=1000)
    gaps: float = Field(default=1.0, gt=0, le=10)
    trunks: bool = True
    faults: float = Field(default=0.0, ge=0, le=1e6)
    cost: float = Field(ge=-1e6, le=1e6)
    size: int = Field(gt=0)
    containers: tuple[LayersRecord, ...] = ()
    own_layers: bool = False

    def list_members(self) -> list[str]:
        """Return the ids of the nodes and groups with a layer."""
        return [member for each in self.containers for layer in each.layers for member in layer]

    def rename(self, panel: str, names: Mapping[str, str]) -> TopologyRecord:
        """Return the record with another panel id, and with other names of nodes and groups."""
        renamed = (
            each.model_copy(
                update={
                    "group": names.get(each.group, each.group),
                    "layers": tuple(tuple(names.get(one, one) for one in layer) for layer in each.layers),
                }
            )
            for each in self.containers
        )
        return self.model_copy(update={"panel": panel, "containers": tuple(renamed)})

    def is_as_good(self, earlier: TopologyRecord) -> bool:
        """Return whether a layout has no more overlaps than an earlier one, and about its cost."""
        new = _NEW_CM * (1 + max(0, self.size - earlier.size))
        return self.faults <= earlier.faults and self.cost <= earlier.cost + _WORSE_SHARE * abs(earlier.cost) + new


class LayoutRecord(Part):
    """Layout of a figure: whether it is compact or short, its type size in pt, and its topologies.

    `width` and `height` are stated in cm, or 0. `tall` is the resulting height in cm.
    """

    width: float = 0.0
    height: float = 0.0
    compact: bool = False
    short: bool = False
    type_size: float = Field(gt=0, le=100)
    tall: float = Field(ge=0, le=600)
    topologies: tuple[TopologyRecord, ...]

    @property
    def faults(self) -> float:
        """Total number of overlaps."""
        return sum(each.faults for each in self.topologies)

    @property
    def cost(self) -> float:
        """Total cost in cm of edge."""
        return sum(each.cost for each in self.topologies)

    def find(self, panel: str, index: int) -> TopologyRecord | None:
        """Return the record of a part of a panel, if any."""
        return next((each for each in self.topologies if (each.panel, each.index) == (panel, index)), None)

    def has_layers_of(self, other: LayoutRecord) -> bool:
        """Return whether all layers and positions equal the layers of another record."""
        return [each.containers for each in self.topologies] == [each.containers for each in other.topologies]

    def is_as_good(self, earlier: LayoutRecord) -> bool:
        """Return whether the layout of each topology is as good as its earlier layout, if it had one."""
        before = ((each, earlier.find(each.panel, each.index)) for each in self.topologies)
        return all(each.is_as_good(other) for each, other in before if other is not None)

    def rename(self, names: Mapping[str, tuple[str, Mapping[str, str]]]) -> LayoutRecord:
        """Return the record with other names: for the id of each panel, its new id and the new names in it."""
        renamed = (each.rename(*names[each.panel]) if each.panel in names else each for each in self.topologies)
        return self.model_copy(update={"topologies": tuple(renamed)})

    def vary(self, factor: float, *, own_layers: bool) -> LayoutRecord:
        """Return the record with a factor on the gaps, and with or without separate layers for new nodes."""
        changes = ({"gaps": each.gaps * factor, "own_layers": own_layers} for each in self.topologies)
        varied = (each.model_copy(update=change) for each, change in zip(self.topologies, changes, strict=True))
        return self.model_copy(update={"topologies": tuple(varied)})

    def with_lower_costs(self, earlier: LayoutRecord) -> LayoutRecord:
        """Return the record with the costs of an earlier record if they are lower, so that losses add up."""
        pairs = ((each, earlier.find(each.panel, each.index)) for each in self.topologies)
        lower = (
            each.model_copy(update={"cost": other.cost, "size": other.size})
            if other is not None and other.cost * each.size < each.cost * other.size
            else each
            for each, other in pairs
        )
        return self.model_copy(update={"topologies": tuple(lower)})


def read_layout_record(data: Any) -> LayoutRecord | None:
    """Return the record in a file, or None if it has none or an invalid one."""
    try:
        return LayoutRecord.model_validate(data) if data else None
    except ValidationError:
        return None
