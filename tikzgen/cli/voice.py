"""How much the command line says, and whether in colour: `-q`, `-v`, `--color`, NO_COLOR, TIKZGEN_COLOR."""

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
    """Speak as one does who was told nothing: at the start of each run."""
    global _level, _color, _progress
    _level, _color, _progress = 0, False if os.environ.get("NO_COLOR") else None, True


def voice_options() -> list[click.Option]:
    """The options that every verb has."""

    def option(help_: str, *names: str, **kind: Any) -> click.Option:
        variable = f"TIKZGEN_{names[-1].removeprefix('--').upper()}"
        return click.Option([*names], envvar=variable, help=help_, expose_value=False, callback=_take, **kind)

    color = "Colour in messages; auto: on a terminal, unless NO_COLOR is set."
    progress = "What is under way and left, once it takes a second; never says nothing of that."
    return [
        option("Say only what went wrong.", "-q", "--quiet", is_flag=True),
        option("Say more: what was read, and how long it took.", "-v", "--verbose", is_flag=True),
        option(color, "--color", type=click.Choice(COLORS), default="auto"),
        option(progress, "--progress", type=click.Choice(["auto", "never"]), default="auto"),
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
    """Whether only what went wrong is said."""
    return _level < 0


def shows_progress() -> bool:
    """Whether it is told what is under way."""
    return _progress and not is_quiet()


def say(text: str, *, nl: bool = True) -> None:
    """Print what was asked for, on standard output."""
    _make_room()
    note("speaks")
    click.echo(text, nl=nl)


def say_json(facts: Any) -> None:
    """The same of facts, for programs."""
    say(spelt_json(facts))


def spelt_json(facts: Any) -> str:
    """Facts as programs read them, and people can."""
    import json

    return json.dumps(facts, ensure_ascii=False, indent=2)


def _make_room() -> None:
    """Take away what the watching process may show of the work on this terminal."""
    if is_watched() and sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def visible(text: str) -> str:
    """The text without control characters, which a terminal would obey: names of files may hold them."""
    return "".join(char if char in "\n\t" or not _is_control(char) else ascii(char)[1:-1] for char in text)


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"


def print_line(line: str) -> None:
    """Print a result, unless quiet."""
    if _level >= 0:
        _make_room()
        click.echo(visible(line), err=True, color=_color)


def tell_of(path: Path, written: bool) -> None:
    """Say of a file whether it was written, or held the same already."""
    print_line(f"{path} {'written' if written else 'is up to date'}")


def detail(line: str) -> None:
    """Say what only those want to know who ask for it."""
    if _level > 0:
        _make_room()
        click.echo(visible(line), err=True, color=_color)


def complain(text: str, *, nl: bool = True) -> None:
    """Say what is wrong: its place bold, the way out faint."""
    text = visible(text)
    text = _PLACE.sub(lambda found: click.style(found[0], bold=True), text)
    text = _CODE.sub(lambda found: click.style(found[0], fg="red"), text)
    text = _WAY.sub(lambda found: click.style(found[0], fg="cyan"), text)
    _make_room()
    click.echo(text, err=True, nl=nl, color=_color)
