"""`tikzgen edit`: operations on a figure's file that keep manual edits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tikzgen.base.errors import ExitStatus
from tikzgen.base.record import as_dict
from tikzgen.cli.shared_options import Bounded, merge_options, text_or_json, trust_option
from tikzgen.cli.voice import print_error, print_line, print_output, say_json

if TYPE_CHECKING:
    from tikzgen.edit.merge import MergeConflict
    from tikzgen.edit.open_figure import Editing


@click.command(cls=Bounded, context_settings={"ignore_unknown_options": False})
@click.argument("figure", metavar="FIG.tex")
@click.argument("words", nargs=-1, metavar="OPERATION …")
@click.option("--diff", is_flag=True, help="Show the changes as a unified diff; write no file.")
@click.option("--dry-run", is_flag=True, help="Print the result of each operation; write no file.")
@merge_options()
@click.option("--freeze", is_flag=True, help="Replace the recipe by its parts, to edit them freely.")
@click.option("--undo", "undoing", is_flag=True, help="Undo the last edit of the file.")
@text_or_json
@trust_option()
def command(
    figure: str,
    words: tuple[str, ...],
    diff: bool,
    dry_run: bool,
    sides: list[str],
    freeze: bool,
    undoing: bool,
    format_: str,
) -> None:
    """Apply operations to FIG.tex: all of them, or none.

    `tikzgen show FIG.tex` lists the operations and their arguments. + joins several operations; - reads a JSON list
    from stdin:

    \b
      tikzgen edit fig.tex add-worker
      tikzgen edit fig.tex set rowsep=2 + rename-node w1="Node A" + recolor gradient=otorange
      echo '[{"operation": "palette", "palette": "dark"}]' | tikzgen edit fig.tex -
    """
    from tikzgen.base.child import pause_clock
    from tikzgen.base.folders import lock_folder
    from tikzgen.edit import open as open_figure
    from tikzgen.edit import undo
    from tikzgen.edit.merge import parse_sides
    from tikzgen.edit.operation_calls import from_json, from_words, held_back

    if undoing:
        print_line(f"{undo(figure)}: as before its last edit")
        return
    if not words and not freeze:
        raise click.UsageError("an operation is missing (`tikzgen show` lists them)")
    with pause_clock():
        given = sys.stdin.read() if words == ("-",) else ""
    prefer = parse_sides(sides)
    calls = list(from_json(given) if words == ("-",) else from_words(words))
    with lock_folder(Path(figure)):
        editing = open_figure(figure, freeze=freeze)
        editing.attempt_all(calls)
        outcomes = editing.outcomes
        refused = any(outcome.status == "refused" for outcome in outcomes)
        conflict = None if refused else _finish(editing, diff, dry_run, prefer)
    if refused or conflict:
        outcomes = held_back(outcomes)
    if format_ == "json":
        conflicts = [as_dict(one) for one in conflict.conflicts] if conflict else []
        told = [outcome.as_json() for outcome in outcomes]
        say_json({"file": figure, "outcomes": told, "conflicts": conflicts})
    else:
        for outcome in outcomes:
            (print_line if outcome.status in ("applied", "noop") else print_error)(f"{figure}: {outcome}")
        if conflict:
            print_error(str(conflict))
    if refused or conflict:
        sys.exit(ExitStatus.FINDINGS)


def _finish(editing: Editing, diff: bool, dry_run: bool, prefer: Any) -> MergeConflict | None:
    """Write or show the result; return the conflict that prevents it, or None."""
    from tikzgen.edit.merge import MergeConflict

    try:
        if diff:
            print_output(editing.diff(prefer), nl=False)
        elif dry_run:
            editing.data(prefer)
        else:
            editing.save(prefer)
    except MergeConflict as conflict:
        return conflict
    return None
