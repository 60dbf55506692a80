"""Tools for agents as plain functions, from `list` and `new` to `apply`, `geometry` and `preview`.

Every path must be inside `root`, also after its links are resolved. `apply` requires the hash of the planned file. The
tools write figures (`.tex`, with `.meta.json`) and specs only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tikzgen.base.defaults import PREVIEW_DPI
from tikzgen.base.errors import FileRefused, LatexError, TikzgenError, shorten_for_message
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import staying_in
from tikzgen.base.record import as_dict
from tikzgen.base.suggest import suggest_known_names
from tikzgen.base.write_files import write_files
from tikzgen.compile.build_figures import build_file
from tikzgen.compile.diagnosis import with_cause
from tikzgen.compile.figure_jobs import read_tex
from tikzgen.compile.tex.workplace import make_scratch_folder
from tikzgen.edit import open as open_figure
from tikzgen.edit import undo
from tikzgen.edit.find_words import find_words
from tikzgen.edit.merge import Conflict, MergeConflict, parse_sides
from tikzgen.edit.open_figure import Editing, merge_into
from tikzgen.edit.operation_calls import OperationOutcome, held_back, read_calls
from tikzgen.edit.pulled_spec import pull_into
from tikzgen.edit.show_figure import as_brief, show
from tikzgen.emit.figure_files import keep_layout_of, write_figure
from tikzgen.emit.render_figure import render
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.check_figure import check
from tikzgen.lint.probe.look_at_figures import drawing_of, look_at
from tikzgen.model.looks import read_width
from tikzgen.recipe.recipe_names import RECIPES
from tikzgen.spec.load_figure import load
from tikzgen.spec.source import SUFFIXES, may_be_spec
from tikzgen.spec.spec_text import STARTS, make_starter_spec, start
from tikzgen.texfile import compute_digest, read_source

# The files of an agent: always inside one folder, regardless of names and links.

_COMPANION_SUFFIXES = (".meta.json", ".contract.json")
_PATH_CHARS = 1000  # characters in a path
_PART_BYTES = 255  # bytes, on most file systems
_SPECS = (".yaml", ".yml", ".json")


class AgentFiles:
    """Files below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def find_existing(self, name: str) -> Path:
        """Return the real path of a file to read; raise `FileRefused` if it does not exist."""
        path = self.resolve_in_root(name)
        if not os.path.exists(path):  # noqa: PTH110  # pathlib raises where a name is too long
            raise FileRefused(f"{shorten_for_message(name)}: file not found")
        return path

    def choose_figure_path(self, name: str) -> Path:
        """Return the real path of a figure to write."""
        return self._choose_output(name, (".tex",), "only figures are written, and nothing hidden", "name a .tex file")

    def choose_spec_path(self, name: str) -> Path:
        """Return the real path of a spec to write."""
        beside = any(name.lower().endswith(end) for end in (*_COMPANION_SUFFIXES, ".schema.json"))
        what = "only specs are written, and nothing hidden"
        return self._choose_output(name, () if beside else _SPECS, what, "name a .yaml or a .json file")

    def is_shown(self, path: Path) -> bool:
        """Return whether a file is a visible figure or spec in the folder."""
        inside = Path(os.path.realpath(path)).is_relative_to(self.root)
        return inside and path.suffix in (".tex", ".csv", *SUFFIXES) and not self._is_hidden(path) and path.is_file()

    def _choose_output(self, name: str, ends: tuple[str, ...], message: str, hint: str) -> Path:
        path = self.resolve_in_root(name)
        if path.suffix not in ends or self._is_hidden(path):
            raise FileRefused(f"{shorten_for_message(name)}: {message}", hint=hint)
        return path

    def _is_hidden(self, path: Path) -> bool:
        return any(part.startswith(".") for part in path.relative_to(self.root).parts)

    def resolve_in_root(self, name: str) -> Path:
        """Return the real path of a name; raise `FileRefused` if it is outside of `root`."""
        if len(name) > _PATH_CHARS or not name.isprintable() or max(map(len, name.encode().split(b"/"))) > _PART_BYTES:
            raise FileRefused(f"{shorten_for_message(name)}: is no name of a file")
        path = Path(os.path.realpath(self.root / name))
        for each in (path, *(path.with_name(path.name.removesuffix(".tex") + end) for end in _COMPANION_SUFFIXES)):
            if not Path(os.path.realpath(each)).is_relative_to(self.root):  # a link can point outside
                raise FileRefused(f"{shorten_for_message(name)}: lies outside {self.root}")
        return path


NAMES = ("list", "new", "show", "plan", "apply", "undo", "pull", "check", "geometry", "render", "preview")
"""Tools for agents, in the order of the list."""
READING = ("list", "show", "plan", "check", "geometry", "preview")
"""Tools that do not write files."""

_SIGNS = {"added": "+", "removed": "-"}

Operations = Sequence[dict[str, Any]]
_FILE_LIMIT = 500  # files that are listed


class Tools:
    """Tools for the figures in one folder; with `trust`, every .tex there is compiled without a sandbox."""

    def __init__(self, root: Path, *, trust: bool = False) -> None:
        self._files = AgentFiles(root)
        self._trust = trust

    def list(self, folder: str = "") -> dict[str, Any]:
        """Return the figures and specs below a folder, and the recipes and other starts that `new` accepts."""
        top = self._files.find_existing(folder) if folder else self._files.root
        with staying_in(self._files.root):
            found = [path for path in sorted(top.rglob("*")) if self._files.is_shown(path)]
        files = [str(path.relative_to(self._files.root)) for path in found[:_FILE_LIMIT]]
        return {
            "figures": [name for name in files if name.endswith(".tex")],
            "specs": [name for name in files if name.endswith(".csv") or may_be_spec(Path(name))],
            "recipes": RECIPES.list_entry_names(),
            "starts": STARTS,
        }

    def new(self, recipe: str, spec: str) -> dict[str, Any]:
        """Write a spec to start from: every field of a recipe with its default and its meaning.

        Other starts are a figure, topology, timeline or sequence without a recipe. `render` draws the spec.
        """
        known = (*STARTS, *RECIPES)
        if recipe not in known:
            message = f"unknown recipe {shorten_for_message(recipe)}"
            raise TikzgenError(message, hint=suggest_known_names(recipe, known, "there are"))
        path = self._files.choose_spec_path(spec)
        if path.exists():
            raise FileRefused(f"{spec}: exists already", hint="name another file")
        text = start(recipe) if recipe in STARTS else make_starter_spec(recipe)
        with staying_in(self._files.root), lock_folder(path):
            write_files({path: text.encode()}, expect={path: None})
        return {"written": spec, "text": text}

    def show(self, figure: str, parts: Sequence[str] = ()) -> dict[str, Any]:
        """Return a summary of a .tex figure: parameters, names, manual edits, allowed operations, `digest`.

        The `digest` is the hash of the file. `parts` adds details: nodes, flows, parameters …, the name of an
        operation for the JSON Schema of its arguments, or a kind of names for all of them.
        """
        with staying_in(self._files.root):
            return as_brief(show(self._files.find_existing(figure)), parts)

    def plan(self, figure: str, operations: Operations, prefer: str = "", freeze: bool = False) -> dict[str, Any]:
        """Try operations on a figure without writing it.

        The result has the outcome of each operation, the diff, conflicts with manual edits, and the `digest` for
        `apply`. `prefer` resolves the conflicts: ours, theirs, or by number: 1=ours 2=theirs. With `freeze`, the
        figure is first detached from its recipe.
        """
        with staying_in(self._files.root):
            editing = self._try_operations(self._files.find_existing(figure), operations, freeze)
            return self._report(editing, prefer)

    def apply(
        self, figure: str, operations: Operations, digest: str, prefer: str = "", freeze: bool = False
    ) -> dict[str, Any]:
        """Apply operations to a figure, all or none, and write it.

        This fails if the file no longer has this `digest`. The result has the new `digest` of the file and the numbers
        of lines added and removed; `plan` shows the lines.
        """
        path = self._files.choose_figure_path(figure)
        with staying_in(self._files.root), lock_folder(path):
            editing = self._try_operations(path, operations, freeze)
            if not digest:
                raise FileRefused(f"{figure}: needs a digest", hint="`plan` and `show` return it")
            if editing.digest != digest:
                raise FileRefused(f"{figure}: changed since it was planned on", hint="plan again with the new digest")
            report = self._report(editing, prefer)
            lines = report.pop("diff").splitlines()[2:]
            report["lines"] = {name: sum(line.startswith(sign) for line in lines) for name, sign in _SIGNS.items()}
            if not report["refused"] and not report["conflicts"]:
                editing.save(parse_sides(prefer.split()))
                report |= {"written": figure, "digest": _compute_file_digest(path)}
            return report

    def undo(self, figure: str) -> dict[str, Any]:
        """Undo the last edit of a figure. This fails if the file was changed since."""
        path = self._files.choose_figure_path(figure)
        with staying_in(self._files.root):
            undo(path)
            return {"written": figure, "digest": _compute_file_digest(path)}

    def pull(self, figure: str, spec: str) -> dict[str, Any]:
        """Write the spec embedded in a figure to a file; an existing file keeps its comments and its order."""
        source, path = self._files.find_existing(figure), self._files.choose_spec_path(spec)
        with staying_in(self._files.root):
            written, text = pull_into(path, read_source(source), figure, spec)
        return {"written": spec if written else "", "text": text}

    def check(self, path: str) -> dict[str, Any]:
        """Return the rules that a spec, an operation list or a .tex violates: code, message, location, hint."""
        with staying_in(self._files.root):
            return {"findings": [finding.as_json() for finding in check(self._files.find_existing(path))]}

    def geometry(self, path: str, width: str = "") -> dict[str, Any]:
        """Return the defects of a figure as TeX sets it, from its .tex or its spec.

        Examples are labels that overlap, that extend beyond their box, or that are too small in a column of this
        `width` (8.4, ieee-column).
        """
        column = read_width(width) if width else None
        with staying_in(self._files.root):
            found = drawing_of(SpecReading(str(self._files.find_existing(path)), (), drawn=True), width=column)
        looked = look_at([found] if found else [], trust=self._trust)
        for error in looked.errors:
            raise error
        return {"findings": [finding.as_json() for finding in looked.findings]}

    def render(self, spec: str, output: str = "", settings: Sequence[str] = (), merge: bool = True) -> dict[str, Any]:
        """Render a spec to a .tex with its metadata; by default, keep the manual edits in the .tex.

        The default `output` is next to the spec. `settings` override fields: `["microbatches=8"]`.
        """
        output = output or Path(spec).with_suffix(".tex").as_posix()
        target = self._files.choose_figure_path(output)
        with staying_in(self._files.root):
            figure = keep_layout_of(target, load(self._files.find_existing(spec), settings=settings))
            notes: Sequence[str] = ()
            if merge and target.exists():
                written = merge_into(target, figure)
            else:
                rendered = render(figure)
                written, notes = write_figure(target, rendered.tex, rendered.metadata), rendered.notes
            return {"written": output if written else "", "notes": notes, "digest": _compute_file_digest(target)}

    def preview(self, path: str, dpi: int = PREVIEW_DPI) -> bytes:
        """Return a PNG of a figure, from its .tex or its spec, as it appears in the PDF."""
        with staying_in(self._files.root):
            source = self._files.find_existing(path)
            found = source.suffix == ".tex"
            text = read_tex(source) if found else render(load(source)).tex
        with make_scratch_folder() as folder:
            target, resolution = folder / "preview.png", max(36, min(dpi, 400))
            try:
                whose: dict[str, Any] = {"file": source, "found": found, "trust": self._trust}
                return build_file(text, target, find_words, dpi=resolution, **whose).read_bytes()
            except LatexError as error:
                raise with_cause(error, text, source) from None

    @staticmethod
    def _try_operations(figure: Path, operations: Operations, freeze: bool) -> Editing:
        editing = open_figure(figure, freeze=freeze)
        editing.attempt_all(read_calls([*operations]))
        return editing

    @staticmethod
    def _report(editing: Editing, prefer: str) -> dict[str, Any]:
        """Return the outcomes of the operations, the diff, and the conflicts."""
        outcomes: Sequence[OperationOutcome] = editing.outcomes
        refused = any(each.status == "refused" for each in outcomes)
        diff, conflicts = "", tuple[Conflict, ...]()
        try:
            diff = "" if refused else editing.diff(parse_sides(prefer.split()), record=False)
        except MergeConflict as conflict:
            conflicts = conflict.conflicts
        if refused or conflicts:
            outcomes = held_back(outcomes)
        return {
            "digest": editing.digest,
            "refused": refused,
            "outcomes": [each.as_json() for each in outcomes],
            "diff": diff,
            "conflicts": [as_dict(one) for one in conflicts],
        }


def _compute_file_digest(path: Path) -> str:
    return compute_digest(read_source(path))
