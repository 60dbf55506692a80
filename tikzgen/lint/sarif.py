"""Findings as SARIF 2.1.0, the format that code scanners exchange."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.base.shipped import VERSION
from tikzgen.lint.findings import Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_of(findings: Iterable[Finding]) -> dict[str, object]:
    """One run with its findings, and the rules that they break."""
    listed = list(findings)
    rules = {each.code: each.name for each in listed}
    driver = {
        "name": "tikzgen",
        "version": VERSION,
        "rules": [{"id": code, "name": name} for code, name in sorted(rules.items())],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(each) for each in listed]}],
    }


def _result(finding: Finding) -> dict[str, object]:
    place = finding.place
    found = {"startLine": place.line, "startColumn": place.column}
    region = {name: value for name, value in found.items() if value is not None}
    where: dict[str, object] = {"artifactLocation": {"uri": place.file.replace("\\", "/")}}
    text = finding.message + (f" ({finding.hint})" if finding.hint else "")
    return {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": where | ({"region": region} if region else {})}],
    }
