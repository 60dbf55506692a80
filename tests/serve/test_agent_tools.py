"""The tools for agents: thirty tasks over stdio with the protocol's own client; the guide made from the same table."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SWEPT, example_tex
from opentikz import SEED
from ruamel.yaml import YAML

from tikzgen.base.errors import TikzgenError
from tikzgen.edit.show_figure import as_brief, show
from tikzgen.model.operations.operations_table import OPERATIONS
from tikzgen.serve.agents.mcp_server import make_skill_text
from tikzgen.serve.agents.tools import NAMES, Tools
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.spec.spec_text import STARTS

CASES = ROOT / "tests" / "cases"
_YAML = YAML(typ="safe")
TASKS: list[dict[str, Any]] = _YAML.load((CASES / "agents" / "tasks.yaml").read_text(encoding="utf-8"))
"""Tasks in which something is refused, undone or in conflict."""
SENTENCES: list[dict[str, Any]] = _YAML.load((CASES / "agents" / "sentences.yaml").read_text(encoding="utf-8"))
"""Tasks that are done at the first try."""
TABLES: dict[str, dict[str, Any]] = _YAML.load((CASES / "edit" / "tables.yaml").read_text(encoding="utf-8"))["figures"]
TASK_BYTES = 20_000
"""Bytes that a task takes at most: its requests, their results, and the list of tools. The guide is sent once a session
and is not counted."""
IN_BRIEF = 8000
"""Bytes of JSON that `show` gives at most, where nobody asks for more."""


def test_guide_is_made_from_the_table() -> None:
    text = (ROOT / "tikzgen/serve/agents/SKILL.md").read_text(encoding="utf-8")
    assert text == make_skill_text(), "python -m tikzgen.serve.agents.mcp_server tikzgen/serve/agents/SKILL.md"
    for name in (*NAMES, *OPERATIONS):
        assert f"`{name}`" in text


def test_the_guide_says_what_to_do_when_it_does_not_go_as_planned() -> None:
    text = make_skill_text()
    for word in ("**Conflicts.**", "**Durations.**", "**No operation fits.**", "prefer", "freeze", "undo"):
        assert word in text


@pytest.mark.parametrize("example", SWEPT)
def test_a_figure_is_told_in_brief(example: Path) -> None:
    shown = show(example_tex(example.stem))
    told = as_brief(shown)
    assert len(json.dumps(told, ensure_ascii=False, indent=2).encode()) < IN_BRIEF
    assert told["parts"].endswith(", a kind of names, an operation (its schema)")
    for operation in told["operations"]:
        assert set(as_brief(shown, [operation])) == {"file", "digest", operation}
    for part in ("nodes", "flows", "parameters"):
        assert part in as_brief(shown, [part])


def said(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = json.loads(result.content[0].text)
    return found


def client_of(folder: Path, home: Path) -> Any:
    from mcp import Client, StdioServerParameters  # a second to load, for tests that are slow themselves

    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tikzgen", "mcp", "--root", str(folder)],
        env={"XDG_CACHE_HOME": str(home / "cache"), "PATH": "/usr/bin:/bin", "HOME": str(home)},
    )
    return Client(started)


def put_files(task: dict[str, Any], folder: Path) -> None:
    """Write the figures of a task with what stands beside them."""
    folder.mkdir()
    for name, source in task.get("files", {}).items():
        path = folder / name
        if source in TABLES:
            text = TABLES[source]["text"]
            table = {"contract": 2, "figure": source, **TABLES[source]["contract"]}
            path.with_suffix(".contract.json").write_text(json.dumps(table), encoding="utf-8")
        else:
            found = CASES / source if source.endswith(".tex") else example_tex(source)
            text = found.read_text(encoding="utf-8")
            beside = found.with_suffix(".meta.json")
            if beside.exists():
                path.with_suffix(".meta.json").write_bytes(beside.read_bytes())
        for old, new in task.get("hand", ()):
            assert old in text, old
            text = text.replace(old, new, 1)
        path.write_text(text, encoding="utf-8")


def filled(value: Any, folder: str, digest: str) -> Any:
    """The arguments or the answers of a call, with the folder of its task and the last digest."""
    return json.loads(json.dumps(value).replace("$folder", folder).replace("$digest", digest))


async def do_task(client: Any, task: dict[str, Any], folder: Path) -> int:
    """Do a task in a folder below the server's; return the bytes of its requests and results."""
    digest, taken = "", 0
    for tool, arguments, *rest in filled(task["calls"], folder.name, "$digest"):
        must = rest[0] if rest else {}
        if must.get("tex"):
            continue  # the test of a picture has TeX
        asked = filled(arguments, folder.name, digest)
        result = await client.call_tool(tool, asked)
        sent = result.model_dump_json(by_alias=True, exclude_none=True)
        taken += len(json.dumps({"name": tool, "arguments": asked})) + len(sent.encode())
        assert sent.count("+++ b/fig.tex") <= 1  # the diff, once
        assert 'lines\\": [' not in sent
        if "fails" in must:
            assert result.is_error
            assert must["fails"] in result.content[0].text
            continue
        answer = said(result)
        for field, value in must.get("says", {}).items():
            assert answer[field] == value, answer
        if tool == "apply" and "says" not in must:
            assert answer["written"] == asked["figure"], answer
            assert answer["digest"] == show(folder / "fig.tex").digest
        assert '"applied"' not in json.dumps(answer) or not (answer["refused"] or answer["conflicts"])
        digest = answer.get("digest", digest)
    return taken


def judge(task: dict[str, Any], figure: Path, before: bytes) -> None:
    """The figure of a task is what its sentence asks for."""
    text = figure.read_text(encoding="utf-8")
    assert (figure.read_bytes() == before) == task.get("unchanged", False)
    assert [part for part in task.get("has", ()) if part not in text] == []
    assert [part for part in task.get("lacks", ()) if part in text] == []
    spec = json.loads(extract_spec(text) or "{}")
    assert {field: spec.get(field) for field in task.get("is", {})} == task.get("is", {})


@pytest.mark.slow
def test_tasks_are_done_in_one_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tasks, one after the other with one server; each is done with few bytes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "paper"
    root.mkdir()

    async def talk() -> None:
        async with client_of(root, tmp_path) as client:
            listed = await client.list_tools()
            tools = len(listed.model_dump_json(by_alias=True, exclude_none=True).encode())
            for number, task in enumerate([*TASKS, *SENTENCES]):
                folder = root / f"task{number}"
                put_files(task, folder)
                figure = folder / "fig.tex"
                before = figure.read_bytes() if figure.exists() else b""
                try:
                    taken = tools + await do_task(client, task, folder)
                    judge(task, figure, before)
                    assert taken <= TASK_BYTES
                except Exception as error:
                    raise AssertionError(f"{task['sentence']}: {error}") from error

    asyncio.run(talk())


def test_twenty_tasks_are_done_at_the_first_try() -> None:
    assert len(SENTENCES) == 20
    assert "fails" not in json.dumps(SENTENCES)
    assert '"refused"' not in json.dumps(SENTENCES)


def test_there_are_ten_tasks_and_every_tool_is_used() -> None:
    assert len(TASKS) == 10
    assert {call[0] for task in TASKS for call in task["calls"]} | {"preview"} == set(NAMES)


@pytest.mark.tex
def test_an_agent_stays_in_its_folder_and_sees_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "paper"
    folder.mkdir()
    figure = folder / "fig.tex"
    figure.write_bytes(example_tex("distributed-training").read_bytes())

    async def talk() -> None:
        async with client_of(folder, tmp_path) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == list(NAMES)
            assert all(tool.description for tool in tools.tools)
            shown = said(await client.call_tool("show", {"figure": "fig.tex", "parts": ["remove-worker"]}))
            assert shown["remove-worker"]["properties"]["worker"]["enum"][:3] == ["w1", "w2", "w3"]
            done = {"figure": "fig.tex", "operations": [{"operation": "add-worker"}], "digest": shown["digest"]}
            assert said(await client.call_tool("apply", done))["written"] == "fig.tex"
            text = figure.read_text(encoding="utf-8")
            again = await client.call_tool("apply", done)
            assert again.is_error
            assert "changed after" in again.content[0].text
            assert figure.read_text(encoding="utf-8") == text
            for name in ("../../secret.tex", "/etc/hostname"):
                outside = await client.call_tool("show", {"figure": name})
                assert outside.is_error
                assert "outside" in outside.content[0].text
            hidden = await client.call_tool("new", {"recipe": "pipeline", "spec": ".hidden/x.yaml"})
            assert hidden.is_error
            assert "nothing hidden" in hidden.content[0].text
            assert said(await client.call_tool("geometry", {"path": "fig.tex"}))["findings"] == []
            picture = await client.call_tool("preview", {"path": "fig.tex", "dpi": 40})
            assert base64.b64decode(picture.content[0].data).startswith(b"\x89PNG")

    asyncio.run(talk())


def test_what_an_agent_gets_wrong_is_refused_with_a_way_out(tmp_path: Path) -> None:
    figure = tmp_path / "fig.tex"
    figure.write_bytes(example_tex("distributed-training").read_bytes())
    tools = Tools(tmp_path)
    with pytest.raises(TikzgenError, match=r'unknown width "foo" \(write 8.4, 8.4cm, 3.25in'):
        tools.geometry("fig.tex", width="foo")
    with pytest.raises(TikzgenError, match=r'name and arguments \(\{"operation": "rename-node", "node": "w1", "label"'):
        tools.plan("fig.tex", [{"name": "add-worker"}])
    with pytest.raises(TikzgenError, match="needs a digest"):
        tools.apply("fig.tex", [{"operation": "add-worker"}], "")
    as_in_specs = tools.plan("fig.tex", [{"do": "rename-node", "node": "w1", "label": "GPU 0"}])
    assert [each["status"] for each in as_in_specs["outcomes"]] == ["applied"]


@pytest.mark.parametrize("start", STARTS)
def test_a_figure_is_begun_part_by_part(start: str, tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    assert start in tools.list()["starts"]
    tools.new(start, "mine.yaml")
    assert tools.render("mine.yaml")["written"] == "mine.tex"
    assert tools.check("mine.tex") == {"findings": []}


SMALL_TASKS = [
    ("distributed-training.tex", [{"operation": "add-worker"}]),
    ("own.tex", [{"operation": "add-worker"}]),
    ("own.tex", [{"operation": "recolor", "what": "grad", "color": "otblue"}]),
]


@pytest.mark.parametrize(("name", "operations"), SMALL_TASKS)
def test_a_task_takes_few_bytes(tmp_path: Path, name: str, operations: list[dict[str, Any]]) -> None:
    (tmp_path / SEED.name).write_bytes(SEED.read_bytes())
    (tmp_path / "own.tex").write_bytes(example_tex("distributed-training").read_bytes())
    tools = Tools(tmp_path)
    answers = [tools.show(name), tools.plan(name, operations)]
    answers.append(tools.apply(name, operations, answers[1]["digest"]))
    assert sum(len(json.dumps(each)) for each in answers) <= 20_000
    assert answers[1]["diff"].count("+++") == 1
    assert '"lines": [' not in answers[1]["diff"]
    assert "diff" not in answers[2]
    changed = [line for line in answers[1]["diff"].splitlines()[2:] if line.startswith("+")]
    assert answers[2]["lines"]["added"] == len(changed) > 0
