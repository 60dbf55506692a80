"""The guide for agents, made from the table of operations and the tools, so that none of them can drift.

`python -m tikzgen.agents.skill tikzgen/agents/SKILL.md` writes it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from tikzgen.agents.tools import NAMES, Tools
from tikzgen.edit.operations import OPERATIONS

__all__ = ["operations_table", "skill"]

_HEAD = """---
name: tikzgen
description: Draw and edit figures of distributed systems and training (workers, servers, timelines, schedules) as \
TikZ for LaTeX papers, without losing what people changed by hand.
---

# tikzgen

A figure is a `.tex` file with its description inside. Change it by operations, not by rewriting it: operations keep \
the layout right and every hand edit where it is.

1. `show` the figure: its parameters, nodes and the operations that are possible now, with their schemas and real ids.
2. `plan` the operations: read the diff and the outcomes. A refusal names the broken invariant and a call that works.
3. `apply` the same operations with the plan's `digest`. If the file changed meanwhile, plan again.
4. `check` the file and look at its `preview`.

On the command line the same is `tikzgen show`, `tikzgen edit --diff`, `tikzgen edit`, `tikzgen check` and \
`tikzgen build --format png`. A new figure begins with `tikzgen new RECIPE`.
"""


def skill() -> str:
    """The text of SKILL.md."""
    return "\n".join([_HEAD, "## Tools", "", *_tools(), "", "## Operations", "", *operations_table()]) + "\n"


def _tools() -> Iterator[str]:
    yield "| tool | arguments | |"
    yield "|---|---|---|"
    for name in NAMES:
        act = getattr(Tools, name)
        arguments = ", ".join(list(inspect.signature(act).parameters)[1:])
        yield f"| `{name}` | {arguments} | {' '.join(inspect.cleandoc(act.__doc__ or '').split())} |"


def operations_table() -> Iterator[str]:
    """Every operation with its arguments, in Markdown."""
    yield 'Each is an object such as `{"operation": "set", "parameter": "rowsep", "value": 2}`.'
    yield ""
    yield "| operation | arguments | |"
    yield "|---|---|---|"
    for each in OPERATIONS:
        schema = each.schema()
        required = schema.get("required", [])
        words = [name if name in required else f"[{name}]" for name in schema.get("properties", {})]
        yield f"| `{each.id}` | {', '.join(words) or '–'} | {each.summary} |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(skill(), encoding="utf-8")
