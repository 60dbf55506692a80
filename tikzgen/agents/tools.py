"""What an agent may do, as plain functions: show, plan, apply, check, render, preview.

Every path lies inside `root`. `apply` is bound to the hash of the file that was planned on.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tikzgen.errors import FileRefused, LatexError
from tikzgen.record import as_dict

__all__ = ["Tools"]

Operations = Sequence[dict[str, Any]]


class Tools:
    """The tools for the figures in one folder; `trust` compiles any .tex there without a sandbox."""

    def __init__(self, root: Path, *, trust: bool = False) -> None:
        self._root = root.resolve()
        self._trust = trust

    def show(self, figure: str) -> dict[str, Any]:
        """What a .tex figure holds: parameters, nodes, families, flows, styles, hand edits, the hash of the file
        (`digest`), and the operations that are possible now, each with a JSON Schema of its arguments."""
        from tikzgen.showing import as_data, show

        return as_data(show(self._path(figure)))

    def plan(self, figure: str, operations: Operations, prefer: str = "") -> dict[str, Any]:
        """Try operations on a figure without writing: what would become of each, the diff, conflicts with hand edits
        (`prefer` ours or theirs decides them), and the `digest` that `apply` wants."""
        editing, outcomes = self._tried(figure, operations)
        report = self._report(editing, outcomes)
        if not report["refused"]:
            report.update(self._diff(editing, prefer))
        return report

    def apply(self, figure: str, operations: Operations, digest: str, prefer: str = "") -> dict[str, Any]:
        """Do operations on a figure, all or none, and write it; refused if the file no longer has this `digest`."""
        editing, outcomes = self._tried(figure, operations)
        if editing.digest != digest:
            raise FileRefused(f"{figure}: changed since it was planned on", hint="plan again with the new digest")
        report = self._report(editing, outcomes)
        if not report["refused"]:
            report.update(self._diff(editing, prefer))
            if not report.get("conflicts"):
                editing.save(_side(prefer))
                report["written"] = figure
        return report

    def check(self, path: str) -> dict[str, Any]:
        """Which rules a spec, an operation list or a .tex breaks: code, message, place, hint."""
        from tikzgen import check

        return {"findings": [finding.as_json() for finding in check(self._path(path))]}

    def render(self, spec: str, output: str, settings: Sequence[str] = (), merge: bool = True) -> dict[str, Any]:
        """Render a spec file to a .tex with its metadata beside it; hand edits in the .tex are kept."""
        from tikzgen import render
        from tikzgen.edit.opened import merge_into
        from tikzgen.loading import load
        from tikzgen.rendering.files import write_figure

        figure, target = load(self._path(spec), settings=list(settings)), self._path(output)
        if merge and target.exists():
            return {"written": output if merge_into(target, figure) else ""}
        rendered = render(figure)
        written = write_figure(target, rendered.tex, rendered.metadata)
        return {"written": output if written else "", "notes": list(rendered.notes)}

    def preview(self, path: str, dpi: int = 110) -> bytes:
        """A PNG of a figure, from its .tex or its spec, as it looks in the PDF."""
        from tikzgen.blame import blamed
        from tikzgen.loading import load
        from tikzgen.rendering import render
        from tikzgen.tex.build import build_file
        from tikzgen.tex.scratch import scratch

        source = self._path(path)
        found = source.suffix == ".tex"
        text = source.read_text(encoding="utf-8") if found else render(load(source)).tex
        with scratch() as folder:
            target, resolution = folder / "preview.png", max(36, min(dpi, 400))
            try:
                return build_file(text, target, dpi=resolution, trust=self._trust or not found).read_bytes()
            except LatexError as error:
                raise blamed(error, text, source) from None

    def _path(self, name: str) -> Path:
        from tikzgen.rendering.files import meta_path

        path = (self._root / name).resolve()
        beside = meta_path(path).resolve()  # a link, too, may lead out
        if not (path.is_relative_to(self._root) and beside.is_relative_to(self._root)):
            raise FileRefused(f"{name}: lies outside {self._root}")
        return path

    def _tried(self, figure: str, operations: Operations) -> tuple[Any, list[Any]]:
        from tikzgen.edit import open as open_figure
        from tikzgen.edit.calls import read_calls

        editing = open_figure(self._path(figure))
        return editing, [editing.attempt(*call) for call in read_calls(list(operations))]

    @staticmethod
    def _report(editing: Any, outcomes: list[Any]) -> dict[str, Any]:
        refused = any(outcome.status in ("refused", "failed") for outcome in outcomes)
        return {"digest": editing.digest, "refused": refused, "outcomes": [outcome.as_json() for outcome in outcomes]}

    @staticmethod
    def _diff(editing: Any, prefer: str) -> dict[str, Any]:
        from tikzgen.edit.opened import MergeConflict

        try:
            return {"diff": editing.diff(_side(prefer)), "conflicts": []}
        except MergeConflict as conflict:
            return {"diff": "", "conflicts": [as_dict(one) for one in conflict.conflicts]}


def _side(prefer: str) -> Any:
    return prefer if prefer in ("ours", "theirs") else None
