"""`tikzgen recipes`: the recipes, and the fields of each."""

from __future__ import annotations

import click

from tikzgen.cli.shared_options import json_instead, known_recipe, recipe_names
from tikzgen.cli.voice import say_json

_NAMES_KEY = f"{__name__}.named"


class _Told(click.Command):
    """Command whose help lists the fields of a recipe that is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from tikzgen.recipe.recipe_names import RECIPES

        ctx.meta[_NAMES_KEY] = next((each for each in args if each in RECIPES), None)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if name := ctx.meta[_NAMES_KEY]:
            formatter.write("\n" + "\n".join(_list_fields(name)) + "\n")
        super().format_options(ctx, formatter)


@click.command(cls=_Told)
@click.argument("name", required=False, callback=known_recipe, shell_complete=recipe_names)
@json_instead
def command(name: str | None, as_json: bool) -> None:
    """List the recipes, or the fields of one recipe with type, default and meaning.

    \b
      tikzgen recipes pipeline
    """
    from tikzgen.recipe.recipe_names import RECIPES
    from tikzgen.spec.errors.field_docs import first_line

    if as_json:
        from tikzgen.base.record import as_dict
        from tikzgen.spec.schema import field_facts

        for_programs = {}
        for entry in [name] if name else RECIPES:
            facts = {fact.name: as_dict(fact) for fact in field_facts(RECIPES[entry])}
            for_programs[entry] = {"summary": first_line(RECIPES[entry]), "fields": facts}
        say_json(for_programs)
    elif name:
        click.echo(f"{name}: {first_line(RECIPES[name])}\n")
        for line in _list_fields(name):
            click.echo(line)
    else:
        wide = max(map(len, RECIPES))
        for entry in RECIPES:
            click.echo(f"{entry:<{wide}}  {first_line(RECIPES[entry])}")


def _list_fields(name: str) -> list[str]:
    """Return a line per field, `devices: int = 4`, and its meaning below."""
    from shutil import get_terminal_size
    from textwrap import wrap

    from tikzgen.recipe.recipe_names import RECIPES
    from tikzgen.spec.schema import field_facts

    wide = min(get_terminal_size().columns, 120)
    lines = []
    for fact in field_facts(RECIPES[name]):
        default = f" = {fact.default}" if fact.default else "  (has to be given)"
        lines += wrap(f"{fact.name}: {fact.type}{default}", wide, subsequent_indent="    ", break_on_hyphens=False)
        lines += wrap(fact.meaning, wide, initial_indent="    ", subsequent_indent="    ")
    return lines
