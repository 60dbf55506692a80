"""Names of a package that are loaded at first use, so that the package imports quickly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for `package`: `modules` maps each submodule to the names that the package offers.

    `read=read_run` offers `read_run` of the submodule as `read`.

    >>> lazy_names("tikzgen.base", {"plain_words": "spell_plural"})("spell_plural")("node")
    'nodes'
    """
    homes: dict[str, tuple[str, str]] = {}
    for module, names in modules.items():
        for entry in names.split():
            name, _, original = entry.partition("=")
            homes[name] = module, original or name

    def load_name(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = homes[name]
        return getattr(import_module(f"{package}.{module}"), original)

    return load_name
