"""What recipes share: a few facts in, a `Figure` out, the same from YAML and from Python."""

from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import shortened
from tikzgen.base.plain_words import counted
from tikzgen.model.base import Part, fail
from tikzgen.text import Tex

MOST_SHOWN = 512
"""How many of a kind are drawn at most."""
_CALM = 4  # places of a kind in a topology, dots among them; twice as many are still drawn one by one


class Crowd(Part):
    """Many of a kind, of which some are drawn."""

    count: int = Field(ge=1, le=100_000)
    """How many there are."""
    show: int | None = Field(default=None, ge=1, le=MOST_SHOWN)
    """How many are drawn; the others are an ellipsis before the last. Null draws all."""

    @model_validator(mode="after")
    def _few(self) -> Self:
        if self.show is None and self.count > MOST_SHOWN:
            hint = f"{{count: {self.count}, show: 3}} draws three"
            fail(f"all {self.count} would be drawn, and {MOST_SHOWN} are the most", hint=hint)
        return self

    @property
    def drawn(self) -> list[int]:
        """The numbers of those drawn, from 1: the first ones and the last."""
        if self.show is None or self.show >= self.count:
            return list(range(1, self.count + 1))
        return [*range(1, self.show), self.count]

    @property
    def collapse(self) -> int | None:
        """How many a topology draws where nobody said it, and all of them would make a wall."""
        return _CALM if self.show is None and self.count > 2 * _CALM else None

    @property
    def hidden(self) -> bool:
        """Whether some are left out."""
        return len(self.drawn) < self.count

    def told(self) -> str:
        """How many workers there are, and how many of them are drawn."""
        return counted(self.count, "worker") + (f" ({len(self.drawn)} drawn)" if self.hidden else "")


def _count(value: Any) -> Any:
    if isinstance(value, (str, float, bool)):
        raise PydanticCustomError(
            "tikzgen",
            "should be a whole number or {example}, not {value}",
            {"example": "{count: 64, show: 3}", "value": shortened(value)},
        )
    return {"count": value} if isinstance(value, int) else value


Count = Annotated[Crowd, BeforeValidator(_count, json_schema_input_type=int | Crowd)]


def filled(text: str, **values: object) -> str:
    """A text with the values in place of `{name}`; raw TeX stays raw."""
    made = text
    for name, value in values.items():
        made = made.replace(f"{{{name}}}", str(value))
    if made == text:
        return text
    return Tex(made, text.allowed) if isinstance(text, Tex) else made


def by_bound(bounds: Iterable[int | None], zero: str, some: str, none: str) -> list[str]:
    """What bounds are called: 0, another number `{n}`, and no bound."""
    return [none if bound is None else filled(some, n=bound) if bound else zero for bound in bounds]


def listed(value: Any) -> Any:
    """A list of one where one value stands for itself; for recipes that draw one panel for each value."""
    return value if isinstance(value, (list, tuple)) else [value]
