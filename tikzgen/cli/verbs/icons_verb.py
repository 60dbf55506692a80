"""`tikzgen icons`: the icons by name."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Grouped
from tikzgen.cli.voice import say_json


@click.command(cls=Grouped)
@shared.templates
@shared.json_instead
def command(templates: Path | None, as_json: bool) -> None:
    """List the icons, with size in cm and meaning.

    \b
      tikzgen icons --json
    """
    from tikzgen.model.looks import discover_icons

    icons = discover_icons((templates,) if templates else ())
    if as_json:
        from tikzgen.base.record import as_dict

        say_json({name: as_dict(icon) for name, icon in icons.items()})
        return
    wide = max(map(len, icons))
    for name, icon in icons.items():
        click.echo(f"{name:<{wide}}  {icon.width:g} x {icon.height:g}  {icon.description}")
