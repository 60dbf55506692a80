"""What one `tikzgen check` has found in many files, and how that is told: as text, as JSON, as annotations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tikzgen.base.errors import ExitStatus, TikzgenError
from tikzgen.lint.findings import Finding
from tikzgen.lint.registry import Rule

__all__ = ["Report", "rules_table"]


@dataclass(slots=True)
class Report:
    """What came out: files that were looked at, their findings, and what could not be read.

    `mended` counts what was mended, or would be where a `diff` is shown.
    """

    looked_at: int = 0
    findings: list[Finding] = field(default_factory=list)
    mended: int = 0
    diff: bool = False
    errors: list[TikzgenError] = field(default_factory=list)

    @property
    def exit_status(self) -> ExitStatus:
        """3 where LaTeX failed, 2 where a file could not be read or written, 1 where a rule is broken, else 0."""
        if self.errors:
            return max(ExitStatus.USAGE, *(error.exit_status for error in self.errors))
        return ExitStatus.FINDINGS if self.findings else ExitStatus.OK

    def __str__(self) -> str:
        unread = f", {_many(len(self.errors), 'file')} unreadable" if self.errors else ""
        found = _many(len(self.findings), "finding") if self.findings else "no findings"
        mended = f", {self.mended} {'of them would be ' * self.diff}mended" if self.mended else ""
        return f"{_many(self.looked_at, 'file')} checked: {found}{mended}{unread}"

    def lines(self, format_: str) -> Iterator[str]:
        """The findings for stdout: a line each, as `text` or for `github`; or all facts as one `json`."""
        if format_ == "json":
            yield json.dumps(self._as_json(), ensure_ascii=False, indent=2)
        elif not self.diff:
            yield from (str(finding) if format_ == "text" else _annotation(finding) for finding in self.findings)

    def _as_json(self) -> dict[str, object]:
        return {
            "findings": [finding.as_json() for finding in self.findings],
            "errors": [fact for error in self.errors for fact in _error(error)],
            "checked": self.looked_at,
            "mended": self.mended,
        }


def _error(error: TikzgenError) -> list[dict[str, object]]:
    facts = [problem.as_json() for problem in error.told()]
    for fact in facts:
        if path := fact.pop("path"):
            fact["message"] = f"{path}: {fact['message']}"
    return facts


def _annotation(finding: Finding) -> str:
    """A workflow command that GitHub shows beside the line of the file."""
    place = finding.place
    where = {"file": place.file, "line": place.line, "col": place.column, "title": f"{finding.code} {finding.name}"}
    properties = ",".join(f"{key}={_escaped(str(value), ',:')}" for key, value in where.items() if value is not None)
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"::{finding.severity} {properties}::{_escaped(finding.message + hint)}"


def _escaped(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def rules_table(rules: Sequence[Rule], format_: str) -> Iterator[str]:
    """Rules for people in columns, for programs as JSON."""
    if format_ == "json":
        yield json.dumps([rule.as_json() for rule in rules], ensure_ascii=False, indent=2)
        return
    rows = [
        (rule.code, rule.name, rule.severity.value, rule.summary + f"; --fix {rule.fixes}" * bool(rule.fixes))
        for rule in rules
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
