"""`tikzgen schema`: the JSON Schema with which editors complete specs."""

from __future__ import annotations

import click

from tikzgen.cli.shared_options import Grouped, known_recipe, recipe_names


@click.command(cls=Grouped)
@click.argument("recipe", required=False, callback=known_recipe, shell_complete=recipe_names)
def command(recipe: str | None) -> None:
    """Print the JSON Schema (2020-12) of specs, or of the specs of one RECIPE.

    \b
      tikzgen schema > tikzgen.schema.json
    """
    from tikzgen.spec.schema import spec_schema_text

    click.echo(spec_schema_text(recipe), nl=False)
