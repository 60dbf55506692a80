"""`tikzgen schema`: the JSON Schema that editors complete specs from."""

from __future__ import annotations

import click

from tikzgen.base.errors import quoted

__all__ = ["command"]


@click.command()
@click.argument("recipe", required=False)
def command(recipe: str | None) -> None:
    """Print the JSON Schema (2020-12) of specs, or of one RECIPE's."""
    from tikzgen.recipe import NAMES
    from tikzgen.specfile.schema import spec_schema_text

    if recipe is not None and recipe not in NAMES:
        raise click.UsageError(f"there is no recipe {quoted(recipe)} (the recipes are {', '.join(NAMES)})")
    click.echo(spec_schema_text(recipe), nl=False)
