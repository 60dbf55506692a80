"""`tikzgen show`: an inventory with the operations that the figure allows, as data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused, TikzgenError, quote
from tikzgen.base.plain_words import in_columns
from tikzgen.base.record import Record, as_dict
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit.allowed_operations import figure_inside, names_in, reasons, schema
from tikzgen.edit.own_figure import Said
from tikzgen.edit.run_operation import run_operation
from tikzgen.edit.set_spacing_and_texts import read_label
from tikzgen.emit.describe_figure import make_about
from tikzgen.lint.inventory import Inventory, read_inventory
from tikzgen.model.about import About
from tikzgen.model.operations import OPERATIONS, Names, Operation, SetSchedule, read_operation
from tikzgen.spec.errors.field_docs import first_line

_BRIEF_ITEMS = 8  # names of one type, manual edits, or problems, in brief
_VALUE_CHARS = 60  # characters of a value, in brief
_LINES = 7  # lines of a section, without `--all`
_COLUMN_CHARS = 44  # characters


def show(path: str | Path) -> Inventory:
    """Return the contents of any .tex file; raise `FileRefused` if it is unreadable.

    >>> [parameter.value for parameter in show("tests/cases/opentikz/distributed-training.tex").parameters][:2]
    ['4.6', '2.5']
    """
    return read_inventory(path)


def as_data(figure: Inventory) -> dict[str, Any]:
    """Return the inventory for programs, with schemas of operations or reasons why they are impossible."""
    found: dict[str, Any] = _data(figure)
    operations: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    names = names_in(figure)
    for each in OPERATIONS.values():
        why = reasons(each, figure, names)
        head = {"id": each.operation_name(), "summary": first_line(each)}
        if why:
            refused.append({**head, "reasons": list(why)})
        else:
            operations.append({**head, "arguments": schema(each, names, figure)})
    return {**found, "operations": operations, "impossible": refused}


def as_brief(figure: Inventory, parts: Sequence[str] = ()) -> dict[str, Any]:
    """Return values and names in brief, for agents, and `parts` in full; raise `TikzgenError` if unknown."""
    names = names_in(figure)
    possible = [each for each in OPERATIONS.values() if not reasons(each, figure, names)]
    whole = {name: value for name, value in _data(figure).items() if name in _WHOLE}
    if parts:
        found: dict[str, Any] = {"file": figure.file, "digest": figure.digest}
        for part in parts:
            if part not in (*whole, *names, *OPERATIONS):
                hint = suggest_known_names(part, [*whole, *names, *OPERATIONS], "the parts are")
                raise TikzgenError(f"unknown part {quote(part)}", hint=hint)
            if part in OPERATIONS:
                found[part] = schema(OPERATIONS[part], names, figure)
            else:
                found[part] = whole[part] if part in whole else list(names[part])
        return found
    return {
        "file": figure.file,
        "digest": figure.digest,
        "origin": _head(figure).partition(": ")[2],
        "description": figure.summary,
        "parameters": {each.name[1:]: f"{_short_value(each.value)} {each.unit}".rstrip() for each in figure.parameters},
        "names": {kind: _few(each) for kind, each in names.items() if each and kind not in _APART},
        "hand_edits": _hand_edits(figure)[:_BRIEF_ITEMS],
        "operations": {each.operation_name(): _arguments(each, names) for each in possible},
        "problems": [f"{each.line}:{each.column}: {each.message}" for each in figure.problems[:_BRIEF_ITEMS]],
        "parts": "show with parts tells more: " + ", ".join([*whole, "a kind of names", "an operation (its schema)"]),
    }


_WHOLE = ("parameters", "nodes", "families", "flows", "styles", "colors", "requires", "hand_edits")
_APART = (
    *("parameters", "lengths", "named", "pairs", "recolored", "with_icon", "facts", "icons"),
    *("rows", "spare_workers", "spare_rows", "span_pairs", "flow_targets", "arrow_targets"),
)


def _few(names: tuple[str, ...]) -> list[str]:
    more = len(names) - _BRIEF_ITEMS
    return [*names[: _BRIEF_ITEMS - 1], f"… and {more + 1} more"] if more > 0 else list(names)


def _short_value(text: str) -> str:
    return text if len(text) <= _VALUE_CHARS else text[: _VALUE_CHARS - 1] + "…"


def _arguments(operation: type[Operation], names: Names) -> str:
    """Return the arguments as they are typed, with optional ones in brackets."""
    if operation is SetSchedule:
        return " ".join(f"[{fact}]" for fact in names["facts"])
    return " ".join(name if field.is_required() else f"[{name}]" for name, field in operation.list_arguments().items())


def _data(figure: Inventory) -> dict[str, Any]:
    """Return the inventory as data, with the summary as description."""
    facts = {**as_dict(figure), "description": figure.summary}
    return {name: _to_data(value) for name, value in facts.items() if name not in ("summary", "figure")}


def _to_data(part: Any) -> Any:
    """Convert records to mappings, at any depth."""
    if isinstance(part, Record):
        return {name: _to_data(value) for name, value in as_dict(part).items()}
    return [_to_data(each) for each in part] if isinstance(part, tuple) else part


def as_alt(figure: Inventory) -> str:
    r"""Return title and description for `\includegraphics[alt={...}]`: one line, TeX specials escaped.

    Empty if the figure has neither an embedded spec nor a metadata file.
    """
    return "".join(_ESCAPES.get(char, char) for char in _texts_of_figure(figure).alt)


_ESCAPES = {char: f"\\{char}" for char in "$&%#_{}"} | {
    "\\": "/",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _texts_of_figure(figure: Inventory) -> About:
    """Return title and description of the spec with manual edits, or of the metadata without a spec."""
    if figure.description is None:
        return About(figure.title, figure.summary)
    said = Said(figure_inside(figure), figure.file)
    for each in figure.hand_edits or ():
        if each.kind == "parameter":
            with suppress(EditRefused, ValidationError):
                arguments = {"parameter": each.name[1:], "value": read_label(each.after)}
                said = run_operation(said, read_operation("set", arguments))
    return make_about(said.drawn_figure)


def as_text(
    figure: Inventory, most: int | None = _LINES, *, edits: tuple[Sequence[str], Sequence[str]] = ((), ())
) -> str:
    """Return the inventory for users: the first lines of each section, or all without `most`.

    `edits` are the operations that express manual edits, and the other manual edits.
    """
    parts = [
        ("parameters", _rows([_parameter(each) for each in figure.parameters])),
        ("nodes", _rows([_node(each) for each in figure.nodes])),
        ("families", _rows([_family(each) for each in figure.families])),
        ("flows", _rows([_flow(each) for each in figure.flows])),
        ("lanes", [", ".join(figure.lanes)] if figure.lanes else []),
        ("styles", _rows([(each.name, each.value, f"line {each.line}") for each in figure.styles])),
        ("colors", _rows([(each.name, each.value, f"line {each.line}") for each in figure.colors])),
        ("requires", _requires(figure)),
    ]
    sections = [
        ("", [_head(figure), *([figure.summary] if figure.summary else [])]),
        *((title, _first_lines(lines, most)) for title, lines in parts),
        ("manual edits", _hand_edits(figure)),
        ("manual edits as operations", list(edits[0])),
        ("manual edits that are not in the spec", list(edits[1])),
        ("problems", [f"{each.line}:{each.column}: {each.message}" for each in figure.problems]),
        ("operations", _operations(figure)),
    ]
    blocks = []
    for title, lines in sections:
        if lines:
            indent = "  " if title else ""
            blocks.append("\n".join([*([title] if title else []), *(f"{indent}{line}".rstrip() for line in lines)]))
    return "\n\n".join(blocks) + "\n"


def _first_lines(lines: list[str], most: int | None) -> list[str]:
    more = len(lines) - most if most is not None else 0
    return [*lines[:most], f"… and {more} more (--all)"] if more > 0 else lines


def _rows(rows: list[tuple[str, ...]]) -> list[str]:
    """Return aligned columns, with long cells cut."""
    return list(in_columns([tuple(map(_short, row)) for row in rows]))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _COLUMN_CHARS else line[: _COLUMN_CHARS - 1] + "…"


def _head(figure: Inventory) -> str:
    origin = figure.origin
    if origin.kind is None:
        what = "not tikzgen's: it carries no description" if not origin.trouble else origin.trouble
        return f"{figure.file}: {what}" + (f"; contract in {figure.contract}" if figure.contract else "")
    made = f"recipe {origin.recipe}" if origin.kind == "recipe" else "a figure described part by part"
    state = "as tikzgen wrote it" if origin.untouched else origin.trouble or "edited manually since tikzgen wrote it"
    return f"{figure.file}: {made} (format {origin.format}, digest {origin.digest[:8]}), {state}"


def _parameter(each: Any) -> tuple[str, ...]:
    value = f"{each.value} {each.unit}".rstrip()
    default = "" if each.default is None or each.default == each.value else f"default {each.default}"
    least = "" if each.least is None else f"over {each.least:g}" if each.over_least else f"from {each.least:g}"
    bounds = least + (f", up to {each.most:g}" if each.most is not None else "")
    return (each.name, value, each.type, bounds, default, each.meaning)


def _node(each: Any) -> tuple[str, ...]:
    return (each.name, each.label, " ".join(each.styles), each.icon, f"line {each.line}")


def _family(each: Any) -> tuple[str, ...]:
    bounds = f"{each.least} to {each.most}" if each.most else f"{each.least} or more"
    return (each.pattern, f"{len(each.members)} ({each.members[0]} to {each.members[-1]})", each.kind, bounds)


def _flow(each: Any) -> tuple[str, ...]:
    loop = ", in a loop" if each.loop else ""
    return (f"{each.source} -> {each.target}", each.style, each.label, f"line {each.line}{loop}")


def _requires(figure: Inventory) -> list[str]:
    found = figure.requires
    parts = [("class", (found.document_class,)), ("packages", found.packages), ("libraries", found.libraries)]
    return [f"{name}: {', '.join(names)}" for name, names in parts if any(names)]


def _hand_edits(figure: Inventory) -> list[str]:
    lines = []
    for each in figure.hand_edits or ():
        if each.kind == "parameter":
            before = f", was {each.before}" if each.before else ""  # unknown in files of earlier versions
            lines.append(f"line {each.line}: {each.name} is {each.after}{before}")
        else:
            lines.append(f"line {each.line}: {each.kind}")
            lines += [f"  - {line.strip()}" for line in each.before.splitlines() if line.strip()]
            lines += [f"  + {line.strip()}" for line in each.after.splitlines() if line.strip()]
    return lines


def _operations(figure: Inventory) -> list[str]:
    """Return the possible operations with their arguments, then the others with the reasons."""
    possible: list[tuple[str, str, str]] = []
    impossible: dict[str, list[str]] = {}
    names = names_in(figure)
    for each in OPERATIONS.values():
        if why := reasons(each, figure, names):
            impossible.setdefault("; ".join(why), []).append(each.operation_name())
        else:
            possible.append((each.operation_name(), _arguments(each, names), first_line(each)))
    widths = (
        [min(max(len(row[index]) for row in possible), _COLUMN_CHARS) for index in range(2)] if possible else [0, 0]
    )
    told = [f"{row[0].ljust(widths[0])}  {row[1].ljust(widths[1])}  {row[2]}" for row in possible]
    return [*told, *(f"not now: {', '.join(called)} ({why})" for why, called in impossible.items())]
