"""The tools as a Model Context Protocol server, and the guide for agents, generated from the tools.

`python -m tikzgen.serve.agents.mcp_server tikzgen/serve/agents/SKILL.md` writes the guide.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib.metadata import version
from operator import methodcaller
from pathlib import Path
from typing import Any

from tikzgen.base.child import ResourceLimits, WorkerPool
from tikzgen.base.defaults import PREVIEW_DPI
from tikzgen.base.errors import TikzgenError, system_error
from tikzgen.base.extras import how_to_install
from tikzgen.edit.allowed_operations import schema
from tikzgen.model.operations import OPERATIONS
from tikzgen.serve.agents.tools import NAMES, READING, Tools
from tikzgen.spec.errors.field_docs import first_line

_HEAD = """---
name: tikzgen
description: Draw and edit figures of distributed systems and training (workers, servers, timelines, schedules) as \
TikZ for LaTeX papers, without losing what people changed by hand.
---

# tikzgen

A figure is a `.tex` file with its description inside. Change it by operations, not by rewriting it: operations keep \
the layout right and every hand edit where it is.

1. `list` tells which figures and specs there are. `show` a figure: its values, its names and the operations that are \
possible now. `show` with `parts` tells more: `["nodes"]`, or `["set-span"]` for the JSON Schema of an operation.
2. `plan` the operations: read the diff and the outcomes. A refusal names the broken invariant and a call that works.
3. `apply` the same operations with the plan's `digest`. It gives the new `digest`, for the next `apply`. If the file \
changed meanwhile, plan again.
4. `check` the file, ask for its `geometry` (what TeX really set), and look at its `preview`. `undo` takes an edit back.

A new figure: `new` writes a spec with every field of a recipe; say in it what differs, and `render` it.

## When it does not go as planned

- **Conflicts.** A person changed what the operation changes, too. The plan shows both sides of each, numbered. Ask \
whose counts where you cannot tell; then plan and apply with `prefer`: `theirs` keeps the person's, `ours` takes \
tikzgen's, `1=theirs 2=ours` decides one by one. Nothing is written before all are decided.
- **Durations.** Where a recipe computes the times (`origin` names it), change its facts: `set-schedule` with \
`compute`, `forward`, `microbatches` …; all spans follow. `set-span` with `start` and `duration` is for figures \
without a recipe. With `freeze` a figure gives its recipe up, so that single spans can be changed; it then claims \
nothing that was computed, and `set-schedule` is gone for it. Ask before you freeze.
- **A distance is too short.** The refusal says the least that works.
- **No operation fits.** `pull` the spec, change it (the fields are those of `new` and of `tikzgen schema`), and \
`render` it onto the same .tex: hand edits are merged. What no spec can say, write into the .tex by hand: it stays \
through every later operation. Do not rewrite the file, nor touch what stands after `\\end{document}`.

On the command line the same is `tikzgen show`, `tikzgen edit --diff`, `tikzgen edit`, `tikzgen edit --undo`, \
`tikzgen pull`, `tikzgen check --geometry` and `tikzgen build --format png`.
"""


def make_skill_text() -> str:
    """Return the text of SKILL.md."""
    return "\n".join([_HEAD, "## Tools", "", *_list_tools(), "", "## Operations", "", *operations_table()]) + "\n"


def _list_tools() -> Iterator[str]:
    yield "| tool | arguments | |"
    yield "|---|---|---|"
    for name in NAMES:
        act = getattr(Tools, name)
        arguments = ", ".join(list(inspect.signature(act).parameters)[1:])
        yield f"| `{name}` | {arguments} | {' '.join(inspect.cleandoc(act.__doc__ or '').split())} |"


def operations_table() -> Iterator[str]:
    """Yield the lines of a Markdown table of all operations with their arguments."""
    yield 'Each is an object such as `{"operation": "set", "parameter": "rowsep", "value": 2}`.'
    yield ""
    yield "| operation | arguments | |"
    yield "|---|---|---|"
    for name, each in OPERATIONS.items():
        told = schema(each)
        words = [word if word in told.get("required", ()) else f"[{word}]" for word in told["properties"]]
        yield f"| `{name}` | {', '.join(words) or '–'} | {first_line(each)} |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(make_skill_text(), encoding="utf-8")


CALL_SECONDS = 120.0
"""Time limit of a call, in seconds; TeX runs have separate limits."""


def serve(root: Path, *, trust: bool = False) -> None:
    """Serve the figures in `root` until the client disconnects.

    Raise `TikzgenError` if the package `mcp` is not installed.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver import Image
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ImportError:
        raise TikzgenError("needs the package mcp", hint=how_to_install("mcp")) from None
    tools = Tools(root, trust=trust)
    server = MCPServer("tikzgen", version=version("tikzgen"), instructions=make_skill_text())

    workers = WorkerPool(tools)

    def preview(path: str, dpi: int = PREVIEW_DPI) -> Any:
        """Provide the signature of the tool, whose result becomes an image."""

    def run_in_worker(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        """Run a tool in a worker. Pass expected errors to the agent, and a result as compact JSON."""

        @wraps(act)
        def call_tool(*values: Any, **arguments: Any) -> Any:
            try:
                made = workers.call(
                    methodcaller(name, *values, **arguments), name, ResourceLimits(CALL_SECONDS, hint="ask for less")
                )
            except TikzgenError as error:
                raise ToolError(str(error)) from None
            except OSError as error:
                raise ToolError(system_error(error)) from None
            return Image(data=made, format="png") if name == "preview" else json.dumps(made, ensure_ascii=False)

        return call_tool

    for name in NAMES:
        act = run_in_worker(name, preview if name == "preview" else getattr(tools, name))
        told = inspect.cleandoc(getattr(Tools, name).__doc__ or "")
        marks = ToolAnnotations(read_only_hint=name in READING)
        described = " ".join(told.split())
        server.add_tool(act, name=name, description=described, annotations=marks, structured_output=False)
    try:
        server.run()
    finally:
        workers.close()
