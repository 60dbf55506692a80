"""`tikzgen show`: an inventory with the operations that the figure allows, as data and as text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.record import Record, as_dict, replace
from tikzgen.inventory.inventory_facts import Inventory
from tikzgen.inventory.take_inventory import inventory

if TYPE_CHECKING:
    from tikzgen.describe import About

__all__ = ["as_alt", "as_data", "as_text", "show"]


def show(path: str | Path) -> Inventory:
    """What a .tex file holds, tikzgen's own or any other; `FileRefused` if it cannot be read.

    >>> [parameter.value for parameter in show("tests/cases/opentikz/distributed-training.tex").parameters][:2]
    ['4.6', '2.5']
    """
    return inventory(path)


def as_data(figure: Inventory) -> dict[str, Any]:
    """The inventory for programs, with the operations: their schemas, or the reasons why they are not possible."""
    from tikzgen.edit.operations import OPERATIONS

    found: dict[str, Any] = _plain(replace(figure, description=None))
    found["description"] = found.pop("summary")
    operations: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    for each in OPERATIONS:
        reasons = each.possible(figure)
        head = {"id": each.id, "summary": each.summary}
        if reasons:
            refused.append({**head, "reasons": list(reasons)})
        else:
            operations.append({**head, "arguments": each.schema(figure)})
    return {**found, "operations": operations, "impossible": refused}


def _plain(part: Any) -> Any:
    """Records as mappings, however deep."""
    if isinstance(part, Record):
        return {name: _plain(value) for name, value in as_dict(part).items()}
    return [_plain(each) for each in part] if isinstance(part, tuple) else part


def as_alt(figure: Inventory) -> str:
    r"""Title and description for a paper's `\\includegraphics[alt={...}]`: one line, with TeX's specials escaped.

    Empty where the figure has neither a spec inside nor metadata beside it.
    """
    return "".join(_ESCAPES.get(char, char) for char in _words(figure).alt)


_ESCAPES = {char: f"\\{char}" for char in "$&%#_{}"} | {
    "\\": "/",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _words(figure: Inventory) -> About:
    """What the figure's spec says, with the texts that were changed by hand; without a spec what its metadata say."""
    from tikzgen.describe import About

    if figure.description is None:
        return About(figure.title, figure.summary)
    import json

    from tikzgen.compile.figure_words import words_of_spec
    from tikzgen.edit.hand_parameters import told

    changes = {each.name[1:]: each.after for each in figure.hand_edits or () if each.kind == "parameter"}
    return words_of_spec(json.dumps(told(figure.description, figure.file, changes)))


def as_text(figure: Inventory) -> str:
    """The inventory for people."""
    sections = [
        ("", [_head(figure), *([figure.summary] if figure.summary else [])]),
        ("parameters", _rows([_parameter(each) for each in figure.parameters])),
        ("nodes", _rows([_node(each) for each in figure.nodes])),
        ("families", _rows([_family(each) for each in figure.families])),
        ("flows", _rows([_flow(each) for each in figure.flows])),
        ("lanes", [", ".join(figure.lanes)] if figure.lanes else []),
        ("styles", _rows([(each.name, each.value, f"line {each.line}") for each in figure.styles])),
        ("colors", _rows([(each.name, each.value, f"line {each.line}") for each in figure.colors])),
        ("requires", _requires(figure)),
        ("edited by hand", _hand_edits(figure)),
        ("problems", [f"{each.line}:{each.column}: {each.message}" for each in figure.problems]),
        ("operations", _operations(figure)),
    ]
    blocks = []
    for title, lines in sections:
        if lines:
            indent = "  " if title else ""
            blocks.append("\n".join([*([title] if title else []), *(f"{indent}{line}".rstrip() for line in lines)]))
    return "\n\n".join(blocks) + "\n"


def _rows(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns side by side; a column that is very wide does not push the others away."""
    if not rows:
        return []
    widths = [min(max(len(row[index]) for row in rows), 44) for index in range(len(rows[0]))]
    return ["  ".join(_short(cell).ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 44 else line[:43] + "…"


def _head(figure: Inventory) -> str:
    origin = figure.origin
    if origin.kind is None:
        what = "not tikzgen's: it carries no description" if not origin.trouble else origin.trouble
        return f"{figure.file}: {what}" + (f"; contract in {figure.contract}" if figure.contract else "")
    made = f"recipe {origin.recipe}" if origin.kind == "recipe" else "a figure described part by part"
    state = "as tikzgen wrote it" if origin.untouched else origin.trouble or "edited by hand since tikzgen wrote it"
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
            lines.append(f"line {each.line}: {each.name} is {each.after}, was {each.before}")
        else:
            lines.append(f"line {each.line}: {each.kind}")
            lines += [f"  - {line.strip()}" for line in each.before.splitlines() if line.strip()]
            lines += [f"  + {line.strip()}" for line in each.after.splitlines() if line.strip()]
    return lines


def _operations(figure: Inventory) -> list[str]:
    from tikzgen.edit.operations import OPERATIONS

    rows = []
    for each in OPERATIONS:
        reasons = each.possible(figure)
        names = " ".join(each.arguments.model_fields)
        rows.append((each.id, "not now" if reasons else names, "; ".join(reasons) if reasons else each.summary))
    widths = [max(len(row[index]) for row in rows) for index in range(2)]
    return [f"{row[0].ljust(widths[0])}  {row[1].ljust(widths[1])}  {row[2]}" for row in rows]
