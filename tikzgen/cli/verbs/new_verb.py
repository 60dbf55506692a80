"""`tikzgen new`: a commented spec to start from, and the schema for completion in editors."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli.shared_options import Grouped, recipe_names
from tikzgen.cli.voice import print_line


def _check_template(ctx: click.Context, param: click.Parameter, name: str) -> str:
    """Accept a recipe, or one of the templates without a recipe."""
    from tikzgen.base.errors import quote
    from tikzgen.base.suggest import suggest_known_names
    from tikzgen.recipe.recipe_names import RECIPES
    from tikzgen.spec.spec_text import STARTS

    if name not in (*STARTS, *RECIPES):
        hint = suggest_known_names(name, (*STARTS, *RECIPES), "there are")
        raise click.UsageError(f"unknown recipe {quote(name)} ({hint})")
    return name


def _complete_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from tikzgen.spec.spec_text import STARTS

    starts = [name for name in STARTS if name.startswith(incomplete)]
    return [*starts, *recipe_names(ctx, param, incomplete)]


@click.command(cls=Grouped)
@click.argument(
    "what", callback=_check_template, shell_complete=_complete_names, metavar="RECIPE|figure|topology|timeline|sequence"
)
@click.option(
    "-o", "--output", default=None, metavar="SPEC.yaml", help="Write to this file; - is stdout. Default: RECIPE.yaml."
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def command(what: str, output: str | None, force: bool) -> None:
    """Write a spec for RECIPE with every field, its default and its meaning.

    \b
      tikzgen new pipeline -o fig.yaml

    `tikzgen recipes` lists the recipes. The names figure, topology, timeline and sequence start a figure without a
    recipe.
    """
    from tikzgen.base.errors import FileRefused
    from tikzgen.base.write_files import write_files
    from tikzgen.spec.schema import spec_schema_text
    from tikzgen.spec.spec_text import STARTS, make_starter_spec, start

    text = start(what) if what in STARTS else make_starter_spec(what)
    if output == "-":
        click.echo(text, nl=False)
        return
    path = Path(output or f"{what}.yaml")
    if path.exists() and not force:
        raise FileRefused(f"{path}: exists already", hint="--force overwrites it, -o writes elsewhere")
    schema = path.parent / "tikzgen.schema.json"
    contents = {path: text.encode(), schema: spec_schema_text(None).encode()}
    write_files(contents, expect={} if force else {path: None})
    print_line(f"{path} written; next: tikzgen render {path}")
