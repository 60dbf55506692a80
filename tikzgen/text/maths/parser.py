"""Parser for the math between two `$`: a plain label cannot produce invalid or unsafe TeX."""

from __future__ import annotations

from functools import cache, lru_cache

from tikzgen.base.record import Record, replace
from tikzgen.base.suggest import find_similar_name
from tikzgen.text.escape_characters import TextRefused
from tikzgen.text.maths.formula_parts import (
    Accent,
    Big,
    Bold,
    DotsPart,
    Fence,
    FormulaPart,
    Fraction,
    Glyph,
    Hidden,
    Kind,
    Radical,
    RowPart,
    RulePart,
    Space,
    StackPart,
    StyleChange,
    WordsPart,
)
from tikzgen.text.maths.maths_commands import (
    ACCENTS,
    ALPHABETS,
    BIGS,
    CHARS,
    COMPOSED_COMMANDS,
    DELIMITERS,
    OPERATORS,
    PHANTOMS,
    RULES,
    SPACES,
    STACKS,
    STRUCTURES,
    STYLES,
    TEXTS,
    command_names,
    load_symbols,
    package_of,
)
from tikzgen.text.maths.maths_tokens import (
    FormulaReader,
    MathsToken,
    join_tokens,
    tokenise_maths,
    with_displayed_fractions,
)

_BOLDER = {"letters": "bold letters", "operators": "mathbf", "symbols": "bold symbols"}
_DOTS = COMPOSED_COMMANDS["cdots"]
_BEFORE_ROOM = r") ] \} , ; . \right \rbrace \rangle \rceil \rfloor \bigr \Bigr \biggr \Biggr"
_UNKNOWN_COMMAND = RowPart((Glyph("operators", 0x4D),), like="always")  # for a command of the paper: the width of an M


def read_atom(reader: FormulaReader, token: MathsToken, alphabet: str) -> FormulaPart:
    """Read a character, a group, or a command with its arguments."""
    text = token.text
    if text == "{":
        return reader.group(token, alphabet)
    if token.words is not None:
        reader.packages |= token.packages
        return _make_words(reader, token)
    if text in SPACES:
        return SPACES[text]
    if text in CHARS:
        return _with_alphabet(CHARS[text], alphabet if alphabet == "bm" else "")
    if len(text) == 1:
        return _read_letter(reader, token, alphabet)
    return _command(reader, token, text[1:], alphabet)


def _make_words(reader: FormulaReader, token: MathsToken) -> FormulaPart:
    name = token.text[1:]
    if name == "mbox":
        return WordsPart(token.words or "", shrinks=False)
    reader.packages.add("amsmath")
    return WordsPart(token.words or "", style=TEXTS[name])


def _read_letter(reader: FormulaReader, token: MathsToken, alphabet: str) -> Glyph:
    if alphabet and (covers := ALPHABETS[alphabet].covers) and token.text not in covers:
        raise _refuse_character(token, alphabet)
    usual = "operators" if token.text.isdigit() else "letters"
    return _with_alphabet(Glyph(usual, ord(token.text)), alphabet)


def _command(reader: FormulaReader, token: MathsToken, name: str, alphabet: str) -> FormulaPart:
    package = package_of(name)
    if package is None:
        if reader.trusted and name in PHANTOMS:
            return Hidden(reader.read_field(token, ""), *PHANTOMS[name])  # as a separate formula
        if reader.trusted:
            return _UNKNOWN_COMMAND
        raise TextRefused(f"unknown math command {token.text}", position=token.position, hint=_suggest(name))
    if package:
        reader.packages.add(package)
    if name in COMPOSED_COMMANDS:
        following = reader.peek_token()
        ends = following is None or following.text in _BEFORE_ROOM.split()
        return _with_room(_compose_command(name)) if ends else _compose_command(name)
    if name in load_symbols():
        return _read_symbol(reader, token, alphabet)
    if name in OPERATORS:
        return RowPart(tuple(Glyph("operators", ord(char)) for char in name), "op", OPERATORS[name])
    if name in STRUCTURES:
        return _read_structure(reader, token, name, alphabet)
    if name == "boldsymbol":
        items = reader.read_field(token, "").items
        return Bold(RowPart((*items[:-1], *map(_with_room, items[-1:]))))
    if name == "bm":
        items, following = reader.read_field(token, name).items, reader.peek_token()
        return _each_bold(items, scripted=following is not None and following.text in ("^", "_", "'"))
    if name in ALPHABETS:
        return RowPart(reader.read_field(token, name).items)
    if name in ACCENTS:
        if alphabet and ALPHABETS[alphabet].covers:
            raise _refuse_character(token, alphabet)
        return _make_accent(ACCENTS[name], reader.read_field(token, alphabet), alphabet)
    if name in RULES:
        return RulePart(reader.read_field(token, alphabet), RULES[name])
    if name in STYLES:
        return StyleChange(STYLES[name])
    if name in STACKS:
        return _read_stack(reader, token, name, alphabet)
    return _read_big_delimiter(reader, token, name)


def _make_accent(mark: tuple[str, int], body: RowPart, alphabet: str) -> FormulaPart:
    r"""Return an accent; its mark comes from the current alphabet.

    With amsmath, this also applies to `\vec`, whose mark is then another character.
    """
    font, code = mark
    varies = font == "operators" and alphabet not in ("", "bm", "mathnormal")
    accent = Accent(Glyph(alphabet if varies else font, code), body)
    if alphabet == "mathnormal":
        return RowPart((accent,), like="always")
    return RowPart((accent,), like="amsmath") if font == "letters" and alphabet else accent


@cache
def _compose_command(name: str) -> RowPart | Glyph | DotsPart:
    found = COMPOSED_COMMANDS[name]
    if not isinstance(found, tuple):
        return found
    kind, expansion = found
    items, _ = FormulaReader(tokenise_maths(expansion), read_atom, trusted=True).read_row("")
    return RowPart(items, kind, limits=kind == "op", like="always")


def _each_bold(items: tuple[FormulaPart, ...], *, scripted: bool) -> FormulaPart:
    r"""Return the result of `\bm`: one bold character with its kind, or a row whose size may be approximate."""
    glyphs = [each for each in items if isinstance(each, Glyph) and each.font in _BOLDER.values()]
    if len(glyphs) == len(items) == 1:
        return glyphs[0]
    known = not scripted and len(glyphs) == len(items) and all(each.kind == "ord" for each in glyphs)
    return RowPart(items, like="" if known else "always")


def _with_room(node: FormulaPart) -> FormulaPart:
    r"""Add the space of amsmath after `\cdots` before a closing bracket, punctuation or the end of a formula."""
    return RowPart((node, Space(3, amsmath=True)), "inner") if node is _DOTS else node


def _read_symbol(reader: FormulaReader, token: MathsToken, alphabet: str) -> Glyph:
    glyph, _, varies = load_symbols()[token.text[1:]]
    if not varies or not alphabet:
        return _with_alphabet(glyph, alphabet if alphabet == "bm" else "")
    if ALPHABETS[alphabet].covers:
        raise _refuse_character(token, alphabet)
    return _with_alphabet(glyph, alphabet)


def _read_stack(reader: FormulaReader, token: MathsToken, name: str, alphabet: str) -> StackPart:
    small, base = reader.read_field(token, alphabet), reader.read_field(token, alphabet)
    kind: Kind | None = "rel" if name == "stackrel" else None
    return StackPart(base, under=small, kind=kind) if name == "underset" else StackPart(base, over=small, kind=kind)


def _read_structure(reader: FormulaReader, token: MathsToken, name: str, alphabet: str) -> FormulaPart:
    if name == "sqrt":
        index: RowPart | None = None
        following = reader.peek_token()
        if following is not None and following.text == "[":
            reader.at += 1
            index = RowPart(reader.read_row("]", alphabet, following.position)[0])
        return Radical(reader.read_field(token, alphabet), index)
    if name == "left":
        return _read_fence(reader, token, alphabet)
    if name == "operatorname":
        following = reader.peek_token()
        starred = following is not None and following.text == "*"
        reader.at += starred
        return RowPart(reader.read_field(token, "operatorname").items, "op", limits=starred)
    over, under = reader.read_field(token, alphabet), reader.read_field(token, alphabet)
    if name == "binom":
        return Fraction(over, under, bar=False, fences=("(", ")"))
    return Fraction(over, under, {"dfrac": "display", "tfrac": "text"}.get(name))  # type: ignore[arg-type]


def _read_delimiter(reader: FormulaReader, token: MathsToken) -> str:
    r"""Read the delimiter after `\\left` or a similar command; return "" for the empty one, a period."""
    found = reader.take(token.text, token.position)
    if found.text == "." and token.text in (r"\left", r"\right"):
        return ""
    if found.text not in DELIMITERS:
        what, hint = f"{found.text} after {token.text}", r"use ( ) [ ] | \{ \} \langle \rangle or a full stop"
        raise TextRefused(what, "is not a bracket", position=token.position, hint=hint)
    return found.text


def _read_fence(reader: FormulaReader, token: MathsToken, alphabet: str) -> Fence:
    delimiters, bodies = [_read_delimiter(reader, token)], []
    closing: MathsToken | None = None
    while closing is None or closing.text == r"\middle":
        items, closing = reader.read_row(r"\right", alphabet, token.position)
        bodies.append(RowPart(items))
        delimiters.append(_read_delimiter(reader, closing or token))
    return Fence(tuple(delimiters), tuple(bodies))


def _read_big_delimiter(reader: FormulaReader, token: MathsToken, name: str) -> Big:
    kinds: dict[str, Kind] = {"l": "open", "r": "close", "m": "rel"}
    stem, kind = (name, "ord") if name in BIGS else (name[:-1], kinds[name[-1]])
    return Big(_read_delimiter(reader, token), BIGS[stem], kind)  # type: ignore[arg-type]


def _with_alphabet(glyph: Glyph, alphabet: str) -> Glyph:
    """Return a character in another alphabet; the bold alphabet keeps italic characters italic."""
    font = _BOLDER.get(glyph.font) if alphabet == "bm" else alphabet
    return replace(glyph, font=font or glyph.font)


def _refuse_character(token: MathsToken, alphabet: str) -> TextRefused:
    have = "capital letters only" if ALPHABETS[alphabet].covers.isupper() else "letters and digits only"
    what, hint = f"\\{alphabet} has no {token.text}", f"end \\{alphabet}{{...}} before it"
    return TextRefused(what, f": it has {have}", position=token.position, hint=hint)


def _suggest(name: str) -> str:
    near = find_similar_name(name, command_names(), cutoff=0.7)
    asked = f"did you mean \\{near}? " if near else ""
    return asked + "a command of your paper goes in !tex"


class Formula(Record):
    """Valid math: its TeX source without the `$`, its packages, and its parts."""

    source: str
    packages: frozenset[str]
    row: RowPart


@lru_cache(maxsize=4096)
def parse(maths: str, start: int = 0, *, trusted: bool = False) -> Formula:
    """Parse `maths`, which begins at character `start` of its label.

    Raise `TextRefused` with the position. Trusted math comes from a raw `Tex`: unknown commands are accepted.
    """
    tokens = tokenise_maths(maths, start, trusted=trusted)
    reader = FormulaReader(tokens, read_atom, trusted=trusted)
    items, _ = reader.read_row("")
    source = join_tokens(tokens if trusted else with_displayed_fractions(tokens))
    return Formula(source, frozenset(reader.packages), RowPart(items))
