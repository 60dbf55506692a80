"""What recipes of systems share: many of a kind of which a few are drawn, and what joins them."""

from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import Field

from tikzgen.model.entities import AnyEntity, Dots, Shard
from tikzgen.model.look import Color
from tikzgen.model.topology import Flow
from tikzgen.text import numbered

Maker = Callable[[int, str], AnyEntity]
"""Makes the entity with a number and an id."""

Many = Annotated[int, Field(ge=1, le=100_000)]


def drawn_of(count: int, most: int, first: int = 1) -> list[int | None]:
    """The numbers of those that are drawn: all, or the first ones and the last, with None for the dots between."""
    numbers = range(first, first + count)
    return [*numbers] if count <= most else [*numbers[: max(most - 2, 1)], None, numbers[-1]]


def few(prefix: str, count: int, make: Maker, most: int = 4, first: int = 1) -> list[AnyEntity]:
    """Entities `prefix1`, `prefix2`, …: all of them, or the first ones and the last with dots between."""
    return [
        Dots(id=f"{prefix}-dots") if number is None else make(number, f"{prefix}{number}")
        for number in drawn_of(count, most, first)
    ]


def cells(count: int, text: str, color: Color, most: int = 4, first: int = 0) -> list[Shard]:
    """The cells of a box, numbered from `first`: all of them, or the first two and the last with dots between."""
    numbers = range(first, first + count)
    if count <= most:
        return [Shard(label=numbered(text, number), color=color) for number in numbers]
    shown = [numbered(text, number) for number in (first, first + 1, numbers[-1])]
    return [Shard(label=label, color=color) for label in (*shown[:2], "⋯", shown[2])]


def names_of(entities: Iterable[AnyEntity]) -> list[str]:
    """The ids of those that are drawn."""
    return [entity.id for entity in entities if not isinstance(entity, Dots)]


def fan(
    sources: list[str], targets: list[str], kind: str, label: str = "", *, direction: str = "forward", step: int = 0
) -> list[Flow]:
    """Flows from each to each, which share a trunk; the first says what flows."""
    pairs = [(source, target) for source in sources for target in targets]
    route = "bus" if len(pairs) > 1 else "auto"
    return [
        Flow.model_validate(
            {
                "source": source,
                "target": target,
                "kind": kind,
                "route": route,
                "direction": direction,
                "label": label if not index else "",
                "step": step if step and not index else None,
            }
        )
        for index, (source, target) in enumerate(pairs)
    ]
