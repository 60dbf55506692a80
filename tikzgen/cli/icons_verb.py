"""`tikzgen icons`: the icons by name."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli import shared_options as shared


@click.command()
@shared.templates
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs.")
def command(templates: Path | None, as_json: bool) -> None:
    """List the icons, with size in cm and what they show."""
    from tikzgen.icons import discover

    icons = discover((templates,) if templates else ())
    if as_json:
        import json

        from tikzgen.base.record import as_dict

        click.echo(json.dumps({name: as_dict(icon) for name, icon in icons.items()}, ensure_ascii=False, indent=2))
        return
    wide = max(map(len, icons))
    for name, icon in icons.items():
        click.echo(f"{name:<{wide}}  {icon.width:g} x {icon.height:g}  {icon.description}")
