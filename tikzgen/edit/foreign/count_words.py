"""Texts as a parameter holds them."""

from __future__ import annotations

import re

from tikzgen.edit.outcome import EditRefused
from tikzgen.texfile import Facts
from tikzgen.text import Tex, TextRefused, typeset

__all__ = ["NUMBERS", "as_tex"]

_COUNTED = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBERS = f"zero {_COUNTED} seventeen eighteen nineteen twenty".split()
_CJK = {"ctex", "xeCJK", "CJKutf8", "luatexja", "luatexja-fontspec"}
_T1 = {"fontenc", "fontspec", "ctex", "xeCJK", "luatexja-fontspec"}
_MATHS = re.compile(r"\$[^$]*\$")


def as_tex(value: str, facts: Facts) -> str:
    """The TeX of a text: plain text is escaped, with a backslash outside maths it is TeX and is checked.

    `EditRefused` for what cannot be set, or needs a package that the file does not load.
    """
    raw = "\\" in _MATHS.sub("", value)
    try:
        found = typeset(Tex(value) if raw else value)
    except TextRefused as refused:
        raise EditRefused("text", str(refused)) from None
    missing = [name for name in found.packages if name not in facts.packages]
    if found.cjk and _CJK.isdisjoint(facts.packages):
        missing.append("xeCJK or CJKutf8")
    lent = all(f"\\string\\{name}\\endcsname" in facts.text for name in found.borrowed)
    if not lent and _T1.isdisjoint(facts.packages):
        missing.append("fontenc with T1")
    if missing:
        raise EditRefused(
            "needs-package", f"this text needs {', '.join(missing)}, which the file does not load", nearest="load it"
        )
    return found.source
