"""The types of the recipe functions, with every parameter by name: `tikzgen/recipes.pyi`, generated from their models.

`python tools/typed_recipes.py` writes it; `python tools/typed_recipes.py --check` reports an outdated file.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from fractions import Fraction
from inspect import signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BeforeValidator
from pydantic_core import PydanticUndefined

from tikzgen import recipes
from tikzgen.model.content import Tagged
from tikzgen.model.figure_options import Options
from tikzgen.model.part import Part
from tikzgen.recipe.recipe_names import NAMES, function_name, recipe
from tikzgen.recipe.schedule_display import Displayed
from tikzgen.spec.errors.field_docs import field_docs
from tikzgen.spec.schema import fields_in_order
from tikzgen.text import Tex

__all__ = ["FILE", "typed_recipes"]

FILE = Path(__file__).parent.parent / "tikzgen" / "recipes.pyi"
_WIDTH = 120
_LONG = 3
"""Most choices that a signature lists; longer lists have a name."""
_HEAD = """\
# What type checkers and editors know of recipes.py: made by `python tools/typed_recipes.py`, from the models.

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypedDict, Unpack
"""
_HOMES = {
    "Figure": "tikzgen.api",
    "NAMES": "tikzgen.recipe.recipe_names",
    "recipe": "tikzgen.recipe.recipe_names",
    "timeline": "tikzgen.recipe.schedule_marks",
    "Tex": "tikzgen.text",
}


class _Module:
    """Definitions that the functions need: classes of parts, and names for long lists of choices."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = dict(_HOMES)
        self.choices: dict[str, str] = {}

    def type_of(self, kind: Any, name: str, notes: tuple[Any, ...] = ()) -> list[str]:
        """Return a type as Python source, as the list of the members of its union."""
        for note in notes:
            if isinstance(note, BeforeValidator) and note.json_schema_input_type is not PydanticUndefined:
                return self.type_of(note.json_schema_input_type, name)
            if isinstance(note, Tagged):
                return ["Mapping[str, Any]", self._class(kind)]
        origin, inner = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.type_of(inner[0], name, inner[1:])
        if origin in (Union, UnionType):
            if Tex in inner:
                return ["_Text"]
            words = dict.fromkeys(word for one in inner for word in self.type_of(one, name))
            return sorted(words, key=lambda word: word == "None")
        if origin is Literal:
            return [self._choice(name, inner)]
        if origin is list:
            return [f"Sequence[{self._joined(inner[0], name)}]"]
        if origin is tuple:
            return [f"tuple[{', '.join(self._joined(one, name) for one in inner)}]"]
        if origin is dict:
            return [f"Mapping[{self._joined(inner[0], name)}, {self._joined(inner[1], name)}]"]
        if kind is Fraction:
            return ["_Time"]
        if isinstance(kind, type) and issubclass(kind, Part):
            return [self._class(kind), "Mapping[str, Any]"]
        return [{NoneType: "None", Any: "Any"}.get(kind) or kind.__name__]

    def _joined(self, kind: Any, name: str) -> str:
        return " | ".join(self.type_of(kind, name))

    def _class(self, kind: type[Any]) -> str:
        self.classes[kind.__name__] = kind.__module__
        return kind.__name__

    def _choice(self, name: str, choices: tuple[Any, ...]) -> str:
        listed = f"Literal[{', '.join(map(_spelt, choices))}]"
        if len(choices) <= _LONG:
            return listed
        base = "_" + "".join(part.capitalize() for part in name.split("_")) + "Name"
        known = base
        while self.choices.get(known, listed) != listed:
            known += "s"
        self.choices[known] = listed
        return known


def _spelt(value: Any) -> str:
    """Return a value as Python source, in double quotes if it contains none."""
    if isinstance(value, str):
        raw = "r" if "\\" in value and "\n" not in value else ""
        inside = value if raw else value.replace("\\", "\\\\").replace("\n", "\\n")
        return f'{raw}"{inside}"' if '"' not in value else repr(value)
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(_spelt, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_spelt(key)}: {_spelt(one)}" for key, one in value.items()) + "}"
    return repr(value)


def _besides(field: Any) -> list[str]:
    """Return the additional types that a field accepts, from the choices in its schema."""
    schema: dict[str, list[dict[str, str]]] = {"anyOf": []}
    if callable(field.json_schema_extra):
        field.json_schema_extra(schema)
    return [{"boolean": "bool"}[choice["type"]] for choice in schema["anyOf"]]


def _kind(name: str, info: Any, module: _Module) -> str:
    return " | ".join([*module.type_of(info.annotation, name, tuple(info.metadata)), *_besides(info)])


def _shared(name: str, base: str, model: type[Options], doc: str, module: _Module) -> Iterator[str]:
    """Yield the lines of the class with the options that several functions share."""
    docs = field_docs(model)
    yield f"class {name}({base}, total=False):"
    yield f'    """{doc}"""'
    for field, info in fields_in_order(model):
        if field in _TOLD[name]:
            yield f"    {info.alias or field}: {_kind(field, info, module)}"
            yield from textwrap.wrap(f'"""{recipes.in_python(docs[field])}"""', _WIDTH, **_INDENT)


def _function(name: str, module: _Module) -> Iterator[str]:
    model, taken = recipe(name), signature(getattr(recipes, function_name(name))).parameters
    options = "_ScheduleOptions" if issubclass(model, Displayed) else "_FigureOptions"
    own = [(field, info) for field, info in fields_in_order(model) if field not in _TOLD[options] | _FIGURE]
    yield f"def {function_name(name)}("
    yield "    *,"
    for field, info in own:
        said = info.alias or field
        default = "" if info.is_required() else f" = {_spelt(taken[said].default)}"
        yield f"    {said}: {_kind(field, info, module)}{default},"
    yield f"    **options: Unpack[{options}],"
    yield ") -> Figure:"
    rest = [_SCHEDULES] if issubclass(model, Displayed) else []
    text = recipes.write_docstring(name, [field for field, _ in own], *rest)
    raw = "r" * ("\\" in text)
    yield textwrap.indent(f'{raw}"""{text}\n"""', "    ")


_FIGURE = {"overrides", *Options.model_fields}
_TOLD = {"_FigureOptions": _FIGURE, "_ScheduleOptions": Displayed.__annotations__.keys() - {"recipe", "labels"}}
_SCHEDULES = "bubbles, arrows, zoom and others: what every schedule takes."
_INDENT: dict[str, Any] = {"initial_indent": "    ", "subsequent_indent": "    ", "break_long_words": False}


def typed_recipes() -> str:
    """Return the text of the module."""
    module = _Module()
    shared = [
        *_shared("_FigureOptions", "TypedDict", recipe(NAMES[0]), "What every figure takes.", module),
        "",
        *_shared("_ScheduleOptions", "_FigureOptions", Displayed, "What every schedule takes.", module),
    ]
    functions = [line for name in NAMES for line in ("", *_function(name, module))]
    names = sorted(["NAMES", "recipe", "timeline", *map(function_name, NAMES)])
    parts = [_HEAD]
    for home in sorted(set(module.classes.values())):
        classes = ", ".join(sorted((name for name, of in module.classes.items() if of == home), key=str.lower))
        parts.append(f"from {home} import {classes}")
    parts += ["", f"__all__ = [{', '.join(map(_spelt, names))}]", ""]
    parts += ["_Text: TypeAlias = str | int | float | Tex", "_Time: TypeAlias = int | float | str | Fraction | Decimal"]
    parts += [f"{name}: TypeAlias = {listed}" for name, listed in sorted(module.choices.items())]
    return "\n".join([*parts, "", *shared, *functions]) + "\n"


def main() -> None:
    """Write the module, or report that it is outdated."""
    run = [str(Path(sys.executable).with_name("ruff")), "format", "--stdin-filename", str(FILE), "-"]
    text = subprocess.run(run, input=typed_recipes(), capture_output=True, check=True, encoding="utf-8").stdout
    if "--check" in sys.argv[1:]:
        fresh = FILE.read_text(encoding="utf-8") == text
        sys.exit(None if fresh else f"{FILE.name} is stale: run python tools/typed_recipes.py")
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
