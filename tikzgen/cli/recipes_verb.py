"""`tikzgen recipes`: what there is, and what each takes."""

from __future__ import annotations

import click

from tikzgen.cli.shared_options import known_recipe


@click.command()
@click.argument("name", required=False, callback=known_recipe)
@click.option("--json", "as_json", is_flag=True, help="The same facts for programs.")
def command(name: str | None, as_json: bool) -> None:
    """List the recipes, or the fields of one."""
    from tikzgen.recipe import NAMES, recipe
    from tikzgen.specfile.schema import field_docs, first_line

    if as_json:
        import json

        wanted = [name] if name else list(NAMES)
        facts = {entry: {"summary": first_line(recipe(entry)), "fields": field_docs(recipe(entry))} for entry in wanted}
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    rows = list(field_docs(recipe(name)).items()) if name else [(entry, first_line(recipe(entry))) for entry in NAMES]
    wide = max(len(head) for head, _ in rows)
    for head, text in rows:
        click.echo(f"{head:<{wide}}  {text}")
