r"""Conversion of labels to plain Unicode for screen readers: `$\nabla\theta_t$` is `∇θₜ`, without TeX commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from tikzgen.base.patterns import pattern_of
from tikzgen.text import Tex
from tikzgen.text.escape_characters import ASCII, ENSURE, load_character_table

_NESTING_LIMIT = 50  # nested groups and arguments
_TOKEN = pattern_of(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
_COMMAND = pattern_of(r"\\(?:[A-Za-z]+|[^A-Za-z\s])")


def _pair_words(listed: str) -> dict[str, str]:
    """Return a mapping from alternating keys and values."""
    words = listed.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_MARKS = _pair_words("""
    ' 301 ` 300 ^ 302 " 308 ~ 303 = 304 . 307 u 306 v 30c H 30b c 327 d 323 b 331 r 30a k 328 hat 302 widehat 302
    tilde 303 widetilde 303 bar 304 overline 304 vec 20d7 dot 307 ddot 308
""")  # accent commands of text and math -> combining marks, in hexadecimal
_MORE_PAIRS = _pair_words("""
    le ≤ ge ≥ ne ≠ gets ← to → lor ∨ land ∧ lnot ¬ iff ⇔ implies ⇒ dots … cdots … vdots … ldots … cdot · mid | lbrack [
    rbrack ] lbrace { rbrace } prime ′ top ⊤ i ı varepsilon ε vartheta θ varphi φ hbar ħ Vert ‖ | ‖ bmod mod TeX TeX
    LaTeX LaTeX
""")  # missing in the table of characters
_SPACES = pattern_of(r"q?quad|enspace|thinspace|[hv]space|newline|linebreak")
_SILENT_COMMANDS = pattern_of(
    r"left|right|middle|[bB]igg?[lrm]?|(?:display|text|script|scriptscript)style|(?:no)?limits|begin|end|color|"
    r"textcolor|[hv]?phantom"
)
# Commands whose arguments are not words.
_ONE = pattern_of(
    r"(?:text)?color|begin|end|[hv]space|[hv]?phantom|(?:raise|rotate|scale)box|font(?:family|series|shape)"
)
_TWO = pattern_of(r"fontsize|rule")
_FORMATS = pattern_of(r"math\w+|text\w*|boldsymbol|bm|operatorname|mbox|hbox|underline")
_WORDS = ("text", "mbox", "hbox")
_TIGHT_SIGNS = "∂∇∑∏∫"  # without a space before the next character


@lru_cache(maxsize=4096, typed=True)
def label_to_unicode(text: str) -> str:
    r"""Convert a label to one line of Unicode without TeX commands.

    >>> label_to_unicode(r"update $\theta_t \leftarrow \theta - \frac{\eta}{2} g^2$")
    'update θₜ ← θ - η/2 g²'
    >>> label_to_unicode(Tex(r"\textbf{ps}~$w_{new}$"))
    'ps w_new'
    """
    read = _Reader(text).speak_row("") if isinstance(text, Tex) else _convert_plain_text(text)
    line = " ".join("".join(char if char.isprintable() else " " for char in read).split())
    return unicodedata.normalize("NFC", line)


def _convert_plain_text(text: str) -> str:
    r"""Convert a plain label: math between two `$`, `\$` as a `$`, the rest unchanged."""
    pieces, at = [], 0
    for found in re.finditer(r"\\\$|\$((?:\\.|[^$\\])*)\$", text, re.DOTALL):
        pieces.append(text[at : found.start()])
        pieces.append("$" if found[1] is None else _Reader(found[1], maths=True).speak_row(""))
        at = found.end()
    return "".join([*pieces, text[at:]])


@cache
def _characters_of_commands() -> Mapping[str, str]:
    """Return the characters of single commands: the table of characters, inverted."""
    found = {**_MORE_PAIRS, "-": ""}
    for char, source in [*((char, entry.source) for char, entry in load_character_table()[0].items()), *ASCII.items()]:
        bare = source.removeprefix(ENSURE).rstrip("}").removesuffix("{").removeprefix("{}")
        if _COMMAND.fullmatch(bare):
            found.setdefault(bare[1:], char)
    return found


@cache
def _script_characters() -> Mapping[str, Mapping[int, str]]:
    """Return the superscript and subscript characters of Unicode, by `^` and `_`."""
    found: dict[str, dict[int, str]] = {"^": {ord("*"): "*", ord("′"): "′"}, "_": {}}
    for char in map(chr, (0xB2, 0xB3, 0xB9, *range(0x1D2C, 0x1D6B), *range(0x2070, 0x209D), 0x2C7C)):
        kind, _, base = unicodedata.decomposition(char).partition(" ")
        if kind in ("<super>", "<sub>"):
            found["^" if kind == "<super>" else "_"].setdefault(int(base, 16), char)
    for levels in found.values():
        levels[ord("-")] = levels[0x2212]
    return found


class _Reader:
    """Converter of TeX source; it omits unknown commands in text, and spells their names in math."""

    def __init__(self, source: str, *, maths: bool = False) -> None:
        self.tokens = _TOKEN.findall(source)
        self.at = 0
        self.maths = maths
        self.depth = 0

    def speak_row(self, end: str) -> str:
        """Convert the tokens up to `end` and skip `end`; return an empty string if nested too deeply."""
        found: list[str] = []
        self.depth += 1
        while self.at < len(self.tokens) and self.depth <= _NESTING_LIMIT:
            token = self.tokens[self.at]
            self.at += 1
            if token == end:
                break
            found.append(self.speak_token(token))
        self.depth -= 1
        return "".join(found)

    def speak_token(self, token: str) -> str:
        """Convert a token with its arguments to Unicode."""
        if token == "$" or token == r"\(":
            return "" if self.maths else self.run_in_mode(True, lambda: self.speak_row("$" if token == "$" else r"\)"))
        if token == "{":
            return self.speak_row("}")
        if token.startswith("\\") and len(token) > 1:
            return self.command(token[1:].rstrip("*") or "*")
        if token in ("^", "_", "'") and self.maths:
            return "′" if token == "'" else self.speak_script(token)
        return {"~": " ", "&": " "}.get(token, token)

    def speak_script(self, sign: str) -> str:
        """Convert a superscript or subscript, with Unicode's script characters if all exist."""
        what, levels = self.speak_argument().strip(), _script_characters()[sign]
        if all(ord(char) in levels for char in what):
            return what.translate(levels)
        return sign + _in_parentheses(what)

    def command(self, name: str) -> str:
        if name == "\\":
            self.speak_option()
            return " "
        if name == "ensuremath":
            return self.run_in_mode(True, self.speak_argument)
        if name in _MARKS and (len(name) > 1 or not self.maths):
            base = self.speak_argument()
            return base[:1] + chr(int(_MARKS[name], 16)) + base[1:]
        if name in ("frac", "dfrac", "tfrac"):
            return f"{_in_parentheses(self.speak_argument())}/{_in_parentheses(self.speak_argument())}"
        if name == "binom":
            return f"binom({self.speak_argument()}, {self.speak_argument()})"
        if name == "sqrt":
            index = self.speak_option().translate(_script_characters()["^"])
            return f"{index}√{_in_parentheses(self.speak_argument())}"
        if name in ("overset", "underset", "stackrel"):
            small, base = self.speak_argument(), self.speak_argument()
            return f"{base}{'_' if name == 'underset' else '^'}{_in_parentheses(small)}"
        if name in _characters_of_commands():
            sign = _characters_of_commands()[name]
            return sign + (self.skip_blank() if name.isalpha() and (sign in _TIGHT_SIGNS or not self.maths) else "")
        if self.maths and _FORMATS.fullmatch(name):
            return self.run_in_mode(not name.startswith(_WORDS), self.speak_argument)
        for _ in range(2 if _TWO.fullmatch(name) else 1 if _ONE.fullmatch(name) else 0):
            self.speak_argument()
        if not name[:1].isalpha():
            return name if name in "$&%#_{}-" else " "
        if not self.maths:
            self.skip_blank()
        return (
            " "
            if _SPACES.fullmatch(name)
            else f" {name} "
            if self.maths and not _SILENT_COMMANDS.fullmatch(name)
            else ""
        )

    def speak_argument(self) -> str:
        """Convert the next token or group."""
        self.skip_blank()
        if self.at >= len(self.tokens):
            return ""
        token = self.tokens[self.at]
        self.at += 1
        self.depth += 1
        found = "" if self.depth > _NESTING_LIMIT else self.speak_token(token)
        self.depth -= 1
        return found

    def run_in_mode(self, maths: bool, read: Callable[[], str]) -> str:
        """Call `read` in math or text mode and return its result."""
        outside, self.maths = self.maths, maths
        found = read()
        self.maths = outside
        return found

    def speak_option(self) -> str:
        self.skip_blank()
        if self.at < len(self.tokens) and self.tokens[self.at] == "[":
            self.at += 1
            return self.speak_row("]")
        return ""

    def skip_blank(self) -> str:
        """Skip whitespace."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return ""


def _in_parentheses(text: str) -> str:
    """Add parentheses to a sum or several words."""
    bare = text.strip()
    return f"({bare})" if re.search(r"[\s+\-=≤≥/·]", bare) and not bare.startswith("(") else bare
