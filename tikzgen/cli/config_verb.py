"""`tikzgen config`: what is configured here, and by whom."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tikzgen.cli.shared_options import Bounded


@click.command(cls=Bounded)
@click.argument("path", metavar="[SPEC|DIR]", default=".")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of tikzgen.toml, for editors.")
def command(path: str, format_: str, schema: bool) -> None:
    """List each key of the configuration for SPEC, or for the specs of DIR, its value, and where that comes from.

    `tikzgen.toml`, or `[tool.tikzgen]` in pyproject.toml, is taken from the nearest folder upwards. Options go over
    the environment, this over what a spec says itself, and that over the file.
    """
    from tikzgen.model.paper_config import PaperConfig
    from tikzgen.specfile.schema import schema_text
    from tikzgen.specfile.settled import settled

    if schema:
        click.echo(schema_text(PaperConfig, name="config", title="A paper's configuration for tikzgen"), nl=False)
        return
    found = settled(Path(path))
    if format_ == "json":
        facts = {each.key: {"value": each.value, "source": each.source} for each in found}
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    rows = [(each.key, json.dumps(each.value, ensure_ascii=False), each.source) for each in found]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for key, value, source in rows:
        click.echo(f"{key:<{wide[0]}}  {value:<{wide[1]}}  {source}")
