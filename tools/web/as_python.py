"""Python code of a spec that makes the same figure: a recipe's function, or the classes of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from ruamel.yaml import YAML

import tikzgen
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.recipe.recipe_names import function_name

__all__ = ["as_python"]

_WIDE = 88


def as_python(path: Path) -> str:
    """Return Python code that draws and saves the figure of a spec."""
    said: dict[str, Any] = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    used: set[str] = set()
    if isinstance(said.get("style"), str):  # the contents of a built-in style
        said["style"] = YAML(typ="safe").load(template_folder() / "styles" / f"{said['style']}.yaml")
    if name := said.pop("recipe", None):
        used.add("recipes")
        made = _call(f"recipes.{function_name(name)}", {key: _literal(value) for key, value in said.items()})
    else:
        made = _call("Figure", _parts(said, tikzgen.load(path), used))
        used.add("Figure")
    return f"from tikzgen import {', '.join(sorted(used))}\n\nfigure = {made}\nfigure.save({f'{path.stem}.tex'!r})\n"


def _parts(said: Mapping[str, Any], model: BaseModel, used: set[str]) -> dict[str, str]:
    """Return the fields of a part as code; a part with a separate public class becomes a call of it."""
    return {name: _code(value, getattr(model, _field(model, name)), used) for name, value in said.items()}


def _field(model: BaseModel, name: str) -> str:
    fields = type(model).model_fields
    return next((own for own, field in fields.items() if name in (own, field.alias)), name)


def _code(value: Any, model: Any, used: set[str]) -> str:
    if isinstance(value, dict) and isinstance(model, BaseModel):
        kind = type(model).__name__
        if kind in tikzgen.__all__:
            used.add(kind)
            fields = type(model).model_fields
            # the name of the class states the type; an explicit default may differ from an absent field
            told = {
                key: each for key, each in value.items() if get_args(fields[_field(model, key)].annotation) != (each,)
            }
            return _call(kind, _parts(told, model, used))
    if isinstance(value, dict) and isinstance(model, Sequence) and len(model) == 1:
        return f"[{_code(value, model[0], used)}]"
    if isinstance(value, list) and isinstance(model, Sequence) and len(value) == len(model):
        return _listed("[", [_code(each, part, used) for each, part in zip(value, model, strict=True)], "]")
    return _literal(value)


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        return _listed("{", [f"{_literal(key)}: {_literal(each)}" for key, each in value.items()], "}")
    if isinstance(value, list):
        return _listed("[", [_literal(each) for each in value], "]")
    return repr(value).replace("'", '"') if isinstance(value, str) and not {'"', "\\", "'"} & {*value} else repr(value)


def _call(name: str, arguments: Mapping[str, str]) -> str:
    return _listed(f"{name}(", [f"{key}={code}" for key, code in arguments.items()], ")")


def _listed(begin: str, parts: Sequence[str], end: str) -> str:
    """Return a list of parts on one line if it is short, otherwise with one part per line."""
    line = begin + ", ".join(parts) + end
    if len(line) <= _WIDE and "\n" not in line:
        return line
    inside = "".join(f"{part},\n" for part in parts)
    return f"{begin}\n" + "".join(f"    {each}\n" for each in inside.splitlines()) + end
