r"""Read the maths between two dollar signs, so that a plain text can never give broken or dangerous TeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from tikzgen.text.maths.commands import (
    ACCENTS,
    ALPHABETS,
    BIGS,
    CHARS,
    COMPOSED,
    DELIMITERS,
    OPERATORS,
    RULES,
    SPACES,
    STACKS,
    STRUCTURES,
    STYLES,
    TALL,
    TEXTS,
    package_of,
    symbols,
)
from tikzgen.text.maths.tokens import Token, glue, tokenise
from tikzgen.text.maths.tree import (
    Accent,
    Big,
    Fence,
    Fraction,
    Glyph,
    Kind,
    Node,
    Radical,
    Row,
    Rule,
    Scripts,
    Stack,
    Strut,
    Style,
    Words,
)
from tikzgen.text.refusal import TextRefused

__all__ = ["Formula", "parse"]

_DEEPEST = 20  # nested groups; nobody reads more, and Python's stack has an end
_BOLDER = {"letters": "bold letters", "operators": "mathbf", "symbols": "bold symbols"}
_BOLD = {"boldsymbol": _BOLDER, "bm": _BOLDER}
_PRIME = Glyph("symbols", 0x30)
_UNKNOWN = Glyph("operators", 0x4D)  # stands for a paper's own command: as wide as an M


@dataclass(frozen=True, slots=True)
class Formula:
    """Valid maths: its TeX source without the dollar signs, the packages it needs, and its parts."""

    source: str
    packages: frozenset[str]
    row: Row


@lru_cache(maxsize=4096)
def parse(maths: str, start: int = 0, *, trusted: bool = False) -> Formula:
    """Parse `maths`, which begins at character `start` of its text; raises `TextRefused` with the place.

    Trusted maths comes from a raw `Tex`: commands that the table does not have are let through.
    """
    tokens = tokenise(maths, start, trusted=trusted)
    reader = _Reader(tokens, start + len(maths), trusted)
    items, _ = reader.row("")
    return Formula(glue(tokens), frozenset(reader.packages), Row(items))


class _Reader:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, tokens: list[Token], end: int, trusted: bool) -> None:
        self.tokens = tokens
        self.at = 0
        self.end = end
        self.trusted = trusted
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
                raise TextRefused(f"{token.text}", f"without its {partner}", position=token.position, hint="remove it")
            items.append(self.part(alphabet))
        if token is None and closing:
            opener = {"}": "{", "]": "["}.get(closing, r"\left")
            raise TextRefused(f"{opener}", "is never closed", position=opened, hint=f"write {closing}")
        self.at += 1
        self.depth -= 1
        return tuple(items), token

    def part(self, alphabet: str) -> Node:
        """One atom with its scripts."""
        token = self.tokens[self.at]
        if token.text in ("^", "_", "'"):
            base: Node = Row(())
        elif token.text in (r"\limits", r"\nolimits"):
            raise TextRefused(f"{token.text}", "must follow an operator such as \\sum", position=token.position)
        else:
            self.at += 1
            base = self.atom(token, alphabet)
        return self.scripts(base, alphabet)

    def scripts(self, base: Node, alphabet: str) -> Node:
        limits: bool | None = None
        while (token := self.peek()) is not None and token.text in (r"\limits", r"\nolimits"):
            if not (isinstance(base, (Glyph, Row)) and base.kind == "op"):
                raise TextRefused(f"{token.text}", "must follow an operator such as \\sum", position=token.position)
            limits = token.text == r"\limits"
            self.at += 1
        sup: Row | None = None
        sub: Row | None = None
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
        if not single and (entry is None or token.text in DELIMITERS or token.text[1:] in COMPOSED):
            what, hint = f"{token.text} after {script.text}", f"write {script.text}{{{token.text}...}}"
            raise TextRefused(what, "must stand in braces", position=script.position, hint=hint)
        node = self.atom(token, alphabet)
        return node if isinstance(node, Row) else Row((node,))

    # -- atoms -------------------------------------------------------------------------------------------------

    def atom(self, token: Token, alphabet: str) -> Node:
        """A character, a group, or a command with its arguments."""
        text = token.text
        if text == "{":
            return self.group(token, alphabet)
        if token.words is not None:
            return self.words(token)
        if text in SPACES:
            return SPACES[text]
        if text in CHARS:
            return _styled(CHARS[text], alphabet if alphabet in _BOLD else "")
        if len(text) == 1:
            return self.letter(token, alphabet)
        return self.command(token, text[1:], alphabet)

    def words(self, token: Token) -> Node:
        name = token.text[1:]
        if name == "mbox":
            return Words(token.words or "", shrinks=False)
        self.packages.add("amsmath")
        return Words(token.words or "", style=TEXTS[name])

    def letter(self, token: Token, alphabet: str) -> Glyph:
        if alphabet and (covers := ALPHABETS[alphabet].covers) and token.text not in covers:
            have = "capital letters only" if covers.isupper() else "letters and digits only"
            raise TextRefused(
                f"\\{alphabet} has no {token.text}",
                f": it has {have}",
                position=token.position,
                hint=f"end \\{alphabet}{{...}} before it",
            )
        usual = "operators" if token.text.isdigit() else "letters"
        return _styled(Glyph(usual, ord(token.text)), alphabet)

    def command(self, token: Token, name: str, alphabet: str) -> Node:
        package = package_of(name)
        if package is None:
            if self.trusted:
                return _UNKNOWN
            raise TextRefused(f"unknown maths command {token.text}", position=token.position, hint=_suggest(name))
        if package:
            self.packages.add(package)
        if name in COMPOSED:
            kind, expansion = COMPOSED[name]
            items = parse(expansion, trusted=True).row.items
            return Row((*items, Strut(TALL[name])) if name in TALL else items, kind, limits=kind == "op")
        if name in symbols():
            return self.symbol(token, alphabet)
        if name in OPERATORS:
            return Row(tuple(Glyph("operators", ord(char)) for char in name), "op", OPERATORS[name])
        if name in ALPHABETS:
            return Row(self.field(token, name).items)
        if name in ACCENTS:
            if alphabet and ALPHABETS[alphabet].covers:
                hint = f"write {token.text}{{\\{alphabet}{{...}}}}"
                raise TextRefused(f"\\{alphabet} has no {token.text}", position=token.position, hint=hint)
            return Accent(Glyph(*ACCENTS[name]), self.field(token, alphabet))
        if name in RULES:
            return Rule(self.field(token, alphabet), RULES[name])
        if name in STYLES:
            return Style(STYLES[name])
        if name in STACKS:
            return self.stack(token, name, alphabet)
        if name in STRUCTURES:
            return self.structure(token, name, alphabet)
        return self.big(token, name)

    def symbol(self, token: Token, alphabet: str) -> Glyph:
        glyph, _, varies = symbols()[token.text[1:]]
        if not varies or not alphabet:
            return _styled(glyph, alphabet if alphabet in _BOLD else "")
        if ALPHABETS[alphabet].covers:
            what, hint = f"\\{alphabet} has no {token.text}", f"end \\{alphabet}{{...}} before it"
            raise TextRefused(what, position=token.position, hint=hint)
        return _styled(glyph, alphabet)

    def stack(self, token: Token, name: str, alphabet: str) -> Stack:
        small, base = self.field(token, alphabet), self.field(token, alphabet)
        kind: Kind = "rel"
        if name != "stackrel" and len(base.items) == 1:
            kind = getattr(base.items[0], "kind", "ord")
        return Stack(base, under=small, kind=kind) if name == "underset" else Stack(base, over=small, kind=kind)

    def structure(self, token: Token, name: str, alphabet: str) -> Node:
        if name == "sqrt":
            index: Row | None = None
            following = self.peek()
            if following is not None and following.text == "[":
                self.at += 1
                index = Row(self.row("]", alphabet, following.position)[0])
            return Radical(self.field(token, alphabet), index)
        if name == "left":
            return self.fence(token, alphabet)
        if name == "operatorname":
            starred = self.peek()
            if starred is not None and starred.text == "*":
                self.at += 1
            return Row(self.field(token, "mathrm").items, "op", limits=starred is not None and starred.text == "*")
        over, under = self.field(token, alphabet), self.field(token, alphabet)
        if name == "binom":
            return Fraction(over, under, bar=False, fences=("(", ")"))
        return Fraction(over, under, {"dfrac": "display", "tfrac": "text"}.get(name))  # type: ignore[arg-type]

    def delimiter(self, token: Token) -> str:
        """The delimiter after `\\left` and its like; "" for the empty one, written as a full stop."""
        found = self.take(token.text, token.position)
        if found.text == "." and token.text in (r"\left", r"\right"):
            return ""
        if found.text not in DELIMITERS:
            what, hint = f"{found.text} after {token.text}", r"use ( ) [ ] | \{ \} \langle \rangle or a full stop"
            raise TextRefused(what, "is no bracket", position=token.position, hint=hint)
        return found.text

    def fence(self, token: Token, alphabet: str) -> Fence:
        delimiters, bodies = [self.delimiter(token)], []
        closing: Token | None = None
        while closing is None or closing.text == r"\middle":
            items, closing = self.row(r"\right", alphabet, token.position)
            bodies.append(Row(items))
            delimiters.append(self.delimiter(closing or token))
        return Fence(tuple(delimiters), tuple(bodies))

    def big(self, token: Token, name: str) -> Big:
        kinds: dict[str, Kind] = {"l": "open", "r": "close", "m": "rel"}
        stem, kind = (name, "ord") if name in BIGS else (name[:-1], kinds[name[-1]])
        return Big(self.delimiter(token), BIGS[stem], kind)  # type: ignore[arg-type]


def _styled(glyph: Glyph, alphabet: str) -> Glyph:
    """A character in another alphabet; the bold ones keep what is italic italic."""
    return replace(
        glyph, font=_BOLD[alphabet].get(glyph.font, glyph.font) if alphabet in _BOLD else alphabet or glyph.font
    )


def _closes(token: Token, closing: str) -> bool:
    return token.text == closing or (closing == r"\right" and token.text == r"\middle")


def _suggest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, _names(), n=1, cutoff=0.6)
    asked = f"did you mean \\{near[0]}? " if near else ""
    return asked + "a command of your paper goes in !tex"


def _names() -> Iterable[str]:
    tables = (symbols(), COMPOSED, OPERATORS, ALPHABETS, ACCENTS, RULES, STYLES, STACKS, STRUCTURES, BIGS, TEXTS)
    return [name for table in tables for name in table]
