"""Operations: their arguments, their manual equivalent, their effect, and the figures that allow them."""

from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused
from tikzgen.base.record import NOTHING
from tikzgen.model.figure import FigureModel
from tikzgen.model.part import Part

Name = Annotated[str, Field(min_length=1, max_length=200)]
"""What something is called that a figure has."""
Names = Mapping[str, tuple[str, ...]]
"""What a figure has, by kind: `workers`, `lanes`, `spans` …"""

MISSING_NAMES = {
    "parameters": "the figure has no parameters",
    "lengths": "the figure has no distances among its parameters",
    "labelled": "the figure has no node with a label",
    "named": "the figure has no named nodes",
    "nodes": "the figure has no nodes that a flow may join",
    "layered": "no topology of the figure finds its own layout",
    "unframed": "the figure has no entity outside of all frames",
    "groups": "the figure has no frames",
    "pairs": "a flow needs two named nodes",
    "workers": "the figure has no workers",
    "spare_workers": "only one worker is left",
    "lanes": "the figure has no lanes",
    "rows": "the figure has no lanes",
    "spare_rows": "only one lane is left",
    "with_icon": "the figure has no node with an icon",
    "colored": "the figure has no style with a palette colour",
    "flow_sources": "the figure has no flows between named nodes",
    "facts": "the figure was not made by a recipe that computes a schedule",
    "spans": "the figure has no spans",
    "span_pairs": "an arrow needs two spans",
    "arrow_sources": "the figure has no arrows between spans",
    "events": "the figure has no events",
    "phases": "the figure has no phases",
    "lifelines": "the figure has no lifelines",
    "messages": "the figure has no messages between lifelines",
}
"""Why a figure that has none of these names does not allow an operation."""


class Operation(Part):
    """Base class of operations on a figure: a docstring's first line is the help, fields are arguments.

    Every operation is in `operations_table`, from which all other modules read it. An operation with a `change` method
    is allowed in the `overrides` of a recipe.
    """

    do: str
    """The operation."""

    hand: ClassVar[str]
    """What a person does in the .tex for it; words in braces stand for the names of the figure at hand."""
    needs: ClassVar[tuple[str, ...]] = ()
    """The kinds of names that a figure must have; where it says none, those of the arguments that have to be given."""
    names: ClassVar[Mapping[str, str]] = NOTHING
    """The arguments that are a name which the figure has, each with its kind."""
    of_others: ClassVar[Literal["always", "by contract", "never"]] = "never"
    """Whether figures that tikzgen did not write allow it."""
    about: ClassVar[tuple[str, ...]] = ()
    """The arguments that say what is changed: a second override with the same takes the place of the first."""
    undoes: ClassVar[tuple[str, ...]] = ()
    """The operations that take this one back, and that it takes back."""
    makes_parts: ClassVar[bool] = False
    """Whether the figure has other parts than before, so that what its recipe computes is not its own any more."""

    @classmethod
    def operation_name(cls) -> str:
        """Return the operation's name."""
        return str(cls.model_fields["do"].annotation.__args__[0])  # type: ignore[union-attr]  # a literal

    @classmethod
    def arguments(cls) -> dict[str, Any]:
        """Return the fields that are arguments, in the order of the command line."""
        return {name: field for name, field in cls.model_fields.items() if name != "do"}

    @classmethod
    def reasons(cls, names: Names) -> tuple[str, ...]:
        """Return why a figure with these names does not allow the operation; empty if it does."""
        return tuple(
            MISSING_NAMES[kind] for kind in islice((each for each in cls.required_names() if not names.get(each)), 1)
        )

    @classmethod
    @cache
    def required_names(cls) -> tuple[str, ...]:
        """Return the kinds of names without which a figure does not allow the operation."""
        return cls.needs or tuple(kind for name, kind in cls.names.items() if cls.model_fields[name].is_required())

    def given_arguments(self) -> dict[str, Any]:
        """Return the arguments that were given."""
        return {name: getattr(self, name) for name in self.arguments() if name in self.model_fields_set}

    def changes(self) -> dict[str, Any]:
        """Return the given arguments that are not null and do not identify the changed part."""
        return {
            name: value
            for name, value in self.given_arguments().items()
            if name not in self.about and value is not None
        }

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the changed figure, whose parts are not validated yet.

        Raise `EditRefused` if the figure does not allow the operation.
        """
        raise EditRefused("no-change", f"{self.do} changes the facts of a figure, not its parts")
