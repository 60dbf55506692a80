"""Inventory of a .tex file: `inventory` for a path, `take` for its bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import replace
from tikzgen.emit.contract_for_programs import Contract, find_contract
from tikzgen.lint.inventory.floors_in_file import find_floors, make_figure, may_be_too_short, with_floors
from tikzgen.lint.inventory.hand_edits import hand_edits, read_origin
from tikzgen.lint.inventory.inventory_facts import (
    Colour,
    HandEdit,
    Inventory,
    ParameterInFile,
    Requires,
    StyleInFile,
    TexProblem,
)
from tikzgen.lint.inventory.metadata_text import Metadata, metadata_of
from tikzgen.lint.inventory.nodes import group_families, iterate_own_styles, list_flows_in_file, list_nodes_in_file
from tikzgen.model.looks import SPACING
from tikzgen.model.timeline import Timeline
from tikzgen.spec.embedded_spec import identity_of
from tikzgen.spec.source import refuse_spec
from tikzgen.texfile import Definition, Facts, compute_digest, decode, read_source, scan

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


def read_inventory(path: str | Path) -> Inventory:
    """Return the inventory of a .tex file of any origin. Raise `FileRefused` if it cannot be read."""
    path = Path(path)
    refuse_spec(path)
    return take(read_source(path), str(path), path)


def take(
    data: bytes,
    name: str,
    path: Path | None = None,
    *,
    facts: Facts | None = None,
    metadata: Metadata | None = None,
    edits_too: bool = True,
    floors: Mapping[str, float] | None = None,
) -> Inventory:
    """Return the inventory of the bytes of a .tex file; `path` locates its metadata and its contract.

    `facts`, `metadata` and `floors` (lower bounds of distances, in cm) avoid finding them again. Without `edits_too`,
    manual edits are not searched, which needs a rendering. The embedded figure with its panels and lanes is not built
    either, which needs the model.
    """
    text = decode(data)
    facts = facts or scan(text)
    came, description = read_origin(text)
    metadata = metadata or (metadata_of(path) if path else Metadata(""))
    beside = metadata.data or {}
    listed = list_parameters(facts, metadata, untouched=came.untouched)
    edits: tuple[HandEdit, ...] | str | None = () if came.untouched else None
    made = make_figure(text, name) if edits_too and description is not None else None
    if description is not None and (identity := identity_of(description)) is not None:
        if floors is None and (edits_too or may_be_too_short(listed, identity, description.get("spacing") or ())):
            drawn = made or make_figure(text, name)
            floors = find_floors(drawn, listed) if not isinstance(drawn, TikzgenError) else None
        listed = with_floors(listed, floors or {})
    if made is not None and edits is None and description is not None:
        edits = hand_edits(facts, description, made)
    if isinstance(edits, str):
        came, description, edits, made = replace(came, trouble=edits), None, None, None
    for edit in edits or ():
        listed = tuple(replace(each, default=edit.before) if each.name == edit.name else each for each in listed)
    figure = made if not isinstance(made, TikzgenError) else None
    contract, table = _find_contract(path, facts) if description is None else ("", None)
    named = list_nodes_in_file(facts, [panel.id for panel in figure.panels] if figure is not None else [])
    return Inventory(
        file=name,
        digest=compute_digest(data),
        origin=came,
        contract=contract,
        contract_prose=table.prose if table else {},
        parameters=listed,
        nodes=named,
        families=group_families(facts, named, table.families if table else (), own=description is not None),
        flows=list_flows_in_file(facts),
        lanes=_list_lane_ids(figure) if figure is not None else (),
        styles=list_own_styles(facts),
        colors=list_defined_colors(facts),
        icons=list_icon_macros(facts),
        requires=list_requirements(facts),
        hand_edits=edits,
        problems=_list_tex_problems(facts),
        description=description,
        figure=figure,
        title=_collapse_blanks(beside.get("name")),
        summary=_collapse_blanks(beside.get("description")),
    )


def _collapse_blanks(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _find_contract(path: Path | None, facts: Facts) -> tuple[str, Contract | None]:
    """Return the name of a third-party contract, and the contract if it is valid."""
    try:
        found = find_contract(path, facts)
    except TikzgenError:
        return "an invalid contract", None
    return found or ("", None)


def _list_lane_ids(figure: FigureModel) -> tuple[str, ...]:
    """Return the ids of the lanes of its timelines."""
    return tuple(dict.fromkeys(lane.id for _, _, part in figure.parts(Timeline) for lane in part.lanes))


def _list_tex_problems(facts: Facts) -> tuple[TexProblem, ...]:
    return tuple(TexProblem(error.message, *facts.find_line_and_column(error.at)) for error in facts.errors)


_TIKZ_STYLE = re.compile(r"every |(?:default settings|background rectangle)$")


def list_own_styles(facts: Facts) -> tuple[StyleInFile, ...]:
    """Return the styles of the figure itself, without TikZ's own and styles of the pictures inside icons."""
    found = []
    for style in iterate_own_styles(facts):
        if _TIKZ_STYLE.match(style.name):
            continue
        start, end = style.value_span
        names = [use.name for use in facts.color_uses if start <= use.span.start < end]
        value = " ".join(style.value_span.extract_from(facts.text).split())
        found.append(
            StyleInFile(style.name, tuple(dict.fromkeys(names)), value, *facts.find_line_and_column(style.span.start))
        )
    return tuple(found)


def list_defined_colors(facts: Facts) -> tuple[Colour, ...]:
    """Return the colors that the file defines."""
    return tuple(
        Colour(each.name, each.model, each.value, *facts.find_line_and_column(each.span.start)) for each in facts.colors
    )


def list_icon_macros(facts: Facts) -> tuple[str, ...]:
    """Return the macros that contain a picture."""
    return tuple(dict.fromkeys(picture.macro for picture in facts.pictures if picture.macro))


def list_requirements(facts: Facts) -> Requires:
    """Return the class, the packages and the libraries, each once."""
    found = facts.document_class
    packages, libraries = dict.fromkeys(facts.packages), dict.fromkeys(facts.libraries)
    return Requires(found.name if found else "", tuple(packages), tuple(libraries))


_UNIT = re.compile(r"\s*\((cm|mm|pt|em|ex)\)(?=$|[;,.:])")
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)$")


def list_parameters(facts: Facts, metadata: Metadata, *, untouched: bool) -> tuple[ParameterInFile, ...]:
    """Return every parameter of the block; in a file without edits, values are the defaults."""
    block = facts.parameters.parameters if facts.parameters else ()
    return tuple(
        _describe_parameter(facts, each, metadata.parameters.get(each.name, (0, {}))[1], untouched) for each in block
    )


def _describe_parameter(facts: Facts, found: Definition, told: dict[str, Any], untouched: bool) -> ParameterInFile:
    unit = _UNIT.search(found.comment)
    kind = str(told.get("type") or ("length-cm" if unit and unit[1] == "cm" else _type_of(found)))
    default = told.get("default")
    line, column = facts.find_line_and_column(found.span.start)
    within = SPACING.get(found.name[1:])
    return ParameterInFile(
        name=found.name,
        type=kind,
        unit=unit[1] if unit else "cm" if kind == "length-cm" else "",
        value=found.value,
        default=str(default) if default is not None else found.value if untouched else None,
        meaning=str(told.get("meaning") or _UNIT.sub("", found.comment)),
        least=within.least if within else 0 if kind == "length-cm" else None,
        over_least=within is not None and not within.closed,
        most=within.most if within else None,
        line=line,
        column=column,
    )


def _type_of(found: Definition) -> str:
    return "number" if _NUMBER.match(found.value) else "text"
