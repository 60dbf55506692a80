"""TG303: a path strikes a text through."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.sheet import Sheet, cm
from tikzgen.probe.struck_texts import strikes


def _look(subject: Sheet) -> Iterator[Broken]:
    for strike in strikes(subject, of_nodes=False):
        what = f"{subject.thing(strike.path)} strikes through text {subject.text(strike.line)}"
        message = f"{what}, {cm(strike.length)} of it"
        yield Broken(subject.at(strike.line), message, "move the text aside, or put fill=paper behind it")


RULE = Rule("TG303", "struck-text", "a path strikes a text through", Sheet, _look)
