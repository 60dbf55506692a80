"""`tikzgen recipes`: the recipes, and the fields of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from tikzgen.cli.shared_options import Grouped, json_instead, known_recipe, recipe_names
from tikzgen.cli.voice import say_json

if TYPE_CHECKING:
    from tikzgen.spec.schema import FieldFacts

_LAST_GROUPS = ("display", "labels", "figure")  # the same in every recipe
_MAX_WIDTH = 80  # characters of a line, in any terminal
_MAX_CHOICES = 12  # names of a common field
_MIN_MEANING = 30  # characters of a line that a meaning needs next to its field


@click.command(cls=Grouped)
@click.argument("name", required=False, callback=known_recipe, shell_complete=recipe_names)
@click.argument("group", required=False)
@click.option("--all", "whole", is_flag=True, help="List every field, not only the most used ones.")
@json_instead
def command(name: str | None, group: str | None, whole: bool, as_json: bool) -> None:
    """List the recipes, or the fields of one recipe.

    \b
      tikzgen recipes pipeline

    Without GROUP and --all, the list has the most used fields of the recipe.
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
        lines = [*_wrap(f"{name}: {first_line(RECIPES[name])}"), *_list_fields(name, group, whole)]
        click.echo("\n".join(lines))
    else:
        wide = max(map(len, RECIPES)) + 2
        for entry in RECIPES:
            click.echo("\n".join(_wrap(f"{entry:<{wide}}{first_line(RECIPES[entry])}", wide)))


def _list_fields(name: str, group: str | None, whole: bool) -> Iterator[str]:
    from tikzgen.base.errors import quote
    from tikzgen.base.suggest import suggest_known_names
    from tikzgen.recipe.recipe_names import RECIPES
    from tikzgen.spec.schema import common_fields, field_facts

    common = common_fields(RECIPES[name])
    facts = sorted(field_facts(RECIPES[name]), key=lambda fact: [*common, fact.name].index(fact.name))
    groups: dict[str, list[FieldFacts]] = {}
    for fact in sorted(facts, key=lambda fact: _LAST_GROUPS.index(fact.group) if fact.group in _LAST_GROUPS else -1):
        groups.setdefault(fact.group, []).append(fact)
    if group is not None and group not in groups:
        hint = suggest_known_names(group, list(groups), "the groups are")
        raise click.UsageError(f"recipe {name} has no group {quote(group)} ({hint})")
    if whole or group is not None:
        for each in groups if whole else [str(group)]:
            yield from ("", each.capitalize())
            for fact in groups[each]:
                yield from _describe(fact)
        return
    yield from ("", "Common fields")
    yield from _tabulate([fact for fact in facts if fact.name in common])
    for fact in facts:
        if fact.name in common and fact.short_type.startswith("name"):
            names = fact.type.partition(" or ")[0].split(", ")
            more = [f"and {len(names) - _MAX_CHOICES} more"] if len(names) > _MAX_CHOICES else []
            yield from _wrap(f"  {fact.name}: {', '.join([*names[:_MAX_CHOICES], *more])}", 4)
    rest = {each: sum(fact.name not in common for fact in facts) for each, facts in groups.items()}
    more = [f"{count} {each}" for each, count in rest.items() if count]
    yield from ("", *_wrap(f"More fields: {', '.join(more)}", 2))
    rows = (
        ("all fields", f"tikzgen recipes {name} --all"),
        ("one group", f"tikzgen recipes {name} {next(iter(groups))}"),
        ("spec with every field", f"tikzgen new {name}"),
    )
    yield from (f"  {meaning:<21}  {line}" for meaning, line in rows)
    example = ", ".join([f"recipe: {name}", *(f"{field}: {value}" for field, value in common.items() if value)])
    yield from ("", "Example for `tikzgen render`", *_wrap(f"  {{{example}}}", 3))


def _wrap(text: str, indent: int = 0) -> list[str]:
    """Break a string into lines; the first line has no indent."""
    from textwrap import wrap

    return wrap(text, _width(), subsequent_indent=" " * indent, break_on_hyphens=False)


def _width() -> int:
    from shutil import get_terminal_size

    return min(get_terminal_size().columns, _MAX_WIDTH)


def _tabulate(facts: Sequence[FieldFacts]) -> Iterator[str]:
    """Yield a line per field, with the first clause of its meaning."""
    from textwrap import wrap

    cells = [(fact.name, fact.short_type, _shorten_default(fact.default)) for fact in facts]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for row, fact in zip(cells, facts, strict=True):
        start = "".join(f"  {cell:<{wide}}" for cell, wide in zip(row, widths, strict=True)) + "  "
        room = max(_width() - len(start), _MIN_MEANING)
        clause = _first_clause(fact.meaning)
        for place, line in enumerate(wrap(clause, room)):
            yield (" " * len(start) if place else start) + line


def _first_clause(meaning: str) -> str:
    """Return the text before the first period, colon or semicolon, in lower case."""
    from re import split

    clause = split(r"[.;:,](?= |$)", meaning)[0]
    return clause if clause[1:2].isupper() else clause[:1].lower() + clause[1:]


def _shorten_default(default: str) -> str:
    """Return a default for a table; `-` is null, nothing, or longer than a column."""
    if not default:
        return "required"
    return "-" if default in ("null", "{}", "[]", '""') or len(default) > 16 else default.strip('"')


def _describe(fact: FieldFacts) -> Iterator[str]:
    """Yield `devices: int = 4` and the meaning below."""
    default = f" = {fact.default}" if fact.default else "  (required)"
    yield from _wrap(f"{fact.name}: {fact.type}{default}", 4)
    yield from _wrap(f"    {fact.meaning}", 4)
