"""`tikzgen new`: a commented spec to start from, with the schema that editors complete it by."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli.shared_options import known_recipe


@click.command()
@click.argument("recipe", callback=known_recipe)
@click.option(
    "-o", "--output", default=None, metavar="SPEC.yaml", help="Where to write; - is stdout. Default: RECIPE.yaml."
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def command(recipe: str, output: str | None, force: bool) -> None:
    """Write a spec for RECIPE (`tikzgen recipes` lists them) with every field, its default and its meaning."""
    from tikzgen.base.errors import FileRefused
    from tikzgen.base.files import write_files
    from tikzgen.specfile.schema import spec_schema_text, starter

    text = starter(recipe)
    if output == "-":
        click.echo(text, nl=False)
        return
    path = Path(output or f"{recipe}.yaml")
    if path.exists() and not force:
        raise FileRefused(f"{path}: exists already", hint="--force overwrites it, -o writes elsewhere")
    schema = path.parent / "tikzgen.schema.json"
    contents = {path: text.encode(), schema: spec_schema_text(None).encode()}
    write_files(contents, expect={} if force else {path: None})
    click.echo(f"{path} written; next: tikzgen render {path}", err=True)
