"""TG212: lines in the body that leave a blank beside the picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.lint.findings import Fix
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile.edits import Replacement
from tikzgen.texfile.text import Span

__all__ = ["RULE"]

_BLANK = re.compile(r"[ \t]+(?=%)|[ \t]*(?=[\r\n])")


def _look(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    used = facts.document_class
    if used is not None and used.name != "standalone":  # paragraphs begin with what they begin with: no blanks
        return
    made = [each.span for each in facts.definitions] + [each.span for each in facts.colors]
    edits = []
    for _, end in sorted(made):
        found = _BLANK.match(facts.text, end)
        # between two pictures a blank may be meant
        if end > subject.body and found and not facts.is_sheltered(end):
            comment = facts.text.startswith("%", found.end())
            edits.append(Replacement(Span(end, found.end()), found[0], "" if comment else "%"))
    if edits and (used is not None or subject.facts.parameters is not None):
        lines = f"{len(edits)} lines leave a blank each" if len(edits) > 1 else "this line leaves a blank"
        hint = "end the line with % right behind the brace"
        yield Broken(subject.place(edits[0].span.start), f"{lines} beside the picture", hint, Fix(tuple(edits)))


_SUMMARY = "lines of the body leave no blank beside the picture"
RULE = Rule("TG212", "leaked-space", _SUMMARY, Written, _look, fixes="ends the lines with %")
