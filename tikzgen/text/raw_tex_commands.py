"""Commands permitted in raw TeX, with the kinds of their arguments: `data/rawtex.txt`, and all math.

A command is harmless only with harmless arguments. An argument that is not text has a kind, which it must match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.base.stock_colors import STOCK
from tikzgen.text.escape_characters import TextRefused
from tikzgen.text.maths import maths_commands as maths

_PALETTE = ("paper", "ink", "otbase", "otblack", "otblue", "otorange", "otteal", "otpurple", "otgray")
COLOURS = (*_PALETTE, *STOCK)
"""Base names of color mixtures: the figure's palette, and the colors that xcolor always defines."""


class ArgumentKind(Record):
    """Kind of argument: its pattern, an example, and the maximum of its number (in cm if it has a unit)."""

    pattern: re.Pattern[str]
    example: str
    most: float = 0


_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_LENGTH = rf"{_NUMBER}\s*(?:pt|bp|pc|mm|cm|in|em|ex)"
_BOX = rf"{_LENGTH}|(?:{_NUMBER})?\\(?:width|height|depth|totalheight)"
_CM = {"pt": 0.0352, "bp": 0.0353, "pc": 0.422, "mm": 0.1, "cm": 1, "in": 2.54, "em": 0.352, "ex": 0.152, "mu": 0.02}
_COLOUR = "|".join(COLOURS)


def _make_argument_kind(pattern: str, example: str, most: float = 0) -> ArgumentKind:
    return ArgumentKind(pattern_of(pattern), example, most)


_KINDS: Mapping[str, ArgumentKind] = {
    "length": _make_argument_kind(_LENGTH, "2mm, 100 cm at most", 100),
    "height": _make_argument_kind(r"\d{1,2}(?:\.\d+)?(?:pt)?", "8 or 8pt, 99 at most"),
    "extent": _make_argument_kind(_BOX, "2mm or 0.5\\height, 100 cm at most", 100),
    "side": _make_argument_kind(f"!|{_BOX}", "2cm or !, 100 cm at most", 100),
    "mu": _make_argument_kind(rf"{_NUMBER}\s*mu", "3mu, 1000mu at most", 20),
    "factor": _make_argument_kind(_NUMBER, "1.5, 100 at most", 100),
    "angle": _make_argument_kind(_NUMBER, "90, 360 at most", 360),
    "number": _make_argument_kind(r"\d{1,7}", "36", 0x10FFFF),
    "few": _make_argument_kind(r"[1-9]\d?", "2, 99 at most"),
    "digit": _make_argument_kind(r"[0-4]", "4"),
    "rows": _make_argument_kind(r"\d{1,2}-\d{1,2}", "1-2"),
    "place": _make_argument_kind(r"[lcrstb]{1,2}", "t, b, c, l or r"),
    "edges": _make_argument_kind(r"[tb]{1,2}", "t, b or tb"),
    "origin": _make_argument_kind(r"origin=[lcrtbB]{1,2}", "origin=c"),
    "": _make_argument_kind(r"(?!)", "{text}"),
    "word": _make_argument_kind(r"[a-z]{1,4}", "bx or it"),
    "family": _make_argument_kind("cmr|cmss|cmtt|lmr|lmss|lmtt|ptm|phv|pcr|qtm|qhv|qcr", "cmss or lmr"),
    "colour": _make_argument_kind(
        rf"(?:{_COLOUR})(?:!\d{{1,3}}(?:\.\d)?(?:!(?:{_COLOUR}))?)*", "otblue or otblue!40!paper"
    ),
    "columns": _make_argument_kind(rf"(?:[lcr|\s]|p\{{{_LENGTH}\}}|@\{{[^\\{{}}$&%#^_~\d]*\}})+", "lcr or p{2cm}", 100),
}
_MEASURE = pattern_of(rf"({_NUMBER})\s*({'|'.join(_CM)})?")
_STRETCH = pattern_of(r"\s*(?:plus|minus)", re.IGNORECASE)
_BLANKS = pattern_of(r"\s*")
_CLOSING = {"[": "]", "{": "}"}
_TOKEN = pattern_of(r"\\(begin\{[a-zA-Z]+\}|[A-Za-z]+|[^A-Za-z\s])(\*?)((?:\[\w+\]|\{\w*\}|=\w+)*)")
_ARGUMENT = pattern_of(r"([\[{=])(\w*)")
_SECTION = pattern_of(r"\[[^]:]+(?:: *(\w+))?\]")


class Usage(Record):
    """Usage of a command: its package, and its arguments that are not text.

    An argument has a bracket, as it is written (`[` if optional), and a kind.
    """

    package: str = ""
    star: bool = False
    arguments: tuple[tuple[str, str], ...] = ()


@cache
def _load_command_table() -> Mapping[str, Usage]:
    """Return the table of commands, with environments as `begin{name}`."""
    found: dict[str, Usage] = {}
    package: str | None = None
    for line in (Path(__file__).parent / "data" / "rawtex.txt").read_text("ascii").splitlines():
        if section := _SECTION.fullmatch(line):
            package = section[1] or ""
        elif package is not None:
            for name, star, rest in _TOKEN.findall(line):
                arguments = tuple((spelt[0][0], spelt[1]) for spelt in _ARGUMENT.findall(rest))
                found[name] = Usage(package, bool(star), arguments)
    return found


def usage_of(name: str) -> Usage | None:
    """Return the usage of a command, given without backslash; None if raw TeX may not use it."""
    if usage := _load_command_table().get(name):
        return usage
    package = maths.package_of(name)
    return None if package is None else Usage(package)


def usage_of_environment(name: str) -> Usage | None:
    """Return the usage of an environment; None if raw TeX may not use it."""
    return _load_command_table().get(f"begin{{{name}}}")


def list_raw_commands() -> Iterator[str]:
    """Yield the names of all commands that raw TeX may use."""
    yield from (name for name in _load_command_table() if not name.startswith("begin{"))
    yield from maths.command_names()


def list_environments() -> list[str]:
    """Return the names of all environments."""
    return [name[6:-1] for name in _load_command_table() if name.startswith("begin{")]


def arguments_end(tex: str, at: int, said: str, usage: Usage) -> int:
    """Return the end of the arguments that begin at `at`. Raise `TextRefused` for an invalid one.

    `said` is the name of the command in errors.
    """
    if usage.star and tex.startswith("*", _past_blanks(tex, at)):
        at = _past_blanks(tex, at) + 1
    for bracket, name in usage.arguments:
        begin = _past_blanks(tex, at)
        if bracket == "[" and not tex.startswith("[", begin):
            continue
        end = begin if name == "" and tex.startswith("{", begin) else _argument_end(tex, begin, bracket, _KINDS[name])
        if end is None:
            position = min(begin, len(tex) - 1)
            why, hint = "is none that raw TeX may give it", f"such as {_KINDS[name].example}"
            raise TextRefused(f"the argument of {said}", why, position=position, hint=hint)
        at = end
    return at


def _argument_end(tex: str, begin: int, bracket: str, kind: ArgumentKind) -> int | None:
    """Return the end of one argument; None if it does not match its kind."""
    inside = begin if bracket == "=" else _past_blanks(tex, begin + 1)
    found = kind.pattern.match(tex, inside)
    if found is None or not tex.startswith(bracket.strip("="), begin) or not _is_bounded(found[0], kind.most):
        return None
    if bracket == "=":
        return None if _STRETCH.match(tex, found.end()) else found.end()
    closing = _past_blanks(tex, found.end())
    return closing + 1 if tex.startswith(_CLOSING[bracket], closing) else None


def _is_bounded(argument: str, most: float) -> bool:
    """Return whether no number in an argument exceeds `most`, in cm if it has a unit."""
    found = _MEASURE.findall(argument) if most else ()
    return all(len(number) < 12 and abs(float(number)) * _CM.get(unit, 1) <= most for number, unit in found)


def _past_blanks(tex: str, at: int) -> int:
    found = _BLANKS.match(tex, at)
    return found.end() if found else at
