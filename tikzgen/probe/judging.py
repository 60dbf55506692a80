"""A figure judged as it is drawn, without TeX: what `render` and `build` say of what they make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tikzgen.base.cache import Cache
from tikzgen.base.errors import ExitStatus, Place, TikzgenError
from tikzgen.base.files import read_bounded
from tikzgen.drawing.refused import Unsupported
from tikzgen.lint.registry import Finding, Severity, look, rules_in

RULES = "tikzgen.probe.rules"
BY_TEX = ("against_tex",)
"""The rules that a drawing is not enough for."""


class Ugly(TikzgenError):
    """A figure with findings, where there must be none."""

    exit_status = ExitStatus.FINDINGS


def judged(name: str, source: str, described: str | None, cache: Cache) -> tuple[Finding, ...]:
    """What the rules find in the figure of the file `name`; nothing where it cannot be drawn without TeX.

    `source` is its .tex, `described` the description that it was made of. What was judged before lies in `cache`.
    """

    def found() -> bytes:
        from tikzgen.probe.drawn_pages import drawn_page
        from tikzgen.probe.sheet import Sheet

        sheet = Sheet(name, source, drawn_page(source), described=described)
        return json.dumps([each.as_json() for each in dict.fromkeys(look(sheet, rules_in(RULES, BY_TEX)))]).encode()

    try:
        return tuple(_read(each) for each in json.loads(cache.made(found, "judged", name, source, str(described))))
    except Unsupported:
        return ()


def _read(facts: dict[str, Any]) -> Finding:
    place = Place(facts["file"], facts["line"], facts["column"])
    return Finding(facts["code"], facts["name"], Severity(facts["severity"]), facts["message"], place, facts["hint"])


def spec_text(name: str) -> str | None:
    """What a description says, where it is one in a file; a .tex has places of its own."""
    if name.endswith((".tex", ".csv")) or not Path(name).is_file():
        return None
    return read_bounded(Path(name)).decode("utf-8", "replace")


def judge(name: str, source: str, cache: Cache, *, strict: bool) -> tuple[Finding, ...]:
    """What the rules find in what is made of the file `name`; `Ugly` where they are `strict` and find something."""
    found = judged(name, source, spec_text(name), cache)
    if strict and found:
        raise Ugly("\n".join([*map(str, found), f"{name}: refused; without --strict it is made all the same"]))
    return found
