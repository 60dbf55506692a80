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
"""Name of an element of a figure."""
Names = Mapping[str, tuple[str, ...]]
"""Names in a figure, by type: `workers`, `lanes`, `spans` …"""

MISSING_NAMES = {
    "parameters": "the figure has no parameters",
    "lengths": "the figure has no distances among its parameters",
    "labelled": "the figure has no node with a label",
    "named": "the figure has no named nodes, or its recipe fixes their names",
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
    "colored": "the figure has no style with a palette color",
    "flow_sources": "the figure has no flows between named nodes",
    "facts": "the figure was not made by a recipe that computes a schedule",
    "spans": "the figure has no spans",
    "span_pairs": "an arrow needs two spans",
    "arrow_sources": "the figure has no arrows between spans",
    "events": "the figure has no events",
    "phases": "the figure has no phases",
    "lifelines": "the figure has no lifelines",
    "arrays": "the figure has no arrays",
    "bars": "the figure has no bars",
    "messages": "the figure has no messages between lifelines",
}
"""Reason why an operation is not possible in a figure without names of a type."""


class Operation(Part):
    """Base class of operations on a figure.

    The first line of a subclass's docstring is its help text; its fields are arguments.

    Every operation is in `operations_table`, from which all other modules read it. An operation with a `change` method
    is allowed in the `overrides` of a recipe.
    """

    do: str
    """Name of the operation."""

    hand: ClassVar[str]
    """Equivalent manual edit of the .tex; words in braces are placeholders for names of the figure."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Types of names that a figure must have; empty takes the types of the required arguments."""
    names: ClassVar[Mapping[str, str]] = NOTHING
    """Arguments that are names of existing elements, each with its type of name."""
    of_others: ClassVar[Literal["always", "by contract", "never"]] = "never"
    """Whether the operation is possible in figures that tikzgen did not write."""
    about: ClassVar[tuple[str, ...]] = ()
    """Arguments that identify the changed element. A second override with the same values replaces the first."""
    undoes: ClassVar[tuple[str, ...]] = ()
    """Operations that reverse this one, and that it reverses."""
    makes_parts: ClassVar[bool] = False
    """Whether the operation changes which parts the figure has, so that results of its recipe no longer describe it."""

    @classmethod
    def operation_name(cls) -> str:
        """Return the operation's name."""
        return str(cls.model_fields["do"].annotation.__args__[0])  # type: ignore[union-attr]  # a literal

    @classmethod
    def list_arguments(cls) -> dict[str, Any]:
        """Return the fields that are arguments, in the order of the command line."""
        return {name: field for name, field in cls.model_fields.items() if name != "do"}

    @classmethod
    def list_reasons_against(cls, names: Names) -> tuple[str, ...]:
        """Return why a figure with these names does not allow the operation; empty if it does."""
        return tuple(
            MISSING_NAMES[kind] for kind in islice((each for each in cls.required_names() if not names.get(each)), 1)
        )

    @classmethod
    @cache
    def required_names(cls) -> tuple[str, ...]:
        """Return the kinds of names without which a figure does not allow the operation."""
        return cls.needs or tuple(kind for name, kind in cls.names.items() if cls.model_fields[name].is_required())

    @property
    def computed_parts(self) -> str:
        """Word for the parts that it changes and that recipes compute; empty if recipes allow the change."""
        return ""

    def describe_losses(self, before: FigureModel, after: FigureModel) -> str:
        """Return the parts that were removed besides the named one; empty without such parts."""
        return ""

    def given_arguments(self) -> dict[str, Any]:
        """Return the arguments that were given."""
        return {name: getattr(self, name) for name in self.list_arguments() if name in self.model_fields_set}

    def collect_changes(self) -> dict[str, Any]:
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
