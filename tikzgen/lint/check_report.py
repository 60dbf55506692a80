"""What `tikzgen check` looks at, and what came out: findings, what could not be read, what was mended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tikzgen.base.errors import ExitStatus, FileRefused, Place, Problem, TikzgenError, refusal
from tikzgen.base.plain_words import count_of, in_columns
from tikzgen.base.record import replace
from tikzgen.base.version_and_cache_folder import VERSION
from tikzgen.lint.chosen_rules import ChosenRules
from tikzgen.lint.registry import Finding
from tikzgen.lint.rule_table import all_rules
from tikzgen.spec.files_beside.pytorch_schedule_csv import looks_like_actions
from tikzgen.spec.source import begins, looks_like_spec, may_be_spec, stands_alone


def files_of(paths: Iterable[str], *, only_figures: bool) -> tuple[list[str], list[FileRefused]]:
    """The files to look at, folders standing for the specs, lists and figures in them; each once, in order.

    With them, an error for each folder that holds none or cannot be read. With `only_figures`, files that a folder
    would not stand for are passed over.
    """
    found: list[str] = []
    errors: list[FileRefused] = []
    for path in paths:
        if path == "-" or not Path(path).is_dir():
            if not only_figures or path == "-" or _is_figure(Path(path)):
                found.append(path)
            continue
        try:
            found += _inside(Path(path))
        except FileRefused as refused:
            errors.append(refused)
    return list(dict.fromkeys(found)), errors


def _inside(folder: Path) -> list[str]:
    """The specs in a folder, the CSV files that hold actions, and the figures that stand alone, by name."""
    try:
        found = sorted(file for file in folder.iterdir() if file.is_file() and _is_figure(file))
    except OSError as error:
        raise FileRefused(f"{folder}: {refusal(error)}") from None
    if not found:
        raise FileRefused(f"{folder}: no specs, lists or figures here")
    return [str(file) for file in found]


def _is_figure(file: Path) -> bool:
    """Whether a file is a spec, a CSV file that holds actions, or a figure that stands alone."""
    if file.suffix == ".csv":
        return begins(file, looks_like_actions)
    return stands_alone(file) if file.suffix == ".tex" else may_be_spec(file) and looks_like_spec(file)


@dataclass
class CheckReport:
    """What came out: files that were looked at, their findings, and what could not be read.

    `mended` counts what was mended, or would be where a `diff` is shown.
    """

    looked_at: int = 0
    findings: list[Finding] = field(default_factory=list)
    mended: int = 0
    diff: bool = False
    errors: list[TikzgenError] = field(default_factory=list)

    def keep(self, choice: ChosenRules) -> None:
        """Drop the findings that were not asked for."""
        self.findings = [finding for finding in self.findings if choice.takes(finding)]

    @property
    def exit_status(self) -> ExitStatus:
        """3 where LaTeX failed, 2 where a file could not be read or written, 1 where a rule is broken, else 0."""
        if self.errors:
            return max(ExitStatus.USAGE, *(error.exit_status for error in self.errors))
        return ExitStatus.FINDINGS if self.findings else ExitStatus.OK

    def __str__(self) -> str:
        unread = f", {count_of(len(self.errors), 'file')} unreadable" if self.errors else ""
        found = count_of(len(self.findings), "finding") if self.findings else "no findings"
        mended = f", {self.mended} {'of them would be ' * self.diff}mended" if self.mended else ""
        return f"{count_of(self.looked_at, 'file')} checked: {found}{mended}{unread}"

    def lines(self, format_: str) -> Iterator[str]:
        """The findings for stdout: a line each, as `text` or for `github`; or all facts as one `json`."""
        if format_ == "json":
            yield json.dumps(self._as_json(), ensure_ascii=False, indent=2)
        elif format_ == "sarif":
            yield json.dumps(sarif_of(self.findings, self._problems()), ensure_ascii=False, indent=2)
        elif format_ == "github":
            yield from map(_annotation, self.findings)
            yield from (_told_beside("error", each.place, "tikzgen", each) for each in self._problems())
        elif not self.diff:
            yield from map(str, self.findings)

    def _problems(self) -> list[Problem]:
        """What could not be read, one by one, without the place in its words where it is told apart."""
        told = [problem for error in self.errors for problem in error.list_problems()]
        return [replace(each, message=f"{each.path}: {each.message}" if each.path else each.message) for each in told]

    def _as_json(self) -> dict[str, object]:
        return {
            "findings": [finding.as_json() for finding in self.findings],
            "errors": [_without_path(each) for each in self._problems()],
            "checked": self.looked_at,
            "mended": self.mended,
        }


def _without_path(problem: Problem) -> dict[str, object]:
    return {name: value for name, value in problem.as_json().items() if name != "path"}


def _annotation(finding: Finding) -> str:
    return _told_beside(finding.severity, finding.place, f"{finding.code} {finding.name}", finding)


def _told_beside(severity: str, place: Place | None, title: str, said: Finding | Problem) -> str:
    """A workflow command that GitHub shows beside the line of the file."""
    at = place or Place("")
    where = {"file": at.file or None, "line": at.line, "col": at.column, "title": title}
    properties = ",".join(f"{key}={_escape(str(value), ',:')}" for key, value in where.items() if value is not None)
    return f"::{severity} {properties}::{_escape(_text(said))}"


def _text(said: Finding | Problem) -> str:
    return said.message + (f" ({said.hint})" if said.hint else "")


def _escape(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def rules_table(format_: str) -> Iterator[str]:
    """Yield all rules: as lines of columns, or as JSON if `format_` is "json"."""
    rules = all_rules()
    if format_ == "json":
        yield json.dumps([rule.as_json() for rule in rules], ensure_ascii=False, indent=2)
        return
    rows = [
        (rule.code, rule.name, rule.severity.value, rule.summary + f"; --fix {rule.fixes}" * bool(rule.fixes))
        for rule in rules
    ]
    yield from in_columns(rows)


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_of(findings: Iterable[Finding], problems: Iterable[Problem]) -> dict[str, object]:
    """One run with its findings, the rules that they break, and the files that could not be read."""
    listed = list(findings)
    rules = {each.code: each.name for each in listed}
    results = [{"ruleId": each.code, **_result(each.severity, each.place, each)} for each in listed]
    results += [_result("error", each.place, each) for each in problems]
    driver = {
        "name": "tikzgen",
        "version": VERSION,
        "rules": [{"id": code, "name": name} for code, name in sorted(rules.items())],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _result(severity: str, place: Place | None, said: Finding | Problem) -> dict[str, object]:
    result: dict[str, object] = {"level": str(severity), "message": {"text": _text(said)}}
    if place and place.file:
        found = {"startLine": place.line, "startColumn": place.column}
        region = {name: value for name, value in found.items() if value is not None}
        where: dict[str, object] = {"artifactLocation": {"uri": place.file.replace("\\", "/")}}
        result["locations"] = [{"physicalLocation": where | ({"region": region} if region else {})}]
    return result
