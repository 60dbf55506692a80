"""Rules on a figure that is drawn without TeX, for `render` and `build`: `judge_figure`."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from tikzgen.base.cache import Cache
from tikzgen.base.child import limit_cpu_time
from tikzgen.base.errors import ExitStatus, Place, TikzgenError
from tikzgen.base.plain_words import count_of
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import Record
from tikzgen.compile.draw import Unsupported
from tikzgen.lint.registry import FINDINGS_PER_RULE, Finding, Severity, look
from tikzgen.lint.rule_table import GEOMETRY, rules_in

BY_TEX = ("against_tex",)
"""The rules that a drawing is not enough for."""
JUDGE_SECONDS = 2.0
"""CPU time for the rules, once the product is written."""


class Ugly(TikzgenError):
    """A figure with findings although findings are not allowed (`--strict`)."""

    exit_status = ExitStatus.FINDINGS


class Judgement(Record):
    """Findings in a figure; `complete` is false if the time limit ended before all rules were applied."""

    findings: tuple[Finding, ...]
    complete: bool = True


def judge_figure(
    name: str, source: str, described: str | None, cache: Cache, seconds: float | None = None
) -> Judgement:
    """Return the findings in the figure of the file `name`; none if it cannot be drawn without TeX.

    `source` is the .tex of the figure, `described` the spec from which it was made. `cache` stores complete
    judgements. `seconds` is the CPU time after which the rules stop (None: no limit).
    """
    found: list[Finding] = []

    def look_at_drawing() -> bytes:
        from tikzgen.lint.probe.drawn_pages import drawn_page
        from tikzgen.lint.probe.page_with_source import Sheet

        sheet = Sheet(name, source, drawn_page(source), described=described)
        found.extend(look(sheet, rules_in(GEOMETRY, without=BY_TEX), FINDINGS_PER_RULE))
        return json.dumps([each.as_json() for each in dict.fromkeys(found)]).encode()

    held = b""
    with limit_cpu_time(seconds) as clock, suppress(Unsupported):
        held = cache.get_or_make(look_at_drawing, "judged", name, source, str(described))
    if clock.ended:
        return Judgement(tuple(dict.fromkeys(found)), complete=False)
    return Judgement(tuple(_parse_finding(each) for each in json.loads(held or b"[]")))


def _parse_finding(facts: dict[str, Any]) -> Finding:
    place = Place(facts["file"], facts["line"], facts["column"])
    severity = Severity(facts["severity"])
    return Finding(facts["code"], facts["name"], severity, facts["message"], place, facts["hint"], more=facts["more"])


def spec_text(name: str) -> str | None:
    """Return the text of a description in a file; None for a .tex, which has its own locations."""
    if name.endswith((".tex", ".csv")) or not Path(name).is_file():
        return None
    return read_bounded(Path(name)).decode("utf-8", "replace")


def refuse_findings(name: str, source: str, cache: Cache) -> None:
    """Raise `Ugly` if the figure of the file `name` has findings."""
    if found := judge_figure(name, source, spec_text(name), cache).findings:
        count = count_of(len(found), "finding")
        raise Ugly("\n".join([*map(str, found), f"{name}: rejected because of {count} (accept them without --strict)"]))


def report_findings(name: str, source: str, cache: Cache) -> list[str]:
    """Return a line for each finding in the figure of the file `name`.

    Append a line if the time limit was too short for all rules.
    """
    judgement = judge_figure(name, source, spec_text(name), cache, JUDGE_SECONDS)
    lines = [str(finding) for finding in judgement.findings]
    if not judgement.complete:
        lines.append(f"{name}: not fully checked in {JUDGE_SECONDS:g} s (tikzgen check --geometry {name})")
    return lines
