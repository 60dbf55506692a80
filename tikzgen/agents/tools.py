"""What an agent may do, as plain functions: show, plan, apply, check, render, preview.

Every path lies inside `root`, and so does what it leads to when it is read or written. `apply` is bound to the hash of
the file that was planned on. Only figures are written: `.tex`, and its `.meta.json`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tikzgen.base.errors import FileRefused, LatexError, refusal, shortened
from tikzgen.base.files import read_bounded, staying_in
from tikzgen.base.folders import locked
from tikzgen.base.record import as_dict

__all__ = ["NAMES", "Tools"]

NAMES = ("show", "plan", "apply", "check", "render", "preview")
"""What an agent is given, in this order."""

Operations = Sequence[dict[str, Any]]

_BESIDE = (".meta.json", ".contract.json")
_LONGEST = 1000  # letters in a path
_LONGEST_PART = 255  # bytes, on most file systems


class Tools:
    """The tools for the figures in one folder; `trust` compiles any .tex there without a sandbox."""

    def __init__(self, root: Path, *, trust: bool = False) -> None:
        self._root = root.resolve()
        self._trust = trust

    def show(self, figure: str) -> dict[str, Any]:
        """What a .tex figure holds: parameters, nodes, families, flows, styles, hand edits, the hash of the file
        (`digest`), and the operations that are possible now, each with a JSON Schema of its arguments."""
        from tikzgen.showing import as_data, show

        with staying_in(self._root):
            return as_data(show(self._path(figure)))

    def plan(self, figure: str, operations: Operations, prefer: str = "") -> dict[str, Any]:
        """Try operations on a figure without writing: what would become of each, the diff, conflicts with hand edits
        (`prefer` decides them: ours, theirs, or one by one, 1=ours 2=theirs), and the `digest` that `apply` wants."""
        with staying_in(self._root):
            editing, outcomes = self._tried(self._path(figure), operations)
            report = self._report(editing, outcomes)
            if not report["refused"]:
                report.update(self._diff(editing, prefer))
            return report

    def apply(self, figure: str, operations: Operations, digest: str, prefer: str = "") -> dict[str, Any]:
        """Do operations on a figure, all or none, and write it; refused if the file no longer has this `digest`."""
        path = self._figure(figure)
        with staying_in(self._root), locked(path):
            editing, outcomes = self._tried(path, operations)
            if editing.digest != digest:
                raise FileRefused(f"{figure}: changed since it was planned on", hint="plan again with the new digest")
            report = self._report(editing, outcomes)
            if not report["refused"]:
                report.update(self._diff(editing, prefer))
                if not report.get("conflicts"):
                    editing.save(_sides(prefer))
                    report["written"] = figure
            return report

    def check(self, path: str) -> dict[str, Any]:
        """Which rules a spec, an operation list or a .tex breaks: code, message, place, hint."""
        from tikzgen import check

        with staying_in(self._root):
            return {"findings": [finding.as_json() for finding in check(self._path(path))]}

    def render(self, spec: str, output: str, settings: Sequence[str] = (), merge: bool = True) -> dict[str, Any]:
        """Render a spec file to a .tex with its metadata beside it; hand edits in the .tex are kept."""
        from tikzgen import render
        from tikzgen.edit.open_figure import merge_into
        from tikzgen.loading import load
        from tikzgen.tikz.figure_files import write_figure

        target = self._figure(output)
        with staying_in(self._root):
            figure = load(self._path(spec), settings=list(settings))
            if merge and target.exists():
                return {"written": output if merge_into(target, figure) else ""}
            rendered = render(figure)
            written = write_figure(target, rendered.tex, rendered.metadata)
            return {"written": output if written else "", "notes": list(rendered.notes)}

    def preview(self, path: str, dpi: int = 110) -> bytes:
        """A PNG of a figure, from its .tex or its spec, as it looks in the PDF."""
        from tikzgen.compile.build_figures import build_file
        from tikzgen.compile.workplace import scratch
        from tikzgen.diagnosis import blamed
        from tikzgen.loading import load
        from tikzgen.tikz import render

        with staying_in(self._root):
            source = self._path(path)
            found = source.suffix == ".tex"
            text = _utf8(source) if found else render(load(source)).tex
        with scratch() as folder:
            target, resolution = folder / "preview.png", max(36, min(dpi, 400))
            try:
                whose: dict[str, Any] = {"file": source, "found": found, "trust": self._trust}
                return build_file(text, target, dpi=resolution, **whose).read_bytes()
            except LatexError as error:
                raise blamed(error, text, source) from None

    def _path(self, name: str) -> Path:
        """Where a file really stands that is to be read."""
        path = self._inside(name)
        if not os.path.exists(path):  # noqa: PTH110  # pathlib raises where a name is too long
            raise FileRefused(f"{shortened(name)}: there is no such file")
        return path

    def _figure(self, name: str) -> Path:
        """Where a figure really stands that is to be written."""
        path = self._inside(name)
        if path.suffix != ".tex" or any(part.startswith(".") for part in path.relative_to(self._root).parts):
            message = f"{shortened(name)}: only figures are written, and nothing hidden"
            raise FileRefused(message, hint="name a .tex file")
        return path

    def _inside(self, name: str) -> Path:
        if len(name) > _LONGEST or not name.isprintable() or max(map(len, name.encode().split(b"/"))) > _LONGEST_PART:
            raise FileRefused(f"{shortened(name)}: is no name of a file")
        path = Path(os.path.realpath(self._root / name))
        for each in (path, *(path.with_name(path.name.removesuffix(".tex") + end) for end in _BESIDE)):
            if not Path(os.path.realpath(each)).is_relative_to(self._root):  # a link, too, may lead out
                raise FileRefused(f"{shortened(name)}: lies outside {self._root}")
        return path

    @staticmethod
    def _tried(figure: Path, operations: Operations) -> tuple[Any, list[Any]]:
        from tikzgen.edit import open as open_figure
        from tikzgen.edit.calls import read_calls

        editing = open_figure(figure)
        return editing, [editing.attempt(*call) for call in read_calls(list(operations))]

    @staticmethod
    def _report(editing: Any, outcomes: list[Any]) -> dict[str, Any]:
        from tikzgen.edit.outcome import held_back

        refused = any(outcome.status in ("refused", "failed") for outcome in outcomes)
        if refused:
            outcomes = held_back(outcomes, "another operation was refused")
        return {"digest": editing.digest, "refused": refused, "outcomes": [outcome.as_json() for outcome in outcomes]}

    @staticmethod
    def _diff(editing: Any, prefer: str) -> dict[str, Any]:
        from tikzgen.edit.open_figure import MergeConflict
        from tikzgen.edit.outcome import held_back

        try:
            return {"diff": editing.diff(_sides(prefer)), "conflicts": []}
        except MergeConflict as conflict:
            held = [outcome.as_json() for outcome in held_back(editing.outcomes, "hand edits are in the way")]
            return {"diff": "", "conflicts": [as_dict(one) for one in conflict.conflicts], "outcomes": held}


def _utf8(path: Path) -> str:
    try:
        return read_bounded(path).decode("utf-8")
    except OSError as error:
        raise FileRefused(f"{path}: {refusal(error)}") from None
    except UnicodeDecodeError:
        raise FileRefused(f"{path}: is not UTF-8") from None


def _sides(prefer: str) -> Any:
    from tikzgen.edit.merge import chosen

    return chosen(prefer.replace(",", " ").split())
