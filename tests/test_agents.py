"""The tools for agents: over stdio with the protocol's own client, and the guide that is made from the same table."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import ROOT
from mcp import Client, StdioServerParameters

from tikzgen.agents.skill import skill
from tikzgen.agents.tools import NAMES
from tikzgen.edit.operations import OPERATIONS

GOLDENS = ROOT / "tests/goldens"


def test_guide_is_made_from_the_table() -> None:
    text = (ROOT / "tikzgen/agents/SKILL.md").read_text(encoding="utf-8")
    assert text == skill(), "python -m tikzgen.agents.skill tikzgen/agents/SKILL.md"
    for name in (*NAMES, *(operation.id for operation in OPERATIONS)):
        assert f"`{name}`" in text


def said(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = json.loads(result.content[0].text)
    return found


def test_an_agent_plans_and_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "paper"
    folder.mkdir()
    figure = folder / "fig.tex"
    figure.write_bytes((GOLDENS / "distributed-training.tex").read_bytes())
    (folder / "spec.yaml").write_bytes((ROOT / "examples/cluster.yaml").read_bytes())

    async def talk() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tikzgen", "mcp", "--root", str(folder)],
            env={"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )
        async with Client(server) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == list(NAMES)
            assert all(tool.description for tool in tools.tools)

            shown = said(await client.call_tool("show", {"figure": "fig.tex"}))
            schemas = {operation["id"]: operation["arguments"] for operation in shown["operations"]}
            assert schemas["remove-worker"]["properties"]["worker"]["enum"][:3] == ["w1", "w2", "w3"]

            calls = [{"operation": "add-worker"}, {"operation": "set", "parameter": "rowsep", "value": 2}]
            plan = said(await client.call_tool("plan", {"figure": "fig.tex", "operations": calls}))
            assert plan["digest"] == shown["digest"]
            assert "(w4)" in plan["diff"]
            assert "(w4)" not in figure.read_text(encoding="utf-8")

            done = {"figure": "fig.tex", "operations": calls, "digest": plan["digest"]}
            assert said(await client.call_tool("apply", done))["written"] == "fig.tex"
            text = figure.read_text(encoding="utf-8")
            assert "(w4)" in text
            again = await client.call_tool("apply", done)
            assert again.is_error
            assert "changed since" in again.content[0].text
            assert figure.read_text(encoding="utf-8") == text

            refused = [{"operation": "recolor", "what": "gradient", "color": "otteal"}]
            outcome = said(await client.call_tool("plan", {"figure": "fig.tex", "operations": refused}))
            assert outcome["refused"]
            assert outcome["outcomes"][0]["nearest"]

            assert said(await client.call_tool("check", {"path": "fig.tex"}))["findings"] == []
            made = said(await client.call_tool("render", {"spec": "spec.yaml", "output": "two.tex"}))
            assert made["written"] == "two.tex"
            assert (folder / "two.meta.json").exists()

            outside = await client.call_tool("show", {"figure": "../../secret.tex"})
            assert outside.is_error
            assert "outside" in outside.content[0].text

            picture = await client.call_tool("preview", {"path": "fig.tex", "dpi": 40})
            assert base64.b64decode(picture.content[0].data).startswith(b"\x89PNG")

    anyio.run(talk)
