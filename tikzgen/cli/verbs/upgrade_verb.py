"""`tikzgen upgrade`: figures of earlier versions, drawn again with their manual edits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tikzgen.base.errors import ExitStatus, FileRefused, TikzgenError
from tikzgen.base.plain_words import count_of
from tikzgen.cli.shared_options import Bounded, merge_options, trust_option
from tikzgen.cli.voice import print_error, print_line

if TYPE_CHECKING:
    from tikzgen.edit.merge import Sides
    from tikzgen.serve.pictures.upgrade_page import UpgradePage


@click.command(cls=Bounded)
@click.argument("paths", nargs=-1, required=True, metavar="FIG.tex|DIR...", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Write the upgraded figures without a question.")
@click.option(
    *("-o", "--output"),
    type=click.Path(path_type=Path, dir_okay=False),
    default="upgrade.html",
    show_default=True,
    metavar="PAGE.html",
    help="Write the page with old and new pictures to this file.",
)
@merge_options()
@trust_option()
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], yes: bool, output: Path, sides: list[str]) -> None:
    """Draw figures of earlier versions again; keep their manual edits.

    \b
      tikzgen upgrade figures/
      tikzgen upgrade figures/ --yes

    DIR means all figures of tikzgen in it. The command prints one line per figure and writes a page with old and new
    pictures. It changes figures after a question on a terminal, or with --yes. A figure with manual edits that do not
    fit the new drawing stays unchanged. `tikzgen edit FIG.tex --undo` restores a figure. Exit status: 0 all figures
    are current, 1 some are not.
    """
    from tikzgen.base.child import pause_clock
    from tikzgen.edit.merge import parse_sides
    from tikzgen.edit.upgrade import find_figures
    from tikzgen.serve.pictures.upgrade_page import UpgradePage, refuse_other_page

    figures, others, errors = find_figures(paths)
    refuse_other_page(output)
    page = UpgradePage()
    status = max([_report_error(error) for error in errors], default=ExitStatus.OK)
    status = max(status, _plan_upgrades(figures, parse_sides(sides), page))
    for other in others:
        print_line(f"{other}: skipped: contains no tikzgen spec")
    if not page.upgrades:
        ctx.exit(status)
    print_line(f"{output}: old and new pictures of {count_of(page.write(output), 'figure')}")
    what = count_of(len(page.upgrades), "figure")
    if not yes and sys.stdin.isatty() and sys.stderr.isatty():
        with pause_clock():
            yes = click.confirm(f"Write {what}?", err=True)
    if not yes:
        print_error(f"{what} of an earlier version not written (--yes writes)")
        ctx.exit(max(status, ExitStatus.FINDINGS))
    for name, upgrade in page.upgrades.items():
        try:
            upgrade.save()
            print_line(f"{name} written")
        except FileRefused as error:
            status = max(status, _report_error(error))
    ctx.exit(status)


def _plan_upgrades(figures: Sequence[Path], prefer: Sides, page: UpgradePage) -> ExitStatus:
    """Plan the upgrade of each figure, print its changes, and add it to the page; return the worst status."""
    from tikzgen.base.child import send_file_count, working_on
    from tikzgen.edit.upgrade import plan_upgrade

    send_file_count(len(figures))
    status = ExitStatus.OK
    for figure in figures:
        working_on(str(figure))
        try:
            upgrade = plan_upgrade(figure, prefer)
        except TikzgenError as error:
            status = max(status, _report_error(error))
            page.add_refused(figure, str(error))
            continue
        print_line(f"{figure}: {f'outdated: {page.add(upgrade)}' if upgrade else 'is current'}")
    return status


def _report_error(error: TikzgenError) -> ExitStatus:
    print_error(str(error))
    return error.exit_status
