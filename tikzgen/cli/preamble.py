"""`tikzgen preamble`: what a paper must load before it can take figures in."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("figures", nargs=-1, required=True, metavar="FIG...")
def command(figures: tuple[str, ...]) -> None:
    r"""Print the preamble lines for FIG... (.tex files or specs), so that \input works under `standalone`."""
    from tikzgen.errors import FileRefused
    from tikzgen.loading import load
    from tikzgen.paper.preamble import merged, preamble_of
    from tikzgen.render.environment import fill

    found = []
    for name in figures:
        if name.endswith(".tex"):
            try:
                text = Path(name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise FileRefused(f"{name}: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}") from None
        else:
            text = load(name).tex()
        found.append((name, preamble_of(text, name)))
    lines = fill("paper.tex.j2", preamble=merged(found))
    click.echo(lines, nl=False)
