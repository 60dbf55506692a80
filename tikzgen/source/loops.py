r"""What the loops around a name make of it: `\foreach \w in {w1,w2} …(\w.east)…` stands for w1 and w2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from tikzgen.source.facts import Facts
from tikzgen.source.parts import Flow, Loop

__all__ = ["bindings", "joined", "node_names", "spelt"]

_MOST = 1000  # a figure with more passes of a loop than this is no list of names
_INTEGER = re.compile(r"-?\d+$")


def bindings(facts: Facts, loop: int | None) -> Iterator[dict[str, str]]:
    """The values of all variables, pass by pass; one pass without any where there is no loop."""
    yield from islice(_bindings(facts, loop), _MOST)


def _bindings(facts: Facts, loop: int | None) -> Iterator[dict[str, str]]:
    if loop is None:
        yield {}
        return
    found = facts.loops[loop]
    for outer in _bindings(facts, found.parent):
        for values in _passes(facts, found):
            yield outer | dict(zip(found.variables, values, strict=False))


def _passes(facts: Facts, loop: Loop) -> Iterator[tuple[str, ...]]:
    texts = [tuple(span.of(facts.text) for span in member.parts) for member in loop.members]
    for index, parts in enumerate(texts):
        if parts != ("...",):
            # TikZ gives the last part to the variables that are left
            yield parts + (parts[-1],) * (len(loop.variables) - len(parts))
        elif 0 < index < len(texts) - 1:
            yield from ((str(number),) for number in _between(texts, index))


def _between(texts: list[tuple[str, ...]], index: int) -> range:
    """The whole numbers that three dots stand for; none where what is around them is no whole number."""
    first, last = texts[index - 1][0], texts[index + 1][0]
    if not (_INTEGER.match(first) and _INTEGER.match(last)):
        return range(0)
    step = 1 if int(last) >= int(first) else -1
    if index > 1 and _INTEGER.match(texts[index - 2][0]):
        step = int(first) - int(texts[index - 2][0]) or step
    return range(int(first) + step, int(last), step)


def spelt(name: str, values: Mapping[str, str]) -> str:
    """A name with the values of the variables in it."""
    for variable, value in sorted(values.items(), key=lambda each: -len(each[0])):
        if variable in name:
            name = re.sub(re.escape(variable) + r"(?![A-Za-z@])", lambda _, v=value: v, name)  # type: ignore[misc]
    return name.replace("{", "").replace("}", "") if values else name


def node_names(facts: Facts, index: int) -> list[str]:
    """The names that a node gets, one for each pass of the loops around it; none where it has no name."""
    node = facts.nodes[index]
    if node.name is None:
        return []
    if "\\" not in node.name:
        return [node.name]
    loop = facts.statements[node.statement].loop
    return list(dict.fromkeys(spelt(node.name, values) for values in bindings(facts, loop)))


def joined(facts: Facts, flow: Flow) -> list[tuple[str, str]]:
    """The pairs of nodes that a flow joins, one for each pass of the loops around it."""
    if "\\" not in flow.source.name + flow.target.name:
        return [(flow.source.name, flow.target.name)]
    passes = bindings(facts, facts.statements[flow.statement].loop)
    pairs = ((spelt(flow.source.name, values), spelt(flow.target.name, values)) for values in passes)
    return list(dict.fromkeys(pairs))
