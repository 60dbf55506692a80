"""`tikzgen icons`: the icons by name."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.option(
    "--templates", type=click.Path(exists=True, file_okay=False), help="A folder of templates and icons of yours."
)
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs.")
def command(templates: str | None, as_json: bool) -> None:
    """List the icons, with size in cm and what they show."""
    from tikzgen.icons import discover

    icons = discover((Path(templates),) if templates else ())
    if as_json:
        import json

        from tikzgen.base.record import as_dict

        click.echo(json.dumps({name: as_dict(icon) for name, icon in icons.items()}, ensure_ascii=False, indent=2))
        return
    wide = max(map(len, icons))
    for name, icon in icons.items():
        click.echo(f"{name:<{wide}}  {icon.width:g} x {icon.height:g}  {icon.description}")
