"""TG302: the border of another node, or its drawing, passes through a text."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.sheet import Sheet, cm
from tikzgen.probe.struck_texts import strikes


def _look(subject: Sheet) -> Iterator[Broken]:
    for strike in strikes(subject, of_nodes=True):
        what = f"the border of {subject.thing(strike.path)}"
        message = f"{what} passes through text {subject.text(strike.line)}, {cm(strike.length)} of it"
        yield Broken(subject.at(strike.line), message, "move the text, or put fill=paper behind it")


RULE = Rule("TG302", "text-over-border", "a text lies over the border of another node", Sheet, _look)
