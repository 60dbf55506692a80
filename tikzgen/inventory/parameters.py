"""The parameters at the top: what each one is, from its line, from the metadata beside the file, from its name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tikzgen.base.files import read_bounded
from tikzgen.inventory.inventory_facts import Parameter
from tikzgen.model.ranges import SPACING
from tikzgen.texfile import Facts
from tikzgen.texfile.source_facts import Definition

__all__ = ["metadata_beside", "parameters"]

_UNIT = re.compile(r"\s*\((cm|mm|pt|em|ex)\)(?=$|[;,.:])")
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)$")


def metadata_beside(path: Path | None) -> dict[str, Any]:
    """The metadata of a figure, `fig.meta.json` beside `fig.tex`; empty where none can be read."""
    if path is None:
        return {}
    try:
        beside = path.with_name(path.name.removesuffix(".tex") + ".meta.json")
        found = json.loads(read_bounded(beside, plain=True))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def parameters(facts: Facts, metadata: dict[str, Any], *, untouched: bool) -> tuple[Parameter, ...]:
    """Every parameter of the block; in a file that nobody edited, each stands at its default."""
    if facts.parameters is None:
        return ()
    contract = metadata.get("edit_contract")
    listed = contract.get("parameters") if isinstance(contract, dict) else None
    known = {each.get("name"): each for each in listed if isinstance(each, dict)} if isinstance(listed, list) else {}
    return tuple(_parameter(facts, each, known.get(each.name, {}), untouched) for each in facts.parameters.parameters)


def _parameter(facts: Facts, found: Definition, told: dict[str, Any], untouched: bool) -> Parameter:
    unit = _UNIT.search(found.comment)
    kind = str(told.get("type") or ("length-cm" if unit and unit[1] == "cm" else _kind(found)))
    default = told.get("default")
    place = facts.place(found.span.start)
    within = SPACING.get(found.name[1:])
    return Parameter(
        name=found.name,
        type=kind,
        unit=unit[1] if unit else "cm" if kind == "length-cm" else "",
        value=found.value,
        default=str(default) if default is not None else found.value if untouched else None,
        meaning=str(told.get("meaning") or _UNIT.sub("", found.comment)),
        least=within.least if within else 0 if kind == "length-cm" else None,
        over_least=within is not None and not within.closed,
        most=within.most if within else None,
        line=place.line or 0,
        column=place.column or 0,
    )


def _kind(found: Definition) -> str:
    return "number" if _NUMBER.match(found.value) else "text"
