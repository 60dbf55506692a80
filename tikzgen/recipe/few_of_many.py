"""Collapsed sets of nodes, lanes or cells: a few are drawn, an ellipsis replaces the others."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import shorten_for_message
from tikzgen.base.plain_words import count_of
from tikzgen.model.looks import Color
from tikzgen.model.part import Part, fail
from tikzgen.model.topology import AnyEntity, Dots, Flow, Shard
from tikzgen.text import fill_number

MOST_SHOWN_COUNT = 512
"""Maximum number of drawn elements of one type."""
_USUAL_COUNT = 4  # similar nodes in a topology, including the ellipsis; up to twice as many are drawn individually


class Crowd(Part):
    """Number of similar items, of which some are drawn."""

    count: int = Field(ge=1, le=100_000)
    """Number of elements."""
    show: int | None = Field(default=None, ge=1, le=MOST_SHOWN_COUNT)
    """Number of drawn elements; an ellipsis before the last one replaces the rest. Null draws all."""

    @model_validator(mode="after")
    def _check_shown_count(self) -> Self:
        if self.show is None and self.count > MOST_SHOWN_COUNT:
            hint = f"{{count: {self.count}, show: 3}} draws three"
            fail(f"all {self.count} would be drawn, and {MOST_SHOWN_COUNT} are the most", hint=hint)
        return self

    @property
    def drawn_numbers(self) -> list[int]:
        """Numbers of the drawn members, from 1: the first ones and the last."""
        if self.show is None or self.show >= self.count:
            return list(range(1, self.count + 1))
        return [*range(1, self.show), self.count]

    @property
    def collapse(self) -> int | None:
        """Default number of drawn members in a topology if there are many; None draws all, or `show`."""
        return _USUAL_COUNT if self.show is None and self.count > 2 * _USUAL_COUNT else None

    @property
    def is_collapsed(self) -> bool:
        """Whether some members are not drawn."""
        return len(self.drawn_numbers) < self.count

    def workers_in_words(self) -> str:
        """Return the number of workers, and of drawn workers, as text."""
        return count_of(self.count, "worker") + (f" ({len(self.drawn_numbers)} drawn)" if self.is_collapsed else "")


def _count(value: Any) -> Any:
    if isinstance(value, (str, float, bool)):
        raise PydanticCustomError(
            "tikzgen",
            "should be a whole number or {example}, not {value}",
            {"example": "{count: 64, show: 3}", "value": shorten_for_message(value)},
        )
    return {"count": value} if isinstance(value, int) else value


Count = Annotated[Crowd, BeforeValidator(_count, json_schema_input_type=int | Crowd)]


def few_of(count: int, show: int | None, most: int) -> list[int] | None:
    """Return the indices of the devices with lanes: the first ones and the last; None if all have lanes."""
    few = show or (most // 2 if count > most else count)
    return None if few >= count else [number - 1 for number in Crowd(count=count, show=few).drawn_numbers]


Maker = Callable[[int, str], AnyEntity]
"""Function that makes the node with a number and an id."""

Many = Annotated[int, Field(ge=1, le=100_000)]


def drawn_of(count: int, most: int, first: int = 1) -> list[int | None]:
    """Return the numbers to draw: all, or the first ones and the last, with None for the ellipsis."""
    numbers = range(first, first + count)
    return [*numbers] if count <= most else [*numbers[: max(most - 2, 1)], None, numbers[-1]]


def make_few_nodes(prefix: str, count: int, make: Maker, most: int, first: int = 1) -> list[AnyEntity]:
    """Return nodes `prefix1`, `prefix2`, …: all of them, or the first ones and the last with an ellipsis."""
    return [
        Dots(id=f"{prefix}-dots") if number is None else make(number, f"{prefix}{number}")
        for number in drawn_of(count, most, first)
    ]


def make_cells(count: int, text: str, color: Color, most: int, first: int = 0) -> list[Shard]:
    """Return the cells of a box, numbered from `first`: all, or the first two and the last with an ellipsis."""
    numbers = range(first, first + count)
    if count <= most:
        return [Shard(label=fill_number(text, number), color=color) for number in numbers]
    shown = [fill_number(text, number) for number in (first, first + 1, numbers[-1])]
    return [Shard(label=label, color=color) for label in (*shown[:2], "⋯", shown[2])]


def names_of(entities: Iterable[AnyEntity]) -> list[str]:
    """Return the ids of the drawn nodes, without the ellipsis."""
    return [entity.id for entity in entities if not isinstance(entity, Dots)]


def fan_out_flows(
    sources: list[str], targets: list[str], kind: str, label: str = "", *, direction: str = "forward"
) -> list[Flow]:
    """Return flows from each source to each target as a bus; the first has the label."""
    pairs = [(source, target) for source in sources for target in targets]
    alike = {"kind": kind, "route": "bus" if len(pairs) > 1 else "auto", "direction": direction}
    return [
        Flow.model_validate({"source": source, "target": target, "label": "" if index else label, **alike})
        for index, (source, target) in enumerate(pairs)
    ]
