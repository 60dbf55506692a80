"""What recipes say alike: texts with values in them, and facts with a panel for each value."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from tikzgen.model.base import fail
from tikzgen.text import Tex

_T = TypeVar("_T")


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


def once(values: Sequence[_T], field: str) -> Iterator[_T]:
    """Values that have a panel each; one that stands twice is refused."""
    for index, value in enumerate(values):
        if value in values[:index]:
            fail(f"{value} stands twice", field, index, hint="one panel each")
        yield value
