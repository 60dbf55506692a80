"""`tikzgen bundle`: figures with all files that arXiv and Overleaf need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Bounded
from tikzgen.cli.voice import print_error, print_line


@click.command(cls=Bounded)
@click.argument("figures", nargs=-1, required=True, metavar="FIG...")
@click.option("-o", "--output", required=True, metavar="DIR|FILE.zip", type=click.Path(path_type=Path))
@click.option("--pdf", is_flag=True, help="Build the PDFs too, for \\includegraphics.")
@click.option("--strip", is_flag=True, help="Take the comments out, and with them the specs inside; same pages.")
@shared.engine
@shared.allow_invalid
@shared.measure
@shared.trust_compiling
@click.option("--force", is_flag=True, help="Overwrite files that no bundle wrote.")
@click.pass_context
def command(ctx: click.Context, /, figures: tuple[str, ...], output: Path, **choices: Any) -> None:
    r"""Write FIG... (specs or .tex files), the preamble that a paper needs for them, and a README.txt to DIR or a .zip.

    The .zip holds a folder of its own name, and has the same bytes every time. File names become such as arXiv takes.
    What figures of others define in their preambles or around their pictures stands in a group of their bodies there.
    """
    from tikzgen.api import bundle

    choices["engine"] = shared.engine_for(ctx, choices["engine"], figures[0], none=False)
    made = bundle(figures, output, **choices)
    for problem in made.lost:
        print_error(str(problem))
    for member in made.members:
        if Path(member.label).stem != member.name:
            print_line(f"{member.label}: stands in the bundle as {member.name}.tex")
    for name in made.left:
        print_error(f"{output / name}: is of an earlier bundle and not part of this one")
    count = len(made.members)
    what = f"{count} figure{'s' * (count != 1)}, {len(made.files)} files"
    print_line(f"{output}: {what}, {'written' if made.written else 'up to date'}")
