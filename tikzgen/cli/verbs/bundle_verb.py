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
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR|FILE.zip",
    type=click.Path(path_type=Path),
    help="Write to this folder or archive.",
)
@click.option("--pdf", is_flag=True, help="Build the PDFs also, for \\includegraphics.")
@click.option("--strip", is_flag=True, help="Remove comments and embedded specs; pages stay the same.")
@shared.engine
@shared.allow_invalid
@shared.measure
@shared.trust_compiling
@click.option("--force", is_flag=True, help="Overwrite files that no bundle wrote.")
@click.pass_context
def command(ctx: click.Context, /, figures: tuple[str, ...], output: Path, **choices: Any) -> None:
    """Write figures and their preamble for a paper to DIR or a .zip.

    \b
      tikzgen bundle figures/*.yaml -o figures.zip

    FIG... are specs or .tex files. The bundle has a README.txt. The .zip contains one folder with its name; equal input
    gives an identical .zip. File names follow the rules of arXiv. Definitions of third-party figures move into a group
    with their picture.
    """
    from tikzgen.api import bundle

    choices["engine"] = shared.engine_for(ctx, choices["engine"], figures[0], none=False)
    made = bundle(figures, output, **choices)
    for problem in made.lost:
        print_error(str(problem))
    for member in made.members:
        if Path(member.label).stem != member.name:
            print_line(f"{member.label}: {member.name}.tex in the bundle")
    for name in made.left:
        print_error(f"{output / name}: is of an earlier bundle and not part of this one")
    count = len(made.members)
    what = f"{count} figure{'s' * (count != 1)}, {len(made.files)} files"
    print_line(f"{output}: {what}, {'written' if made.written else 'up to date'}")
