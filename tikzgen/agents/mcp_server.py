"""The tools over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from operator import methodcaller
from pathlib import Path
from typing import Any

from tikzgen.agents.skill import skill
from tikzgen.agents.tools import NAMES, READING, Tools
from tikzgen.apart.watched import Bounds
from tikzgen.apart.workers import Workers
from tikzgen.base.errors import TikzgenError, system_error

SECONDS = 120.0
"""What a call may take; the runs of TeX in it have limits of their own."""


def serve(root: Path, *, trust: bool = False) -> None:
    """Serve the figures in `root` until the client goes. `TikzgenError` where the package `mcp` is missing."""
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver import Image
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ImportError:
        raise TikzgenError("needs the package mcp", hint="pip install 'tikzgen[mcp]'") from None
    from importlib.metadata import version

    tools = Tools(root, trust=trust)
    server = MCPServer("tikzgen", version=version("tikzgen"), instructions=skill())

    workers = Workers(tools)

    def preview(path: str, dpi: int = 110) -> Any:
        """Its signature: what it gives is no text."""

    def spoken(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        """Done by a worker; what goes wrong on purpose reaches the agent in its own words."""

        @wraps(act)
        def told(*values: Any, **arguments: Any) -> Any:
            try:
                made = workers.call(
                    methodcaller(name, *values, **arguments), name, Bounds(SECONDS, hint="ask for less")
                )
            except TikzgenError as error:
                raise ToolError(str(error)) from None
            except OSError as error:
                raise ToolError(system_error(error)) from None
            return Image(data=made, format="png") if name == "preview" else made

        return told

    for name in NAMES:
        act = spoken(name, preview if name == "preview" else getattr(tools, name))
        told = inspect.cleandoc(getattr(Tools, name).__doc__ or "")
        marks = ToolAnnotations(read_only_hint=name in READING)
        server.add_tool(act, name=name, description=" ".join(told.split()), annotations=marks)
    try:
        server.run()
    finally:
        workers.close()
