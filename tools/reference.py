"""The pages of docs/reference, generated from models, rules, operations and the command line.

`python tools/reference.py` writes them; `python tools/reference.py --check` lists outdated pages.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
from field_pages import field_pages, override_arguments

from tikzgen.cli import COMMANDS, cli, load_command
from tikzgen.cli.shared_options import OPTION_GROUPS, option_group
from tikzgen.cli.voice import voice_options
from tikzgen.compile.draw.draw_tex import PACKAGES
from tikzgen.compile.draw.read_path import OPERATIONS
from tikzgen.compile.draw.run_statements import PATHS
from tikzgen.compile.draw.tikz_keys import KEYS, TIPS
from tikzgen.lint.measures.known_measures import CATALOGUE
from tikzgen.lint.registry import Rule
from tikzgen.lint.rule_table import all_rules
from tikzgen.serve.agents.mcp_server import operations_table
from tikzgen.spec.diagrams.import_formats import IMPORT_FORMATS
from tikzgen.spec.earlier_formats import DEPRECATIONS

__all__ = ["PAGES", "stale_pages"]

FOLDER = Path(__file__).parent.parent / "docs" / "reference"


def rules_page() -> str:
    """Return the list of the rules of `tikzgen check`."""
    parts = ["# The rules of `tikzgen check`", "", _RULES]
    for digit, title in _GROUPS.items():
        parts += ["", f"## {title}", "", "| rule | name | severity | requirement |", "|---|---|---|---|"]
        for each in all_rules():
            if each.code[2] == digit:
                anchor = f'<a id="{each.code.lower()}-{each.name}"></a>'  # the section of the time with one page
                link = f"[{each.code}](rules/{each.code}.md)"
                parts.append(f"| {anchor}{link} | {each.name} | {each.severity} | {_cell(each.summary)} |")
    return "\n".join(parts)


def rule_page(rule: Rule) -> str:
    """Return the page of a rule, with a figure that breaks it and a figure that does not."""
    parts = [f"# {rule.code} `{rule.name}`", "", f"{rule.severity.capitalize()}: {rule.summary}."]
    for kind, title in (("bad", "Breaks the rule"), ("good", "Follows the rule")):
        parts += ["", f"## {title}"]
        for file in sorted(EXAMPLES.glob(f"{rule.code}.{kind}.*"), key=lambda file: file.suffix == ".json"):
            parts += ["", "Metadata:"] if file.suffix == ".json" else []
            parts += ["", f"```{file.suffix[1:]}", _example_text(file), "```"]
    fix = f"`tikzgen check --fix` {rule.fixes}." if rule.fixes else _NO_FIX
    return "\n".join([*parts, "", "## Fix", "", fix, "", "[All rules](../rules.md)"])


def _example_text(file: Path) -> str:
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
_GROUPS = {"1": "Schedules and timelines", "2": "Source and metadata", "3": "Drawn figures, with `--geometry`"}
_RULES = (
    "Rules of the first group apply to schedules and timelines, rules of the second group to the source of a .tex and "
    "to its metadata. Rules of the third group apply to the drawing, in the examples in a column of 8.4 cm."
)
_NO_FIX = "The fix needs a decision. `tikzgen check` prints a suggestion with each finding."


def measures_page() -> str:
    """Return the page with every measure of `tikzgen metrics`."""
    rows = ["| key | measure |", "|---|---|"]
    rows += [f"| `{key}` | {measure.title}{', by device' * measure.by_device} |" for key, measure in CATALOGUE.items()]
    return "\n".join(["# The measures of `tikzgen metrics`", "", *rows])


def operations_page() -> str:
    """Return the page with every operation of `tikzgen edit`."""
    arguments = ["", "## Arguments", "", *override_arguments()]
    return "\n".join(["# The operations of `tikzgen edit`", "", *operations_table(), *arguments])


def diagrams_page() -> str:
    """Return the page with the statements of other languages that `tikzgen import` takes and leaves out."""
    parts = ["# Statements of imported diagrams", "", _DIAGRAMS]
    for name in IMPORT_FORMATS.built_in:
        language = IMPORT_FORMATS[name]
        suffixes = " and ".join(f"`{suffix}`" for suffix in language.suffixes)
        parts += ["", f"## {language.phrase}", "", f"Files: {suffixes}. `--language {name}` states the language."]
        for taken, heading in ((True, "result"), (False, "result with `--partial`")):
            parts += ["", f"| {'statement' if taken else 'unsupported'} | {heading} |", "|---|---|"]
            parts += [
                f"| {_code_cell(each.example)} | {_cell(each.meaning)} |"
                for each in language.syntax
                if each.is_taken == taken
            ]
    return "\n".join(parts)


_DIAGRAMS = (
    "Each statement of the first table becomes the part of a spec next to it. A statement of the second table is an "
    "error; `tikzgen import --partial` leaves it out, with the result next to it. [How to import](../import.md)."
)


def deprecations_page() -> str:
    """Return the page with the deprecated forms of files and packages."""
    rows = ["| code | form | replacement | since | until | effect |", "|---|---|---|---|---|---|"]
    for code, each in DEPRECATIONS.items():
        cells = (code, each.form, each.replacement, each.since, str(each.end), each.effect)
        rows.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(["# Deprecated forms", "", _DEPRECATIONS, "", *rows])


_DEPRECATIONS = (
    "tikzgen reads a deprecated form until the end date, and afterwards reports an error with its code. "
    "[Upgrade figures](../editing.md#upgrade-figures-of-earlier-versions)."
)


def drawing_page() -> str:
    """Return the page with the TeX that is drawn without TeX."""
    rows = {
        "packages": sorted(PACKAGES),
        "statements": [*(f"\\{name}" for name in PATHS), r"\begin{scope}", r"\foreach", r"\color", r"\tikzset"],
        "operations of paths": OPERATIONS,
        "keys": KEYS,
        "keys of styles": ("/.style", "/.append style", "/.try", "/.style 2 args", "/.style n args"),
        "heads of arrows": ("->", "<-", "<->", "|-|", *(f">={{{tip}[length=2mm]}}" for tip in TIPS)),
        "definitions": (r"\def\name{…}", r"\def\name#1{…}", r"\definecolor{name}{HTML}{0072B2}"),
    }
    parts = ["# TeX that is drawn without TeX", "", _DRAWING, "", "| group | supported |", "|---|---|"]
    return "\n".join([*parts, *(f"| {group} | {', '.join(map(_code_cell, names))} |" for group, names in rows.items())])


_DRAWING = (
    "Other TeX needs an engine. `tikzgen build -f svg` without one, and `tikzgen watch`, show it as "
    "[source text in a marked box](../without-tex.md#preview-a-file-that-needs-tex)."
)


def _code_cell(text: str) -> str:
    """Return lines as code in a cell of a table."""
    mark = "``" if "`" in text else "`"
    return "<br>".join(f"{mark}{_cell(line)}{mark}" for line in text.split("\n"))


def command_line_page() -> str:
    """Return the page that lists the commands."""
    parts = ["# The command line", "", *_help_text(cli), "## Commands", ""]
    for verb in _commands():
        anchors = f'<a id="tikzgen-{verb}"></a>'  # the section of the time with one page
        parts.append(f"- {anchors}[`tikzgen {verb}`](commands/{verb}.md): {COMMANDS[verb]}")
    return "\n".join(parts)


def command_page(verb: str) -> str:
    """Return the page of a command and its options."""
    with click.Context(cli, info_name="tikzgen") as parent:
        return "\n".join([f"# `tikzgen {verb}`", "", *_verb(load_command(verb), verb, parent)])


def _commands() -> list[str]:
    return cli.list_commands(click.Context(cli))


def _help_text(command: click.Command) -> Iterator[str]:
    """Yield the help of a command, with its examples as code."""
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        if part.startswith("\b\n"):
            part = f"```sh\n{inspect.cleandoc(part[2:])}\n```"
        yield from (part, "")


def _verb(command: click.Command, verb: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=verb, parent=parent)
    yield f"`{' '.join([context.command_path, *command.collect_usage_pieces(context)])}`"
    yield ""
    yield from _help_text(command)
    everywhere = {option.help for option in voice_options()}  # a command has these after its first lookup
    options = [each for each in command.params if isinstance(each, click.Option) and each.help not in everywhere]
    for topic in OPTION_GROUPS:
        rows = [record for each in options if option_group(each) == topic and (record := each.get_help_record(context))]
        if rows:
            yield from ("", f"**{topic}**", "", "| option | meaning |", "|---|---|")
            yield from (f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in rows)
    for name, each in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from ["", f"## `{context.command_path} {name}`", "", *_verb(each, name, context)]


PAGES: dict[str, Callable[[], str]] = {
    **field_pages(),
    "rules.md": rules_page,
    **{f"rules/{rule.code}.md": partial(rule_page, rule) for rule in all_rules()},
    "measures.md": measures_page,
    "operations.md": operations_page,
    "diagrams.md": diagrams_page,
    "deprecations.md": deprecations_page,
    "drawing.md": drawing_page,
    "command-line.md": command_line_page,
    **{f"commands/{verb}.md": partial(command_page, verb) for verb in _commands()},
}
_MADE = "<!-- made by `python tools/reference.py`: change the models, not this page -->\n"


def made_page(name: str) -> str:
    """Return the current text of a page."""
    return f"{_MADE}{PAGES[name]().rstrip()}\n"


def stale_pages() -> dict[Path, str]:
    """Return the outdated pages with their current text."""
    made = {FOLDER / name: made_page(name) for name in PAGES}
    return {path: text for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def lost_pages() -> list[Path]:
    """Return the generated pages whose subject no longer exists."""
    known = {FOLDER / name for name in PAGES}
    others = [path for path in FOLDER.rglob("*.md") if path not in known]
    return [path for path in others if path.read_text(encoding="utf-8").startswith(_MADE)]


def main() -> None:
    """Write the pages, or list the outdated ones."""
    stale = stale_pages()
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(f"{path.name} is stale: run python tools/reference.py" for path in stale) or 0)
    for path in lost_pages():
        path.unlink()
    for path, text in stale.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
