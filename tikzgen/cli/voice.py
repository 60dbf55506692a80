"""Verbosity and color of the command line: `-q`, `-v`, `--color`, NO_COLOR, TIKZGEN_COLOR."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from tikzgen.base.child import is_watched
from tikzgen.base.child import send_message as note
from tikzgen.base.patterns import pattern_of

COLORS = ("auto", "always", "never")
_PLACE = pattern_of(r"^\S[^\n]*?:\d+(?::\d+)?(?=: )", re.MULTILINE)
_CODE = pattern_of(r"\bTG\d{3}\b")
_WAY = pattern_of(r" \([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)$", re.MULTILINE)
_level = 0
_color: bool | None = None
_progress = True


def begin() -> None:
    """Restore the default verbosity and color, at the start of each run."""
    global _level, _color, _progress
    _level, _color, _progress = 0, False if os.environ.get("NO_COLOR") else None, True


def voice_options() -> list[click.Option]:
    """Return the options of every command."""

    def make_option(help_: str, *names: str, **kind: Any) -> click.Option:
        variable = f"TIKZGEN_{names[-1].removeprefix('--').upper()}"
        return click.Option([*names], envvar=variable, help=help_, expose_value=False, callback=_take, **kind)

    color = "Color messages; auto: on a terminal without NO_COLOR."
    progress = "Show progress after one second, or never."
    return [
        make_option("Print errors and warnings only.", "-q", "--quiet", is_flag=True),
        make_option("Print input files and times also.", "-v", "--verbose", is_flag=True),
        make_option(color, "--color", type=click.Choice(COLORS), default="auto"),
        make_option(progress, "--progress", type=click.Choice(["auto", "never"]), default="auto"),
    ]


def _take(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    global _level, _color, _progress
    if param.name == "progress":
        _progress = _progress and value == "auto"
    elif param.name == "color":
        _color = {"always": True, "never": False}.get(value, _color)
        ctx.color = _color
    elif value:
        _level = {"quiet": -1, "verbose": 1}[str(param.name)]


def is_quiet() -> bool:
    """Return whether only errors are printed."""
    return _level < 0


def shows_progress() -> bool:
    """Return whether progress is shown."""
    return _progress and not is_quiet()


def print_output(text: str, *, nl: bool = True) -> None:
    """Print the requested output on stdout."""
    note("speaks")
    _print(text, err=False, nl=nl)


def say_json(facts: Any) -> None:
    """Print data as JSON on stdout."""
    print_output(spelt_json(facts))


def spelt_json(facts: Any) -> str:
    """Return data as indented JSON."""
    import json

    return json.dumps(facts, ensure_ascii=False, indent=2)


def _print(text: str, *, err: bool = True, nl: bool = True) -> None:
    """Print a string in place of the progress line that the parent process may show on this terminal.

    One write clears the line and prints: between two, the parent process could show the line again.
    """
    clear = "\r\x1b[K" if is_watched() and sys.stderr.isatty() else ""
    if clear and not err and not sys.stdout.isatty():
        sys.stderr.write(clear)
        clear = ""
    text = click.unstyle(text) if _color is False else text
    click.echo(clear + text, err=err, nl=nl, color=True if clear else _color)


def escape_control_characters(text: str) -> str:
    """Return a string with control characters escaped, because file names may contain them."""
    return "".join(char if char in "\n\t" or not _is_control(char) else ascii(char)[1:-1] for char in text)


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"


def print_line(line: str) -> None:
    """Print a result, unless quiet."""
    if _level >= 0:
        _print(escape_control_characters(line))


def tell_of(path: Path, written: bool) -> None:
    """Report whether a file was written or is up to date."""
    print_line(f"{path} {'written' if written else 'is up to date'}")


def print_detail(line: str) -> None:
    """Print a detail, for `--verbose` only."""
    if _level > 0:
        _print(escape_control_characters(line))


def print_error(text: str, *, nl: bool = True) -> None:
    """Print an error, with its location in bold, rule codes in red and the hint in cyan."""
    text = escape_control_characters(text)
    text = _PLACE.sub(lambda found: click.style(found[0], bold=True), text)
    text = _CODE.sub(lambda found: click.style(found[0], fg="red"), text)
    text = _WAY.sub(lambda found: click.style(found[0], fg="cyan"), text)
    _print(text, nl=nl)
