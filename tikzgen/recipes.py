"""Recipes as Python functions: keyword parameters in, a `Figure` out.

Type checkers and editors use the stub `recipes.pyi`, which `python tools/typed_recipes.py` generates from the models
of the parameters. Times are exact: int, Fraction or text ("1/3"). Invalid parameters raise `SpecError` with the
messages of the command line.

>>> from tikzgen import recipes
>>> recipes.data_parallel(workers=4).id
'distributed-training'
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from inspect import Parameter, Signature
from typing import Any

from tikzgen.api import Figure, make_figure
from tikzgen.base.errors import TikzgenError, shorten_for_message
from tikzgen.model.figure_options import Options
from tikzgen.model.part import shorten_description
from tikzgen.recipe.recipe_names import NAMES, RECIPES, function_name, recipe
from tikzgen.recipe.schedule_marks import timeline
from tikzgen.spec.errors.field_docs import field_docs, first_line
from tikzgen.spec.schema import facts_by_field, fields_in_order

__all__ = ["NAMES", "recipe", "timeline", *sorted(map(function_name, NAMES))]
_LINE_CHARS = 120
_REST = "title, width, palette and others: what every figure takes; `tikzgen.Figure` tells of them."


class RecipeFunction:
    # For `help` and `inspect.signature`; their contents are read from the model on demand.
    def __init__(self, name: str) -> None:
        self._recipe, self.__name__ = name, function_name(name)
        self.__qualname__ = self.__name__

    def __call__(self, *values: Any, **facts: Any) -> Figure:
        if values:
            message = f"{self.__name__} takes its facts by name, not {shorten_for_message(values[0])} alone"
            raise TikzgenError(message, hint=f"{next(fields_in_order(recipe(self._recipe)))[0]}=…")
        return make_figure(self._recipe, facts, self.__name__)

    def __get__(self, instance: object, owner: object = None) -> RecipeFunction:
        return self

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"

    @property
    def __signature__(self) -> Signature:
        model = recipe(self._recipe)
        known = facts_by_field(model)
        taken = [
            Parameter(known[name].name, Parameter.KEYWORD_ONLY, default=_default(info), annotation=known[name].type)
            for name, info in fields_in_order(model)
        ]
        return Signature(taken, return_annotation=Figure)

    @property
    def __doc__(self) -> str:
        own = (name for name, _ in fields_in_order(recipe(self._recipe)) if name not in Options.model_fields)
        return write_docstring(self._recipe, own)


def _default(field: Any) -> Any:
    value = (
        Parameter.empty if field.is_required() else shorten_description(field.get_default(call_default_factory=True))
    )
    return value["count"] if isinstance(value, dict) and set(value) == {"count"} else value


def write_docstring(name: str, fields: Iterable[str], *rest: str) -> str:
    """Return the docstring of a recipe's function, from its fields and other arguments."""
    model = recipe(name)
    docs = field_docs(model)
    said = [f"{model.model_fields[field].alias or field}: {in_python(docs[field])}" for field in fields]
    lines = [line for text in (*said, *rest, _REST) for line in _wrap_text(text)]
    return "\n".join([first_line(model), "", "Args:", *lines])


def in_python(doc: str) -> str:
    return re.sub(r"\b[nN]ull\b", "None", " ".join(doc.split()))


def _wrap_text(text: str) -> list[str]:
    looks: dict[str, Any] = {"initial_indent": " " * 4, "subsequent_indent": " " * 8}
    return textwrap.wrap(text, _LINE_CHARS - 4, **looks, break_long_words=False, break_on_hyphens=False)


globals().update({function_name(name): RecipeFunction(name) for name in NAMES})


def __getattr__(name: str) -> RecipeFunction:
    """Return the function of a recipe that an installed package provides."""
    for each in RECIPES.map_entry_packages():
        if function_name(each) == name:
            return RecipeFunction(each)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
