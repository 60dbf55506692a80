"""TG219: a name that no node has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import did_you_mean
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile import Facts
from tikzgen.texfile.loops import MOST, bindings, given, node_names, spelt
from tikzgen.texfile.source_facts import Reference

__all__ = ["RULE"]

_BUILT_IN = re.compile(r".*~|current |path picture |intersection|last node|tikz")
_CONDITION = re.compile(r"\\if[A-Za-z@]*|\\breakforeach")
# what makes names that stand nowhere in the source
_NAMING = re.compile(
    r"name prefix|name suffix|name intersections|/\.pic|\\graph\b|\\matrix\b|\bchild\b|matrix of|\bpic\b"
)

_COMPARED = 20_000  # names in all: which is nearest takes a look at each known one for each that is not


def _look(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    if facts.inclusions or _NAMING.search(facts.code.mask):
        return
    by_node = [node_names(facts, index) for index in range(len(facts.nodes))]
    if any(len(each) >= MOST for each in by_node):  # there are more
        return
    names = {name.strip() for each in by_node for name in each}
    names |= {
        each.value.strip("{} ") for node in facts.nodes for each in node.options if each.key == "alias" and each.value
    }
    if any("\\" in name or "#" in name for name in names):  # a macro makes nodes
        return
    named = set(re.findall(r"(?:\bname(?: path)?|local bounding box)\s*=\s*\{?([^,\]}]+)", facts.code.mask))
    told: set[str] = set()
    hinted = _COMPARED // max(len(names), 1)
    for reference in facts.references:
        if not _BUILT_IN.match(reference.name) and _in_a_picture(facts, reference):
            for name in _names(facts, reference):
                known = name in names or name in named or name.rpartition(".")[0] in names
                if not known and "\\" not in name and "#" not in name and name not in told:
                    near = did_you_mean(name, names) if len(told) < hinted else ""
                    told.add(name)
                    hint = near or "name a node that there is"
                    yield Broken(subject.place(reference.span.start), f"no node is called {quoted(name)}", hint)


def _in_a_picture(facts: Facts, reference: Reference) -> bool:
    """Whether a path refers to a name: lists are read by those who use their variables."""
    return reference.role != "list" and reference.statement is not None


def _names(facts: Facts, reference: Reference) -> list[str]:
    if "\\" not in reference.name or reference.statement is None:
        return [reference.name.strip()]
    loop = facts.statements[reference.statement].loop
    if _depends(facts, loop):
        return []
    known = given(facts)
    return list(dict.fromkeys(spelt(reference.name, known | values).strip() for values in bindings(facts, loop)))


def _depends(facts: Facts, loop: int | None) -> bool:
    """Whether a condition in a loop around a path may leave the path out in some passes."""
    while loop is not None:
        if _CONDITION.search(facts.code.mask, *facts.loops[loop].body):
            return True
        loop = facts.loops[loop].parent
    return False


RULE = Rule("TG219", "unknown-node", "every name that a path refers to is a node's", Written, _look)
