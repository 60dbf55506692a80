r"""Label texts as they are read aloud: `$\nabla\theta$` is "nabla theta". No TeX is left over."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tikzgen.describe.words import ACCENTS, FORMATS, LETTERS, READ, SILENT, SKIPPED
from tikzgen.text import Tex

__all__ = ["spoken"]

_DEEPEST = 50  # groups and arguments in each other
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
_POWERS = {"2": "squared", "3": "cubed", "T": "transpose", "top": "transpose", "*": "star", "prime": "prime"}
_SUMS = frozenset({"sum", "product", "integral", "union", "intersection", "limit"})
_LIMITS = frozenset({"max", "min", "argmax", "argmin", "sup", "inf", "expectation"})
_TIGHT_BEFORE = re.compile(r"\s+([,.;:!?)\]}…])")
_TIGHT_AFTER = re.compile(r"([(\[{])\s+")


@lru_cache(maxsize=4096, typed=True)
def spoken(text: str) -> str:
    r"""One line of words that stands for a label: maths read aloud, raw TeX without its commands.

    >>> spoken(r"update $\theta_t \leftarrow \theta - \frac{\eta}{2} g^2$")
    'update theta sub t becomes theta minus eta over 2 g squared'
    >>> spoken(Tex(r"\textbf{ps}~$w_{new}$"))
    'ps w sub new'
    """
    read = _Reader(text).all() if isinstance(text, Tex) else _plain(text)
    line = " ".join("".join(char if char.isprintable() else " " for char in read).split())
    return unicodedata.normalize("NFC", line)


def _plain(text: str) -> str:
    r"""A plain text: maths between dollar signs, `\$` a dollar sign, all else as it stands."""
    pieces, at = [], 0
    for found in re.finditer(r"\\\$|\$((?:\\.|[^$\\])*)\$", text, re.DOTALL):
        pieces.append(text[at : found.start()])
        pieces.append("$" if found[1] is None else _Reader(found[1], maths=True).all())
        at = found.end()
    return "".join([*pieces, text[at:]])


class _Reader:
    """Goes through TeX source once; what it does not know it leaves out in text and calls by its name in maths."""

    def __init__(self, source: str, *, maths: bool = False) -> None:
        self.tokens = _TOKEN.findall(source)
        self.at = 0
        self.maths = maths
        self.depth = 0

    def all(self) -> str:
        return _tidied(self.row("")) if self.maths else self.row("")

    def row(self, end: str) -> str:
        """What stands up to `end`, which is passed; nothing where it is nested too deeply to be followed."""
        found: list[str] = []
        self.depth += 1
        while self.at < len(self.tokens) and self.depth <= _DEEPEST:
            token = self.tokens[self.at]
            self.at += 1
            if token == end:
                break
            found.append(self.scripted(token, found) if self.maths else self.texted(token))
        self.depth -= 1
        return "".join(found)

    def texted(self, token: str) -> str:
        """A token outside maths."""
        if token in ("$", r"\("):
            return self.formula("$" if token == "$" else r"\)")
        if token == "{":
            return self.row("}")
        if not token.startswith("\\"):
            return {"~": " ", "&": " "}.get(token, token)
        name = token[1:].rstrip("*")
        if name == "\\":
            self.option()
            return " "
        if name == "ensuremath":
            self.argument(skip=True)
            return self.formula("")
        if name in ACCENTS:
            base = self.argument()
            return base[:1] + ACCENTS[name] + base[1:]
        if name in LETTERS:
            self.blank()
            return LETTERS[name]
        for _ in range(SKIPPED.get(name, 0)):
            self.argument()
        if name[:1].isalpha():
            self.blank()
            return " " if name in SILENT else ""
        return name if name in "$&%#_{}-" else " "

    def formula(self, end: str) -> str:
        """Maths up to its end; of one argument where there is no end."""
        outside, self.maths = self.maths, True
        found = self.row(end) if end else self.argument()
        self.maths = outside
        return _tidied(found)

    def scripted(self, token: str, before: list[str]) -> str:
        """A token in maths; `before` is what was read of its row."""
        if token in "_^" and len(token) == 1:
            return self.script(token, before)
        if token == "'":
            return " prime "
        if token == "{":
            return self.row("}")
        if token.startswith("\\"):
            return self.command(token[1:].rstrip("*"))
        return "" if token.isspace() else READ.get(token, token)

    def script(self, sign: str, before: list[str]) -> str:
        base = "".join(before).split()
        what = " ".join(self.argument().split())
        last = base[-1] if base else ""
        if not last:
            return f" {what} "
        if sign == "_":
            word = (
                "from" if "equals" in what.split() and last in _SUMS else "over" if last in _SUMS | _LIMITS else "sub"
            )
            return f" {word} {what} "
        if any(word in _SUMS for word in base[-8:]) and ("from" in base or last in _SUMS):
            return f" to {what} "
        return f" {_POWERS[what]} " if what in _POWERS else f" to the {what} "

    def command(self, name: str) -> str:
        if name in ("frac", "dfrac", "tfrac"):
            over, under = self.argument(), self.argument()
            return f" {over} over {under} "
        if name == "binom":
            over, under = self.argument(), self.argument()
            return f" {over} choose {under} "
        if name == "sqrt":
            index = self.option()
            return f" {index} root of {self.argument()} " if index else f" square root of {self.argument()} "
        if name in FORMATS:
            outside, self.maths = self.maths, not name.startswith(("text", "mbox"))
            found = self.argument()
            self.maths = outside
            return f"{found}{FORMATS[name]}" if self.maths and not name.startswith(("text", "mbox")) else f" {found} "
        if name in ("overset", "underset", "stackrel"):
            small, base = self.argument(), self.argument()
            return f" {base} with {small} "
        for _ in range(SKIPPED.get(name, 0)):
            self.argument()
        if name in SILENT:
            return " "
        return READ.get(f"\\{name}", f" {name} " if name.isalpha() else " " if name in ",;:!> " else name)

    def argument(self, *, skip: bool = False) -> str:
        """The next token or group; with `skip` only blanks are passed."""
        self.blank()
        if skip or self.at >= len(self.tokens):
            return ""
        token = self.tokens[self.at]
        self.at += 1
        if token == "{":
            return self.row("}")
        self.depth += 1
        found = "" if self.depth > _DEEPEST else self.scripted(token, []) if self.maths else self.texted(token)
        self.depth -= 1
        return found

    def option(self) -> str:
        self.blank()
        if self.at < len(self.tokens) and self.tokens[self.at] == "[":
            self.at += 1
            return self.row("]")
        return ""

    def blank(self) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1


def _tidied(maths: str) -> str:
    """One blank between words, none before what closes and after what opens."""
    words = " ".join(maths.split())
    return _TIGHT_AFTER.sub(r"\1", _TIGHT_BEFORE.sub(r"\1", words))
