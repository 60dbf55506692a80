"""Walk through the tokens of a formula: groups, scripts and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tikzgen.text.characters import TextRefused
from tikzgen.text.maths.maths_tokens import Token
from tikzgen.text.maths.symbols import COMPOSED, DELIMITERS, symbols
from tikzgen.text.maths.tree import Accent, Glyph, Node, Row, Scripts, unbraced

_DEEPEST = 20  # nested groups; nobody reads more, and Python's stack has an end
_PRIME = Glyph("symbols", 0x30)


class Reader:
    """Recursive descent over the tokens of one formula; `atom` reads what stands between the scripts.

    `alphabet` is the font command that is in force ("mathbf"), "" outside one. Trusted maths comes from a raw `Tex`.
    """

    def __init__(self, tokens: list[Token], atom: Atom, *, trusted: bool) -> None:
        self.tokens = tokens
        self.atom = atom
        self.trusted = trusted
        self.at = 0
        self.depth = 0
        self.packages: set[str] = set()

    # -- tokens ------------------------------------------------------------------------------------------------

    def peek(self, *, spaces: bool = False) -> Token | None:
        """The next token, if any; spaces mean nothing in maths and are skipped unless asked for."""
        while not spaces and self.at < len(self.tokens) and self.tokens[self.at].text == " ":
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted_by: str, position: int) -> Token:
        token = self.peek()
        if token is None:
            raise TextRefused(f"nothing follows {wanted_by}", position=position, hint="put it in braces: {...}")
        self.at += 1
        return token

    # -- rows --------------------------------------------------------------------------------------------------

    def row(self, closing: str, alphabet: str = "", opened: int = 0) -> tuple[tuple[Node, ...], Token | None]:
        """Parts up to the token `closing` ("" for the end of the formula), and that token, which is taken.

        A row that `\\right` closes also ends at `\\middle`.
        """
        self.depth += 1
        if self.depth > _DEEPEST:
            raise TextRefused("maths nested too deeply", position=opened, hint="put it in !tex")
        items: list[Node] = []
        while (token := self.peek()) is not None and not _closes(token, closing):
            if token.text in ("}", r"\right", r"\middle"):
                partner = "{" if token.text == "}" else r"\left"
                raise TextRefused(token.text, f"without its {partner}", position=token.position, hint="remove it")
            items.append(self.part(alphabet))
        if token is None and closing:
            opener = {"}": "{", "]": "["}.get(closing, r"\left")
            raise TextRefused(opener, "is never closed", position=opened, hint=f"write {closing}")
        self.at += 1
        self.depth -= 1
        return tuple(items), token

    def part(self, alphabet: str) -> Node:
        """One atom with its scripts."""
        token = self.tokens[self.at]
        if token.text in ("^", "_", "'"):
            base: Node = Row(())
        elif token.text in (r"\limits", r"\nolimits"):
            raise TextRefused(token.text, "must follow an operator such as \\sum", position=token.position)
        else:
            self.at += 1
            base = self.atom(self, token, alphabet)
        return self.scripts(base, alphabet)

    def scripts(self, base: Node, alphabet: str) -> Node:
        limits: bool | None = None
        while (token := self.peek()) is not None and token.text in (r"\limits", r"\nolimits"):
            if not (isinstance(base, (Glyph, Row)) and base.kind == "op"):
                raise TextRefused(token.text, "must follow an operator such as \\sum", position=token.position)
            limits = token.text == r"\limits"
            self.at += 1
        sup: Row | None = None
        sub: Row | None = None
        inner = unbraced(base)
        if isinstance(inner, Scripts) and isinstance(unbraced(inner.base), Accent):
            base, sup, sub = inner.base, inner.sup, inner.sub  # braces around an accent alone mean nothing to TeX
        while (token := self.peek()) is not None and token.text in ("^", "_", "'"):
            if (token.text == "_" and sub is not None) or (token.text != "_" and sup is not None):
                name = {"_": "subscript", "^": "superscript", "'": "prime after a superscript"}[token.text]
                hint = "put the first part in braces: {x_1}_2"
                raise TextRefused(f"a second {name}", position=token.position, hint=hint)
            self.at += 1
            if token.text == "_":
                sub = self.field(token, alphabet)
            elif token.text == "^":
                sup = self.field(token, alphabet)
            else:
                sup = self.primes(alphabet)
        if sup is None and sub is None:
            return base
        return Scripts(base, sup, sub, limits)

    def primes(self, alphabet: str) -> Row:
        items: list[Node] = [_PRIME]
        while (token := self.peek(spaces=True)) is not None and token.text == "'":
            items.append(_PRIME)
            self.at += 1
        if token is not None and token.text == "^":  # only right after a prime does TeX take both
            self.at += 1
            items.append(self.field(token, alphabet))
        return Row(tuple(items))

    # -- arguments ---------------------------------------------------------------------------------------------

    def group(self, opening: Token, alphabet: str) -> Row:
        return Row(self.row("}", alphabet, opening.position)[0])

    def field(self, script: Token, alphabet: str) -> Row:
        """What `^`, `_` or a command applies to: a group, or one plain character or symbol."""
        token = self.take(script.text, script.position)
        if token.text == "{":
            return self.group(token, alphabet)
        entry = symbols().get(token.text[1:]) if token.text[0] == "\\" else None
        single = len(token.text) == 1 and token.text not in "^_'~}"
        if not single and (
            entry is None or entry[0].kind == "op" or token.text in DELIMITERS or token.text[1:] in COMPOSED
        ):
            what, hint = f"{token.text} after {script.text}", f"write {script.text}{{{token.text}...}}"
            raise TextRefused(what, "must stand in braces", position=script.position, hint=hint)
        node = self.atom(self, token, alphabet)
        return node if isinstance(node, Row) else Row((node,))


def _closes(token: Token, closing: str) -> bool:
    return token.text == closing or (closing == r"\right" and token.text == r"\middle")


Atom: TypeAlias = Callable[[Reader, Token, str], Node]
"""Reads the atom that begins with a token already taken, in an alphabet."""
