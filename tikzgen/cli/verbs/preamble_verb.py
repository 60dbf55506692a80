"""`tikzgen preamble`: packages and definitions that a paper must load for its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tikzgen.cli.shared_options import Bounded, stdin_filename, trust_option
from tikzgen.cli.voice import print_error, print_output

if TYPE_CHECKING:
    from tikzgen.compile.paper import JoinedPreamble


@click.command(cls=Bounded)
@click.argument("figures", nargs=-1, required=True, metavar="FIG...")
@click.option("--latexmkrc", is_flag=True, help="Print rules for latexmk instead: render changed specs.")
@stdin_filename
@trust_option()
def command(figures: tuple[str, ...], latexmkrc: bool) -> None:
    """Print the preamble lines that figures need in a paper.

    \b
      tikzgen preamble figures/*.tex > figures/preamble.tex

    FIG... are .tex files or specs; \\input uses them under `standalone`. Add the lines after the packages of the paper.
    stderr names other definitions in the preamble of a figure, which \\input drops.

    With --latexmkrc, FIG... are specs with paths from the folder of the paper; add the lines to its latexmkrc.
    """
    if latexmkrc:
        from tikzgen.compile.paper import make_latexmkrc_lines

        print_output(make_latexmkrc_lines(figures), nl=False)
        return
    from tikzgen.compile.paper import joined_preamble
    from tikzgen.emit.environment import fill

    preamble = joined_preamble([(name, _load_preamble(name)) for name in figures])
    for problem in preamble.lost:
        print_error(str(problem))
    print_output(fill("paper.tex.j2", preamble=preamble), nl=False)


def _load_preamble(name: str) -> JoinedPreamble:
    from tikzgen.base.child import working_on
    from tikzgen.compile.paper import preamble_of

    working_on(name)
    if name.endswith(".tex"):
        from tikzgen.spec.source import read_text

        return preamble_of(read_text(name)[0], name)
    from tikzgen.emit.render_figure import render
    from tikzgen.spec.load_figure import load

    return preamble_of(render(load(name)).tex, name)
