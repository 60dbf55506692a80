"""A copy of a figure without its comments: same page, nothing private in it."""

from __future__ import annotations

import re

from tikzgen.texfile.tokens import tokenize

__all__ = ["stripped"]

# Inside these arguments a percent sign is a character.
_ADDRESS = re.compile(r"\\(?:url|nolinkurl|path|href)[ \t]*\{[^}\n]*$")


def stripped(text: str) -> str:
    r"""The text without comments, without lines that are nothing else, and without what follows `\end{document}`.

    A percent sign that keeps a line's end from becoming a blank stays. Verbatim text and addresses stay as they are.
    """
    tokens, _ = tokenize(text)
    kept: list[str] = []  # what stands in the lines so far
    for kind, start, end in tokens:
        if kind == "after":
            kept.append("\n")
        elif kind != "comment":
            kept.append(text[start:end])
        else:
            line = text[text.rfind("\n", 0, start) + 1 : start]
            kept.append(text[start:end] if _ADDRESS.search(line) else _MARK if line.strip() else _ALONE)
    return _ONLY.sub("", "".join(kept)).replace(_MARK, "%")


# Stand-ins that no source holds: files with control characters are refused.
_MARK, _ALONE = "\x00", "\x01"
_ONLY = re.compile(f"[ \t]*{_ALONE}(?:\r?\n|$)")
