"""What Python users and agents get if they leave an argument out: nothing is trusted, overwritten or let pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

import tikzgen
from tikzgen.compile.build_figures import Job, build_file
from tikzgen.compile.figure_jobs import figure_source
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.sandbox.needs_sandbox import cell_for
from tikzgen.compile.true_text_sizes import with_true_sizes
from tikzgen.edit.find_words import find_words
from tikzgen.emit.figure_files import write_figure
from tikzgen.lint.probe.look_at_figures import look_at
from tikzgen.serve.agents.mcp_server import serve
from tikzgen.serve.agents.tools import NAMES, Tools
from tikzgen.serve.watch.run_watch import run_watch
from tikzgen.text.maths.maths_tokens import tokenise_maths
from tikzgen.text.maths.parser import parse

PUBLIC: dict[Callable[..., object], str] = {
    tikzgen.load: "settings=() trust=False",
    tikzgen.loads: "name='<string>' settings=() trust=False",
    tikzgen.Figure.save: "force=False merge=False anew=False",
    tikzgen.Figure.measure: "trust=False",
    tikzgen.Figure.build: "engine=None dpi=200 transparent=False trust=False",
    tikzgen.bundle: "pdf=False strip=False engine='pdflatex' force=False allow_invalid=False trust=False measure=False",
    tikzgen.check: "schedule=None settings=()",
    tikzgen.metrics: "settings=()",
    tikzgen.edit.open: "freeze=False",
    Tools.__init__: "trust=False",
    Tools.list: "folder=''",
    Tools.show: "parts=()",
    Tools.plan: "prefer='' freeze=False",
    Tools.apply: "prefer='' freeze=False",
    Tools.geometry: "width=''",
    Tools.render: "output='' settings=() merge=True",
    Tools.preview: "dpi=110",
}
SAFE: dict[Callable[..., object], str] = {
    build_file: "transparent trust",
    cell_for: "trust",
    figure_source: "allow_invalid measure trust",
    look_at: "trust",
    with_true_sizes: "trust",
    parse: "trusted",
    serve: "trust",
    tokenise_maths: "trusted",
    run_watch: "allow_invalid trust geometry measure",
    write_figure: "force",
}
"""Functions behind them, and their arguments that allow more if they are given."""


def defaults(function: Callable[..., object]) -> dict[str, object]:
    found = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in found if each.default is not inspect.Parameter.empty}


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__qualname__)
def test_public_defaults_are_as_documented(function: Callable[..., object]) -> None:
    found = defaults(function)
    assert " ".join(f"{name}={value!r}" for name, value in found.items()) == PUBLIC[function]


def test_every_tool_with_defaults_is_in_the_table() -> None:
    assert {name for name in NAMES if defaults(getattr(Tools, name))} <= {each.__name__ for each in PUBLIC}


@pytest.mark.parametrize("function", SAFE, ids=lambda function: function.__qualname__)
def test_nothing_more_is_allowed_unless_it_is_given(function: Callable[..., object]) -> None:
    found = defaults(function)
    assert [name for name in SAFE[function].split() if found[name]] == []


def test_a_job_is_compiled_in_a_sandbox_on_white() -> None:
    job = Job("a", str, Path("a"))
    assert not (job.trust or job.found or Settings(find_words).transparent)
