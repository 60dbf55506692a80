"""Report of `tikzgen check`: checked files, findings, fixes, and files that could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tikzgen.base.errors import ExitStatus, FileRefused, Place, Problem, TikzgenError, describe_os_error
from tikzgen.base.plain_words import count_of, in_columns
from tikzgen.base.record import replace
from tikzgen.base.version_and_cache_folder import VERSION
from tikzgen.lint.chosen_rules import ChosenRules
from tikzgen.lint.registry import Finding
from tikzgen.lint.rule_table import all_rules
from tikzgen.spec.files_beside.pytorch_schedule_csv import looks_like_actions
from tikzgen.spec.source import has_matching_beginning, looks_like_spec, may_be_spec, stands_alone


def files_of(paths: Iterable[str], *, only_figures: bool) -> tuple[list[str], list[FileRefused]]:
    """Return the files to check, each once, in order, and errors for folders.

    A folder represents the specs, lists and figures in it. A folder without any, or an unreadable folder, gives an
    error. With `only_figures`, files that a folder would not represent are skipped.
    """
    found: list[str] = []
    errors: list[FileRefused] = []
    for path in paths:
        if path == "-" or not Path(path).is_dir():
            if not only_figures or path == "-" or _is_figure(Path(path)):
                found.append(path)
            continue
        try:
            found += _list_figures_inside(Path(path))
        except FileRefused as refused:
            errors.append(refused)
    return list(dict.fromkeys(found)), errors


def _list_figures_inside(folder: Path) -> list[str]:
    """Return the specs, the CSV files with actions, and the standalone figures in a folder, by name."""
    try:
        found = sorted(file for file in folder.iterdir() if file.is_file() and _is_figure(file))
    except OSError as error:
        raise FileRefused(f"{folder}: {describe_os_error(error)}") from None
    if not found:
        raise FileRefused(f"{folder}: no specs, lists or figures here")
    return [str(file) for file in found]


def _is_figure(file: Path) -> bool:
    """Return whether a file is a spec, a CSV file with actions, or a standalone figure."""
    if file.suffix == ".csv":
        return has_matching_beginning(file, looks_like_actions)
    return stands_alone(file) if file.suffix == ".tex" else may_be_spec(file) and looks_like_spec(file)


@dataclass
class CheckReport:
    """Result of a check: number of files, findings, and errors of unreadable files.

    `mended` counts the fixed findings, or with `diff` the findings that a fix would remove. `notes` break no
    rule.
    """

    looked_at: int = 0
    findings: list[Finding] = field(default_factory=list)
    mended: int = 0
    diff: bool = False
    errors: list[TikzgenError] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)

    def keep(self, choice: ChosenRules) -> None:
        """Drop the findings that the options exclude."""
        self.findings = [finding for finding in self.findings if choice.is_selected(finding)]

    @property
    def exit_status(self) -> ExitStatus:
        """Exit status: 3 if LaTeX failed, 2 if a file could not be read or written, 1 for findings, else 0."""
        if self.errors:
            return max(ExitStatus.USAGE, *(error.exit_status for error in self.errors))
        return ExitStatus.FINDINGS if self.findings else ExitStatus.OK

    def __str__(self) -> str:
        unread = f", {count_of(len(self.errors), 'file')} unreadable" if self.errors else ""
        found = count_of(len(self.findings), "finding") if self.findings else "no findings"
        mended = f", {self.mended} {'of them would be ' * self.diff}mended" if self.mended else ""
        return f"{count_of(self.looked_at, 'file')} checked: {found}{mended}{unread}"

    def format_lines(self, format_: str) -> Iterator[str]:
        """Yield the output for stdout: one line per finding (`text`, `github`), or one document (`json`, `sarif`)."""
        if format_ == "json":
            yield json.dumps(self._as_json(), ensure_ascii=False, indent=2)
        elif format_ == "sarif":
            yield json.dumps(
                sarif_of(self.findings, self._collect_problems(), self.notes), ensure_ascii=False, indent=2
            )
        elif format_ == "github":
            yield from map(_spell_annotation, self.findings)
            yield from (_told_beside("error", each.place, "tikzgen", each) for each in self._collect_problems())
            yield from (_told_beside("notice", each.place, "tikzgen", each) for each in self.notes)
        elif not self.diff:
            yield from map(str, self.findings)

    def _collect_problems(self) -> list[Problem]:
        """Return the problems of unreadable files; their locations are not repeated in the messages."""
        told = [problem for error in self.errors for problem in error.list_problems()]
        return [replace(each, message=f"{each.path}: {each.message}" if each.path else each.message) for each in told]

    def _as_json(self) -> dict[str, object]:
        return {
            "findings": [finding.as_json() for finding in self.findings],
            "errors": [_without_path(each) for each in self._collect_problems()],
            "checked": self.looked_at,
            "mended": self.mended,
            "notes": [_without_path(each) for each in self.notes],
        }


def _without_path(problem: Problem) -> dict[str, object]:
    return {name: value for name, value in problem.as_json().items() if name != "path"}


def _spell_annotation(finding: Finding) -> str:
    return _told_beside(finding.severity, finding.place, f"{finding.code} {finding.name}", finding)


def _told_beside(severity: str, place: Place | None, title: str, said: Finding | Problem) -> str:
    """Return a workflow command that GitHub shows next to the line of the file."""
    at = place or Place("")
    where = {"file": at.file or None, "line": at.line, "col": at.column, "title": title}
    properties = ",".join(f"{key}={_escape(str(value), ',:')}" for key, value in where.items() if value is not None)
    return f"::{severity} {properties}::{_escape(_spell_message(said))}"


def _spell_message(said: Finding | Problem) -> str:
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


def sarif_of(
    findings: Iterable[Finding], problems: Iterable[Problem], notes: Iterable[Problem] = ()
) -> dict[str, object]:
    """Return a SARIF log: one run with its findings, their rules, and the files that could not be read."""
    listed = list(findings)
    rules = {each.code: each.name for each in listed}
    results = [{"ruleId": each.code, **_make_sarif_result(each.severity, each.place, each)} for each in listed]
    results += [_make_sarif_result("error", each.place, each) for each in problems]
    results += [_make_sarif_result("note", each.place, each) for each in notes]
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


def _make_sarif_result(severity: str, place: Place | None, said: Finding | Problem) -> dict[str, object]:
    result: dict[str, object] = {"level": str(severity), "message": {"text": _spell_message(said)}}
    if place and place.file:
        found = {"startLine": place.line, "startColumn": place.column}
        region = {name: value for name, value in found.items() if value is not None}
        where: dict[str, object] = {"artifactLocation": {"uri": place.file.replace("\\", "/")}}
        result["locations"] = [{"physicalLocation": where | ({"region": region} if region else {})}]
    return result
