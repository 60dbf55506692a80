"""An open figure: run operations, then return one file that keeps the manual edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tikzgen.base.errors import EditRefused, SpecError
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import Record, replace
from tikzgen.edit.lift.hand_lines import MergeSides
from tikzgen.edit.lift.lifted_file import (
    LiftedFile,
    describe_lifted,
    lift_file,
    lift_onto,
    merge_rows,
    refuse_lost_changes,
)
from tikzgen.edit.lift.renamed_names import HIDDEN_MACRO, NO_RENAMING, Renaming
from tikzgen.edit.merge import Conflict, Merged, Prefer, Side, Sides, merge, merge_blocks
from tikzgen.edit.operation_calls import OperationOutcome
from tikzgen.edit.own_figure import Own, Said, read_own
from tikzgen.edit.refuse_broken_rules import errors_of_description, errors_of_figure, find_new, keep, keep_colors_apart
from tikzgen.edit.run_calls import reject, run_all, run_at_once
from tikzgen.emit.changed_since_render import edited_since, records_the_same
from tikzgen.emit.figure_files import Rendered, spelt_metadata
from tikzgen.emit.render_figure import make_description, render
from tikzgen.lint.inventory import lines_by_hand
from tikzgen.lint.registry import Finding
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import Spacing
from tikzgen.model.operations import ChangeSpacing, Operation, Set
from tikzgen.spec.embedded_spec import digest_of_metadata, hash_lines, rows_of, split_file, with_lifted_lines

_UNKNOWN = ("no-node", "no-flow")  # codes of operations on an element that the description lacks
_NAMED_EDITS_COUNT = 2  # manual edits that a message names


class EditedFiles(Record):
    """New contents of the files, and conflicts between manual edits and operations."""

    tex: str
    metadata: dict[str, Any]
    conflicts: tuple[Conflict, ...] = ()


class Session:
    """An open figure that tikzgen wrote; only the caller writes the `result`.

    The description includes manual edits that operations express. Raise `EditRefused` for a file of another origin.
    """

    exact = False  # the returned text has LF line ends

    def __init__(self, text: str, name: str) -> None:
        self._lifted = lift_file(read_own(text, name))
        self._own = self._lifted.own
        self._said = self._lifted.said
        self._drawn: Rendered | None = None
        self._broken: dict[str, list[Finding]] | None = None
        self._done: list[Operation] = []
        self._renaming = NO_RENAMING
        self._frozen = False

    def freeze(self) -> OperationOutcome:
        """Detach the recipe: describe the figure by its parts from now on; no effect without a recipe."""
        said = self._said.freeze_recipe()
        if said is self._said:
            return OperationOutcome("freeze", "noop", "unchanged", "the figure comes from no recipe")
        self._said, self._drawn, self._frozen = said, None, True
        return OperationOutcome("freeze", "applied")

    def apply(self, operation: Operation) -> OperationOutcome:
        """Run one operation, or state the reason against it; a rejected one changes nothing."""
        return self.apply_all([operation])[0]

    def apply_all(self, operations: Sequence[Operation]) -> list[OperationOutcome]:
        """Run the operations of one call, all or none; draw and check the figure once, after the last one.

        If the result breaks a rule, the last operation that changes the figure is the rejected one.
        """
        result = run_all(self._said, operations)
        if result.is_refused and len(operations) > 1:
            result = run_at_once(self._said, operations) or result
        said, outcomes = result.said, result.outcomes
        changing = [at for at, each in enumerate(outcomes) if each.status == "applied"]
        if not changing or result.is_refused:
            return [self._name_hand_drawn(*each) for each in zip(operations, outcomes, strict=True)]
        blamed = changing[-1]
        try:
            self._refuse_impossible_times(said)
            keep_colors_apart(self._said.figure, said.figure)
            drawn = _draw(said.figure, self._own)
            for blamed in changing:
                _refuse_unused(operations[blamed], drawn)
                _refuse_too_short(operations[blamed], drawn)
            broken = self._find_broken(drawn)
        except EditRefused as refused:
            outcomes[blamed] = reject(operations[blamed], refused)
            return outcomes
        if not self._changes(drawn):
            outcomes[blamed] = replace(outcomes[blamed], message="the picture stays as it is")
        said.form = drawn.form
        self._said, self._drawn, self._broken = said, drawn, broken
        self._done += operations
        self._renaming = self._renaming.followed_by(result.renaming)
        return outcomes

    def _name_hand_drawn(self, operation: Operation, outcome: OperationOutcome) -> OperationOutcome:
        """Add the line of a manually drawn element to the rejection of an operation on it."""
        given = [value for value in operation.given_arguments().values() if isinstance(value, str)]
        names = {f"{kind} {value}" for kind in ("node", "frame") for value in given}
        left = [each for each in self._lifted.left_lines if each.what in names] if outcome.code in _UNKNOWN else []
        if outcome.status != "refused" or not left:
            return outcome
        by_hand = f"line {left[0].line} draws it, and is not in the spec"
        return replace(outcome, message=f"{outcome.message}; {by_hand}", nearest=f"edit line {left[0].line}")

    def _refuse_impossible_times(self, said: Said) -> None:
        """Raise `EditRefused` for an error that only the new description has."""
        now = errors_of_description(said.figure, said.name)
        if now:
            keep(errors_of_description(self._said.figure, said.name), now)

    def _find_broken(self, drawn: Rendered) -> dict[str, list[Finding]]:
        """Return the errors of a drawing; raise `EditRefused` for one that the figure did not have before."""
        now = errors_of_figure(drawn.tex, drawn.metadata, drawn.distances)
        if now:
            before = self._render()
            if self._broken is None:
                self._broken = errors_of_figure(before.tex, before.metadata, before.distances)
            keep(self._broken, now)
        return now

    def _changes(self, drawn: Rendered) -> bool:
        """Return whether a drawing differs from the previous one, judged by its lines."""
        before = hash_lines(rows_of(split_file(self._drawn.tex)[0])) if self._drawn else self._own.written.lines
        return hash_lines(rows_of(split_file(drawn.tex)[0])) != before

    @property
    def is_current(self) -> bool:
        """Whether this version draws the figure as the file records it, without its manual edits."""
        first = self._render() if self._said is self._own.first else _draw(self._own.first.figure, self._own)
        return records_the_same(self._own.text, first.tex)

    @property
    def edited_lines(self) -> tuple[frozenset[int], bool]:
        """Numbers of manually changed or added lines of the file, and whether lines are removed."""
        return lines_by_hand(self._own.written.lines, self._own.rows)

    @property
    def manual_edits(self) -> tuple[list[str], list[str]]:
        """Operations that express manual edits of the file, and the other manual edits with their lines."""
        return describe_lifted(self._lifted)

    @property
    def description(self) -> dict[str, Any]:
        """Description after the operations."""
        return make_description(self._said.figure)

    def result(self, prefer: Prefer = None) -> EditedFiles:
        """Return the files with all changes; `prefer` resolves conflicts."""
        try:
            return _merge_files(self._lifted, self._render(), prefer, self._renaming)
        except EditRefused as refused:
            is_final = self._frozen or self._lifted.said is self._own.first or refused.code == HIDDEN_MACRO
            if is_final or not self._forget_lift():
                raise
        return _merge_files(self._lifted, self._render(), prefer)

    def _forget_lift(self) -> bool:
        """Leave manual edits to the merge of lines; return whether the operations are possible without them."""
        lifted, done = self._lifted, self._done
        self._lifted = LiftedFile(self._own, self._own.first)
        self._said, self._drawn, self._broken, self._done = self._own.first, None, None, []
        self._renaming = NO_RENAMING
        if all(outcome.status != "refused" for outcome in self.apply_all(done)):
            return True
        self._lifted = lifted
        return False

    def metadata_text(self, path: Path) -> str:
        """Return the metadata file next to the figure, with its manual edits."""
        return merged_metadata(path, self._own, self._render().metadata)

    def _render(self) -> Rendered:
        self._drawn = self._drawn or _draw(self._said.figure, self._own)
        return self._drawn


def merged_text(text: str, name: str, figure: FigureModel, prefer: Prefer) -> tuple[EditedFiles, Own]:
    """Return the files after `figure` is written onto a file of tikzgen, and that file."""
    own = read_own(text, name)
    file, said = lift_onto(own, Said(figure, name))
    if said.figure is figure:
        return _merge_files(file, _draw(figure), prefer), own
    edited = edited_since(make_description(figure), {}, make_description(said.figure))
    try:
        return _merge_files(file, render(said.figure, edited=edited), prefer), own
    except EditRefused as refused:
        if refused.code == HIDDEN_MACRO:
            raise
        return _merge_files(LiftedFile(own, own.first), _draw(figure), prefer), own


def _merge_files(file: LiftedFile, drawn: Rendered, prefer: Prefer, renaming: Renaming = NO_RENAMING) -> EditedFiles:
    tex, metadata = drawn.tex, drawn.metadata
    own = file.own
    if not own.is_edited:
        return EditedFiles(tex, metadata)
    ours = rows_of(split_file(tex)[0])
    if file.edits is None:
        body = merge_rows(own, ours, prefer)
    else:
        sides = file.edits.list_sides(ours, renaming)
        body = _merge_sides(sides, prefer)
        if prefer is None and not body.conflicts:
            refuse_lost_changes(file.edits, ours, body.lines)
        kept_rows = {*body.lines} - {*ours}
        explained = [row for row in sides.explained if row in kept_rows]
        tex = with_lifted_lines(tex, explained) if explained else tex
    # the description comes from tikzgen; manual text after it stays
    text = "".join([*body.lines, split_file(tex)[1], split_file(own.text)[2]])
    if not body.conflicts:
        _refuse_broken(file, text, metadata)
    return EditedFiles(text, metadata, body.conflicts)


def _merge_sides(given: MergeSides, prefer: Prefer) -> Merged:
    """Merge the drawing of an operation with manual edits; the base is the lifted drawing.

    In unedited lines, the operation has priority.
    """
    body = merge_blocks(given.base, given.ours, given.theirs, prefer)
    if not body.conflicts and not isinstance(prefer, Sides):
        return body
    unedited = (each for each in body.conflicts if each.theirs and given.unedited.issuperset(each.theirs))
    untouched: dict[int, Side] = {each.number: "ours" for each in unedited}
    sides = prefer if isinstance(prefer, Sides) else Sides(rest=prefer)
    decided = replace(sides, each={**untouched, **sides.each})
    return merge_blocks(given.base, given.ours, given.theirs, decided)


def _refuse_broken(file: LiftedFile, text: str, metadata: dict[str, Any]) -> None:
    """Raise `EditRefused` if the merge breaks a rule that the file keeps: code of one side needs code of the other."""
    now = errors_of_figure(text, metadata)
    if not now:
        return
    if (new := find_new(errors_of_figure(file.own.text, _first_metadata(file.own)), now)) is None:
        return
    left = ", ".join(f"line {each.line}: {each.what}" for each in file.left_lines[:_NAMED_EDITS_COUNT])
    spot = _find_in_file(file.own, text, new)
    edits = f"{spot}: cannot merge this line" if spot else f" cannot merge the manual edits{left and f' ({left})'}"
    message = f"{file.own.name}:{edits}: {new.message}"
    nearest = "change this line first" if spot else "change these lines first"
    raise EditRefused("merge", message, invariant=f"{new.code}: {new.name}", nearest=nearest)


def _find_in_file(own: Own, text: str, finding: Finding) -> str:
    """Return `line:column` of a merged text's finding in the file; empty if the file lacks the line."""
    row = (
        text.splitlines()[finding.place.line - 1]
        if finding.place.line and not finding.place.file.endswith(".json")
        else ""
    )
    rows = own.text.splitlines()
    return f"{rows.index(row) + 1}:{finding.place.column}" if row in rows else ""


def _first_metadata(own: Own) -> dict[str, Any]:
    """Return the metadata of a file as tikzgen would write them now."""
    return _draw(own.first.figure).metadata


def _refuse_too_short(operation: Any, drawn: Rendered) -> None:
    """Reject a distance below its lower bound."""
    name = _distance(operation)
    least = drawn.distances.get(name, 0.0)
    if name and float(operation.value) < least:
        message = f"with \\{name} of {float(operation.value):g} cm parts of the figure would overlap"
        invariant = f"\\{name} is at least {least:g}"
        raise EditRefused("too-short", message, invariant=invariant, nearest=f"{operation.do} {name}={least:g}")


def _distance(operation: Operation) -> str:
    """Return the distance that an operation sets, or an empty string."""
    name = operation.parameter.removeprefix("\\") if isinstance(operation, Set | ChangeSpacing) else ""
    return name if name in Spacing.model_fields else ""


def _refuse_unused(operation: Operation, drawn: Rendered) -> None:
    """Raise `EditRefused` for a distance that no element uses."""
    name = _distance(operation)
    if name and name not in drawn.distances:
        ways = f"its distances are {', '.join(drawn.distances)}" if drawn.distances else ""
        raise EditRefused("no-effect", f"the figure does not use the distance \\{name}", nearest=ways)


def _changes_of_figure(own: Own, figure: FigureModel) -> Mapping[str, str]:
    """Return the differences between a figure and the one rendered into the file last."""
    return edited_since(make_description(own.first.figure), own.identity.edited, make_description(figure))


def _draw(figure: FigureModel, own: Own | None = None) -> Rendered:
    edited = None if own is None else _changes_of_figure(own, figure)
    if figure.origin is None:
        figure = figure.model_copy().left_alone()  # its description was just read
    try:
        return render(figure, given=() if own is None else own.identity.given, edited=edited)
    except SpecError as error:
        problem = error.problems[0]
        raise EditRefused("layout", problem.message, nearest=problem.hint) from None


def merged_metadata(path: Path, own: Own, new: Mapping[str, Any]) -> str:
    """Return the metadata file with its manual edits."""
    ours = spelt_metadata(new)
    try:
        theirs = read_bounded(path, plain=True).decode("utf-8", "replace")
    except OSError:
        return ours
    if digest_of_metadata(theirs) == own.identity.metadata:
        return ours
    first = spelt_metadata(_first_metadata(own))
    base, mine, yours = (text.splitlines(keepends=True) for text in (first, ours, theirs))
    return "".join(merge(base, mine, yours, "ours").lines)
