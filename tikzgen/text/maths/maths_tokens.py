r"""Tokens of the math between two `$`, and a reader for groups, scripts and arguments.

Unicode characters become commands here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.text import escape_characters
from tikzgen.text.escape_characters import TextRefused, describe
from tikzgen.text.maths.formula_parts import Accent, FormulaPart, Glyph, RowPart, Scripts, without_braces
from tikzgen.text.maths.maths_commands import COMPOSED_COMMANDS, DELIMITERS, STYLES, TEXTS, load_symbols

_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_PLAIN_CHARACTERS = (
    set("0123456789+-*/=<>:()[]|,.;!?@'~^_{}") | set(map(chr, range(65, 91))) | set(map(chr, range(97, 123)))
)
_WRITE = {"&": r"\&", "#": r"\#", "%": r"\%", '"': "''", "`": r"\text{`}", "$": r"\$"}
_ESCAPED_CHARACTERS = "$%&#_{}"  # literal after a backslash inside \text
_WORD_END = pattern_of(r"\\[A-Za-z]+$")


class MathsToken(Record):
    r"""Character, command or space; `words` is the TeX source inside a `\\text{...}`."""

    text: str
    position: int
    words: str | None = None
    packages: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        return self.text if self.words is None else f"{self.text}{{{self.words}}}"


def join_tokens(tokens: list[MathsToken]) -> str:
    """Return the TeX source of tokens; a space separates a command from a letter after it."""
    source = ""
    for token in tokens:
        if token.text[0].isalpha() and _WORD_END.search(source):
            source += " "
        source += token.source
    return source


def with_displayed_fractions(tokens: list[MathsToken]) -> list[MathsToken]:
    r"""Insert `\displaystyle` before the first fraction without a style, per line and per pair of brackets.

    A label is set separately, like a display. With a small font, the parts of fractions would otherwise be 5 pt.
    """
    found: list[MathsToken] = []
    depth, styled = 0, [False]  # for the line, and for each open pair of brackets
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if depth == 0 and token.text in (r"\right", r"\middle"):
            styled.pop()
        if depth == 0 and token.text in (r"\left", r"\middle"):
            styled.append(styled[-1])
        elif depth == 0 and token.text[1:] in STYLES:
            styled[-1] = True
        elif depth == 0 and token.text == r"\frac" and not styled[-1]:
            found.append(MathsToken(r"\displaystyle", token.position))
            styled[-1] = True
        found.append(token)
    return found


def tokenise_maths(maths: str, start: int = 0, *, trusted: bool = False) -> list[MathsToken]:
    """Return the tokens of `maths`, which begins at character `start` of its label; trusted math is TeX."""
    tokens: list[MathsToken] = []
    at = 0
    while at < len(maths):
        char, place = maths[at], start + at
        if char == "\\":
            command = _command(maths, at, place)
            at += len(command)
            if command[1:] in TEXTS or command == r"\mbox":
                token, at = _read_text_argument(maths, at, start, command, trusted)
            else:
                token = MathsToken(command, place)
            tokens.append(token)
            continue
        at += 1
        if char.isspace() and char != "\N{NO-BREAK SPACE}":
            if tokens and tokens[-1].text != " ":
                tokens.append(MathsToken(" ", place))
        elif char in _PLAIN_CHARACTERS or (trusted and char.isascii()):
            tokens.append(MathsToken(char, place))
        elif char in _WRITE:
            raise TextRefused(describe(char), "is not allowed in math", position=place, hint=f"write {_WRITE[char]}")
        else:
            tokens += _convert_unicode(char, place)
    if tokens and tokens[-1].text == " ":
        tokens.pop()
    return tokens


def _command(maths: str, at: int, place: int) -> str:
    match = _COMMAND.match(maths, at)
    if match is None:
        raise TextRefused("a lone backslash", "in maths", position=place, hint=r"write \backslash")
    if match[1].isspace():
        return "\\ "
    if not match[1].isascii() or not match[1].isprintable():
        raise TextRefused("a backslash", f"before {describe(match[1])}", position=place, hint=r"write \backslash")
    return match[0]


def _convert_unicode(char: str, place: int) -> list[MathsToken]:
    maths = escape_characters.find(char, place).maths
    if maths is None:
        raise TextRefused(describe(char), "is not allowed in math", position=place, hint=rf"write \text{{{char}}}")
    return [MathsToken(token.text, place, token.words, token.packages) for token in tokenise_maths(maths)]


def _read_text_argument(maths: str, at: int, start: int, command: str, trusted: bool) -> tuple[MathsToken, int]:
    """Read `{...}` after a command for text; return the token and the end of the argument."""
    place = start + at - len(command)
    while at < len(maths) and maths[at].isspace():
        at += 1
    if at >= len(maths) or maths[at] != "{":
        raise TextRefused(f"{command}", "needs its text in braces", position=place, hint=rf"write {command}{{...}}")
    end = _closing_brace(maths, at)
    if end is None:
        raise TextRefused(f"the brace after {command}", "is never closed", position=place, hint="write }")
    inner = maths[at + 1 : end]
    if trusted:
        return MathsToken(command, place, inner), end + 1
    source, packages = _escape_text(inner, start + at + 1, command)
    return MathsToken(command, place, source, packages), end + 1


def _closing_brace(maths: str, opening: int) -> int | None:
    depth, at = 0, opening
    while at < len(maths):
        if maths[at] == "\\":
            at += 1
        elif maths[at] in "{}":
            depth += 1 if maths[at] == "{" else -1
            if depth == 0:
                return at
        at += 1
    return None


def _escape_text(inner: str, start: int, command: str) -> tuple[str, frozenset[str]]:
    r"""Escape text inside math like any text, except that TeX notation such as `\\%` is accepted."""
    source = ""
    packages: set[str] = set()
    at = 0
    while at < len(inner):
        char, place = inner[at], start + at
        if char == "\\":
            at += 1
            char = inner[at]
            if char not in _ESCAPED_CHARACTERS:
                raise TextRefused(f"a command inside {command}", position=place, hint="end its braces before it")
        elif char in "{}":
            raise TextRefused(f"a brace inside {command}", position=place, hint=rf"write \{char}")
        if char in "\t\n\r":
            source, at = source + " ", at + 1
            continue
        entries, at = escape_characters.read_cluster(inner, at, start)
        source += "".join(entry.source for entry in entries)
        packages.update(package for entry in entries for package in entry.packages)
    return source, frozenset(packages)


_GROUP_LIMIT = 20  # nested groups: a safeguard for Python's stack
_PRIME = Glyph("symbols", 0x30)


class FormulaReader:
    """Recursive-descent parser for the tokens of one formula; `atom` reads the parts without scripts.

    `alphabet` is the current font command ("mathbf"), "" by default. Trusted math comes from a raw `Tex`.
    """

    def __init__(self, tokens: list[MathsToken], atom: Atom, *, trusted: bool) -> None:
        self.tokens = tokens
        self.atom = atom
        self.trusted = trusted
        self.at = 0
        self.depth = 0
        self.packages: set[str] = set()

    # -- tokens ------------------------------------------------------------------------------------------------

    def peek_token(self, *, spaces: bool = False) -> MathsToken | None:
        """Return the next token, if any; skip spaces, which have no meaning in math, unless requested."""
        while not spaces and self.at < len(self.tokens) and self.tokens[self.at].text == " ":
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted_by: str, position: int) -> MathsToken:
        token = self.peek_token()
        if token is None:
            raise TextRefused(f"nothing follows {wanted_by}", position=position, hint="put it in braces: {...}")
        self.at += 1
        return token

    # -- rows --------------------------------------------------------------------------------------------------

    def read_row(
        self, closing: str, alphabet: str = "", opened: int = 0
    ) -> tuple[tuple[FormulaPart, ...], MathsToken | None]:
        r"""Return the parts up to the token `closing` ("" for the end of the formula), and skip and return it.

        A row that `\\right` closes also ends at `\\middle`.
        """
        self.depth += 1
        if self.depth > _GROUP_LIMIT:
            raise TextRefused("math nested too deeply", position=opened, hint="put it in !tex")
        items: list[FormulaPart] = []
        while (token := self.peek_token()) is not None and not _is_closing(token, closing):
            if token.text in ("}", r"\right", r"\middle"):
                partner = "{" if token.text == "}" else r"\left"
                raise TextRefused(token.text, f"without its {partner}", position=token.position, hint="remove it")
            items.append(self.read_part(alphabet))
        if token is None and closing:
            opener = {"}": "{", "]": "["}.get(closing, r"\left")
            raise TextRefused(opener, "is never closed", position=opened, hint=f"write {closing}")
        self.at += 1
        self.depth -= 1
        return tuple(items), token

    def read_part(self, alphabet: str) -> FormulaPart:
        """Read one atom with its scripts."""
        token = self.tokens[self.at]
        if token.text in ("^", "_", "'"):
            base: FormulaPart = RowPart(())
        elif token.text in (r"\limits", r"\nolimits"):
            raise TextRefused(token.text, "must follow an operator such as \\sum", position=token.position)
        else:
            self.at += 1
            base = self.atom(self, token, alphabet)
        return self.read_scripts(base, alphabet)

    def read_scripts(self, base: FormulaPart, alphabet: str) -> FormulaPart:
        limits: bool | None = None
        while (token := self.peek_token()) is not None and token.text in (r"\limits", r"\nolimits"):
            if not (isinstance(base, (Glyph, RowPart)) and base.kind == "op"):
                raise TextRefused(token.text, "must follow an operator such as \\sum", position=token.position)
            limits = token.text == r"\limits"
            self.at += 1
        sup: RowPart | None = None
        sub: RowPart | None = None
        inner = without_braces(base)
        if isinstance(inner, Scripts) and isinstance(without_braces(inner.base), Accent):
            base, sup, sub = inner.base, inner.sup, inner.sub  # TeX ignores braces around a single accent
        while (token := self.peek_token()) is not None and token.text in ("^", "_", "'"):
            if (token.text == "_" and sub is not None) or (token.text != "_" and sup is not None):
                name = {"_": "subscript", "^": "superscript", "'": "prime after a superscript"}[token.text]
                hint = "put the first part in braces: {x_1}_2"
                raise TextRefused(f"a second {name}", position=token.position, hint=hint)
            self.at += 1
            if token.text == "_":
                sub = self.read_field(token, alphabet)
            elif token.text == "^":
                sup = self.read_field(token, alphabet)
            else:
                sup = self.read_primes(alphabet)
        if sup is None and sub is None:
            return base
        return Scripts(base, sup, sub, limits)

    def read_primes(self, alphabet: str) -> RowPart:
        items: list[FormulaPart] = [_PRIME]
        while (token := self.peek_token(spaces=True)) is not None and token.text == "'":
            items.append(_PRIME)
            self.at += 1
        if token is not None and token.text == "^":  # TeX accepts both only directly after a prime
            self.at += 1
            items.append(self.read_field(token, alphabet))
        return RowPart(tuple(items))

    # -- arguments ---------------------------------------------------------------------------------------------

    def group(self, opening: MathsToken, alphabet: str) -> RowPart:
        return RowPart(self.read_row("}", alphabet, opening.position)[0])

    def read_field(self, script: MathsToken, alphabet: str) -> RowPart:
        """Read the argument of `^`, `_` or a command: a group, or one plain character or symbol."""
        token = self.take(script.text, script.position)
        if token.text == "{":
            return self.group(token, alphabet)
        entry = load_symbols().get(token.text[1:]) if token.text[0] == "\\" else None
        single = len(token.text) == 1 and token.text not in "^_'~}"
        if not single and (
            entry is None or entry[0].kind == "op" or token.text in DELIMITERS or token.text[1:] in COMPOSED_COMMANDS
        ):
            what, hint = f"{token.text} after {script.text}", f"write {script.text}{{{token.text}...}}"
            raise TextRefused(what, "must be in braces", position=script.position, hint=hint)
        node = self.atom(self, token, alphabet)
        return node if isinstance(node, RowPart) else RowPart((node,))


def _is_closing(token: MathsToken, closing: str) -> bool:
    return token.text == closing or (closing == r"\right" and token.text == r"\middle")


Atom: TypeAlias = Callable[[FormulaReader, MathsToken, str], FormulaPart]
"""Reads the atom that begins with a token already taken, in an alphabet."""
