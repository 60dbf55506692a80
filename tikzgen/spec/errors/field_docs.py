"""Documentation of models and fields, from the docstrings in their sources."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache

from pydantic import BaseModel


def first_line(model: type[BaseModel]) -> str:
    """Return the first line of a model's docstring."""
    return inspect.getdoc(model).splitlines()[0] if model.__doc__ else model.__name__  # type: ignore[union-attr]


@cache
def _own_docs(model: type[BaseModel]) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for statement in body.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and name:
            found[name] = inspect.cleandoc(str(statement.value.value))
            name = ""
        else:
            name = ""
    return found


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the documentation of every field of a model, including inherited ones, in order."""
    docs: dict[str, str] = {}
    for parent in reversed(model.__mro__):
        if issubclass(parent, BaseModel) and parent is not BaseModel:
            docs.update(_own_docs(parent))
    return {name: docs.get(name, "") for name in model.model_fields}
