"""Selection of findings: selected rules, minus ignored rules and low severities."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.base.record import Record
from tikzgen.lint.registry import Finding, Severity
from tikzgen.lint.rule_table import all_rules


class ChosenRules(Record):
    """Selected findings: rules by code, code prefix (`TG2`) or name; `least` is the minimum severity.

    Without `select`, all rules are selected. `ignore` then removes rules.
    """

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    least: Severity

    def is_selected(self, finding: Finding) -> bool:
        """Return whether a finding is selected."""
        if self.least is Severity.ERROR and finding.severity is not Severity.ERROR:
            return False
        return (not self.select or _is_among(finding, self.select)) and not _is_among(finding, self.ignore)


def rule_names() -> list[str]:
    """Return the code and the name of every rule."""
    return [name for rule in all_rules() for name in (rule.code, rule.name)]


def _is_among(finding: Finding, rules: Iterable[str]) -> bool:
    return any(finding.code.startswith(rule) or finding.name == rule for rule in rules)
