"""TG226: a node whose name is to stay, and that is gone."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import did_you_mean
from tikzgen.lint.promises import fixed_names
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile.loops import node_names

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    promised = fixed_names(subject.contract)
    if not promised or subject.facts.errors:  # what TeX stumbles over hides nodes
        return
    facts = subject.facts
    known = {name for index in range(len(facts.nodes)) for name in node_names(facts, index)}
    for name in promised:
        # with several panels a name begins with that of its panel
        if name not in known and not any(each.endswith(f"-{name}") for each in known):
            message = f"no node is called {quoted(name)}, a name that the contract fixes"
            hint = did_you_mean(name, sorted(known)) or "call it so again"
            yield Broken(subject.metadata.place("edit_contract", "node_naming"), message, hint)


_SUMMARY = "the nodes whose names the contract fixes are there"
RULE = Rule("TG226", "fixed-name", _SUMMARY, Written, _look)
