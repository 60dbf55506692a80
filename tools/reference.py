"""The pages of docs/reference, generated from models, rules, operations and the command line.

`python tools/reference.py` writes them; `python tools/reference.py --check` lists outdated pages.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from pydantic.json_schema import models_json_schema

from tikzgen.cli import cli
from tikzgen.cli.voice import voice_options
from tikzgen.lint.measures.known_measures import CATALOGUE
from tikzgen.lint.rule_table import all_rules
from tikzgen.model.content import Tagged
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.looks.phase_and_flow_looks import FLOW_KINDS, PHASES
from tikzgen.model.overrides import EditableRecipe
from tikzgen.recipe.recipe_names import NAMES, recipe
from tikzgen.recipe.schedule_display import Displayed
from tikzgen.serve.agents.mcp_server import operations_table
from tikzgen.spec.errors.field_docs import field_docs, first_line
from tikzgen.spec.schema import spelt_default, type_words

__all__ = ["PAGES", "stale_pages"]

FOLDER = Path(__file__).parent.parent / "docs" / "reference"


def spec_page() -> str:
    """Return the page with every field of every recipe and part."""
    parts: list[str] = ["# The spec, field by field", "", _SPEC, "", "## What every spec takes", "", *_table(Options)]
    known: set[Any] = set()

    def describe(model: Any, fields: list[str]) -> None:
        for child in _children(model, fields):
            if child not in known:
                known.add(child)
                parts.extend(["", f"`{child.__name__}`: {first_line(child)}", "", *_table(child)])

    def tell(title: str, model: Any, apart_from: Any) -> None:
        own = [name for name in model.model_fields if name not in apart_from.model_fields and name != "recipe"]
        parts.extend(["", f"## {title}", "", first_line(model), "", *_table(model, own)])
        describe(model, own)

    describe(Options, list(Options.model_fields))
    schedules = [name for name in NAMES if issubclass(recipe(name), Displayed)]
    tell("What every recipe takes", EditableRecipe, Options)
    for name in NAMES:
        if name not in schedules:
            tell(f"`recipe: {name}`", recipe(name), EditableRecipe)
    tell("What every recipe of a schedule takes", Displayed, EditableRecipe)
    for name in schedules:
        tell(f"`recipe: {name}`", recipe(name), Displayed)
    tell("A figure without a recipe", FigureModel, Options)
    parts += ["", f"Phases: {', '.join(PHASES)}. Kinds of flow: {', '.join(FLOW_KINDS)}."]
    return "\n".join(parts)


_SPEC = (
    "A spec is YAML or JSON. It names a `recipe` and gives its facts, or it lists `panels`; `tikzgen schema` prints "
    "all of this as JSON Schema. Text is text, `$…$` in it is maths; times are numbers or fractions such as `1/3`."
)


def rules_page() -> str:
    """Return the page of rules of `tikzgen check`.

    Each rule has a section with a figure that breaks it and a figure that does not.
    """
    parts = ["# The rules of `tikzgen check`", "", _RULES]
    for each in all_rules():
        fixes = f" `--fix` {each.fixes}." if each.fixes else ""
        parts += ["", f"## {each.code} `{each.name}`", "", f"{each.severity.capitalize()}: {each.summary}.{fixes}"]
        for kind in ("bad", "good"):
            for file in sorted(EXAMPLES.glob(f"{each.code}.{kind}.*"), key=lambda file: file.suffix == ".json"):
                said = "and its metadata:" if file.suffix == ".json" else f"{kind.capitalize()}:"
                parts += ["", said, "", f"```{file.suffix[1:]}", _told(file), "```"]
    return "\n".join(parts)


def _told(file: Path) -> str:
    """Return the text of an example file.

    Figures of tikzgen are long, so return only the lines that the rule's other example does not have.
    """
    text = file.read_text("utf-8").rstrip()
    if "% tikzgen spec" not in text:
        return text
    code, kind, suffix = file.name.split(".")
    other = file.with_name(f"{code}.{'good' if kind == 'bad' else 'bad'}.{suffix}").read_text("utf-8").splitlines()
    return "\n".join(line for line in text.splitlines() if line not in other)


EXAMPLES = Path(__file__).parent.parent / "tests" / "cases" / "rules"
_RULES = (
    "TG1xx look at schedules and timelines of specs, TG2xx at a .tex as it is written and at the metadata beside it, "
    "TG3xx (with `--geometry`) at what TeX sets, here in a column of 8.4 cm."
)


def measures_page() -> str:
    """Return the page with every measure of `tikzgen metrics`."""
    rows = ["| key | measure |", "|---|---|"]
    rows += [f"| `{key}` | {measure.title}{', by device' * measure.by_device} |" for key, measure in CATALOGUE.items()]
    return "\n".join(["# The measures of `tikzgen metrics`", "", *rows])


def operations_page() -> str:
    """Return the page with every operation of `tikzgen edit`."""
    return "\n".join(["# The operations of `tikzgen edit`", "", *operations_table()])


def command_line_page() -> str:
    """Return the page with every command and its options."""
    parts = ["# The command line", "", inspect.cleandoc(cli.help or "")]
    with click.Context(cli, info_name="tikzgen") as parent:
        for verb in cli.list_commands(parent):
            command = import_module(f"tikzgen.cli.verbs.{verb}_verb").command
            parts += ["", f"## `tikzgen {verb}`", "", *_verb(command, verb, parent)]
    return "\n".join(parts)


def _verb(command: click.Command, verb: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=verb, parent=parent)
    yield f"`{' '.join([context.command_path, *command.collect_usage_pieces(context)])}`"
    yield ""
    yield inspect.cleandoc(command.help or "")
    everywhere = {option.help for option in voice_options()}  # a command has these after its first lookup
    options = [each for each in command.params if isinstance(each, click.Option) and each.help not in everywhere]
    rows = [found for each in options if (found := each.get_help_record(context))]
    if rows:
        yield from ["", "| option | |", "|---|---|"]
        yield from (f"| `{_cell(option)}` | {_cell(told)} |" for option, told in rows)
    for name, each in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from ["", f"### `{context.command_path} {name}`", "", *_verb(each, name, context)]


PAGES: dict[str, Callable[[], str]] = {
    "spec.md": spec_page,
    "rules.md": rules_page,
    "measures.md": measures_page,
    "operations.md": operations_page,
    "command-line.md": command_line_page,
}
_MADE = "<!-- made by `python tools/reference.py`: change the models, not this page -->\n"


def made_page(name: str) -> str:
    """Return the current text of a page."""
    return f"{_MADE}{PAGES[name]().rstrip()}\n"


def stale_pages() -> dict[Path, str]:
    """Return the outdated pages with their current text."""
    made = {FOLDER / name: made_page(name) for name in PAGES}
    return {path: text for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text}


def _table(model: Any, only: list[str] | None = None) -> Iterator[str]:
    properties = _properties()[model]
    docs = field_docs(model)
    yield "| field | type | default | meaning |"
    yield "|---|---|---|---|"
    for name, field in model.model_fields.items():
        if only is not None and name not in only:
            continue
        default = "required" if field.is_required() else _default(field.get_default(call_default_factory=True))
        said = field.alias or name
        kind = type_words(properties[said], "`")
        yield f"| `{said}` | {_cell(kind)} | {_cell(default)} | {_cell(docs[name])} |"


@cache
def _properties() -> dict[Any, Any]:
    """Return the fields of every model as JSON Schema.

    One call generates all schemas, because most parts are in most recipes.
    """
    whole = [Options, EditableRecipe, FigureModel, Displayed, *map(recipe, NAMES)]
    parts = [part for model in whole for part in _children(model, list(model.model_fields))]
    models = list(dict.fromkeys([*whole, *parts]))
    found, schema = models_json_schema([(model, "validation") for model in models])
    named = {model: found[model, "validation"]["$ref"].rpartition("/")[2] for model in models}
    return {model: schema["$defs"][name].get("properties", {}) for model, name in named.items()}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _default(value: Any) -> str:
    text = spelt_default(value)
    if text in ("null", "{}", "[]", '""'):
        return "–"
    return f"`{text}`" if len(text) <= 60 else "a formula" if "$" in text else "built in"


def _children(model: Any, only: list[str]) -> list[Any]:
    """Return the models in a model's fields, nearest first, without duplicates."""
    found: dict[Any, None] = {}
    waiting = [model.model_fields[name].annotation for name in only]
    while waiting:
        kind = waiting.pop(0)
        tags = [note for note in getattr(kind, "__metadata__", ()) if isinstance(note, Tagged)]
        if tags:
            waiting += [tags[0].kinds[each] for each in tags[0].kinds]
        elif isinstance(kind, type) and hasattr(kind, "model_fields"):
            if kind not in found and kind is not model:
                found[kind] = None
                waiting += [field.annotation for field in kind.model_fields.values()]
        else:
            waiting += [entry for entry in getattr(kind, "__args__", ()) if entry is not None]
    return list(found)


def main() -> None:
    """Write the pages, or list the outdated ones."""
    stale = stale_pages()
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(f"{path.name} is stale: run python tools/reference.py" for path in stale) or 0)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
