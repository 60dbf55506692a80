"""Files for tests that read them line by line: one statement a line."""

from __future__ import annotations

__all__ = ["unfold"]


def unfold(tex: str) -> str:
    r"""Join the lines of folded statements: those that are indented by two, and begin with no `\`, `%` or bracket."""
    lines: list[str] = []
    indent = 0
    for line in tex.split("\n"):
        rest = line.lstrip()
        deep = len(line) - len(rest)
        if lines and lines[-1][-1:] in {*",;)]}["} and deep == indent + 2 and rest[:1] not in {*"\\%]}"}:
            lines[-1] += ("" if lines[-1].endswith("[") else " ") + rest
        else:
            lines.append(line)
            indent = deep
    return "\n".join(lines)
