r"""Letters that the fonts lack which pdfLaTeX takes by default (OT1): ą, đ, þ, €, £.

Latin Modern has them, drawn as Computer Modern is, and is on every machine with XeLaTeX or LuaLaTeX. A figure that
shows one says inside its own group where pdfLaTeX finds it, by way of LaTeX's default for the command (`?\k`): an
encoding that has the letter, such as a paper's T1, is never asked to borrow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tikzgen.base.record import Record

__all__ = ["LOANS", "Loan", "borrowed"]


class Loan(Record):
    """A command that is set in `encoding`; `home` is the encoding whose own form is no good, `?` for none at all.

    An accent takes the letter that it is put on (`takes`).
    """

    name: str
    encoding: str
    home: str = "?"
    takes: bool = False


_LETTERS = "dj DJ dh DH th TH ng NG"
_SIGNS = "texteuro textcent textcurrency textbrokenbar textperthousand textnumero"

LOANS: Mapping[str, Loan] = {
    "k": Loan("k", "T1", takes=True),
    **{name: Loan(name, "T1") for name in _LETTERS.split()},
    **{name: Loan(name, "TS1") for name in _SIGNS.split()},
    "textsterling": Loan("textsterling", "TS1", home="OT1"),  # OT1 makes it of an italic dollar, which sans has not
}
"""What may be borrowed, by its command."""

_COMMANDS = re.compile(rf"\\({'|'.join(LOANS)})(?![A-Za-z])")


def borrowed(source: str) -> tuple[str, ...]:
    r"""The commands in some TeX that may have to be borrowed.

    >>> borrowed(r"\k{a}b\dj{}"), borrowed(r"\kern1pt \'{e}")
    (('k', 'dj'), ())
    """
    return tuple(dict.fromkeys(_COMMANDS.findall(source))) if "\\" in source else ()
