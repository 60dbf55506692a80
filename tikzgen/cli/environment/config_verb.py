"""`tikzgen config`: the configuration for specs, with the source of each value."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli.shared_options import Bounded, text_or_json
from tikzgen.cli.voice import say_json


@click.command(cls=Bounded)
@click.argument("path", metavar="[SPEC|DIR]", default=".")
@text_or_json
@click.option("--schema", is_flag=True, help="Print the JSON Schema of tikzgen.toml, for editors.")
def command(path: str, format_: str, schema: bool) -> None:
    """List each key of the configuration for SPEC, with value and source.

    \b
      tikzgen config figures/fig.yaml

    DIR means all specs in it. The file is `tikzgen.toml`, or `[tool.tikzgen]` in pyproject.toml, in the folder of the
    spec or the nearest parent. Options override the environment; the environment overrides the spec; the spec overrides
    the file.
    """
    import json

    from tikzgen.model.figure_options import PaperConfig
    from tikzgen.spec.schema import schema_text
    from tikzgen.spec.settings.config_listing import list_settings

    if schema:
        click.echo(
            schema_text(PaperConfig, name="config", title="A paper's configuration for tikzgen", extending=False),
            nl=False,
        )
        return
    found = list_settings(Path(path))
    if format_ == "json":
        say_json({each.key: {"value": each.value, "source": each.source} for each in found})
        return
    rows = [(each.key, json.dumps(each.value, ensure_ascii=False), each.source) for each in found]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for key, value, source in rows:
        click.echo(f"{key:<{wide[0]}}  {value:<{wide[1]}}  {source}")
