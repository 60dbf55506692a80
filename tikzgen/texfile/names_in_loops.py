r"""Expansion of names in loops: `\foreach \w in {w1,w2} …(\w.east)…` refers to w1 and w2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.scan_source import Facts
from tikzgen.texfile.source_facts import Loop, SourceFlow

MOST_NAMES_COUNT = 1000
"""Maximum number of names in a loop; loops with more are not read as lists of names."""
_INTEGER = pattern_of(r"-?\d+$")
_COUNT = pattern_of(r"\bcount\s*=\s*(\\[A-Za-z@]+)(?:\s+from\s+(-?\d+))?")
_REMEMBER = pattern_of(r"\bremember\s*=\s*(\\[A-Za-z@]+)\s+as\s+(\\[A-Za-z@]+)(?:\s*\(\s*initially\s+([^()]*?)\s*\))?")
_COMPUTED_MACRO = pattern_of(r"\\pgfmathtruncatemacro\s*\{?\s*(\\[A-Za-z@]+)\s*\}?\s*\{([^{}]*)\}")
_SUM = pattern_of(r"(-?\d+)\s*([-+])\s*(\d+)$")


def list_bindings(facts: Facts, loop: int | None) -> Iterator[dict[str, str]]:
    """Yield the values of all variables, one mapping per iteration; one empty mapping without a loop."""
    yield from islice(_iterate_bindings(facts, loop), MOST_NAMES_COUNT)


def _iterate_bindings(facts: Facts, loop: int | None) -> Iterator[dict[str, str]]:
    if loop is None:
        yield {}
        return
    found = facts.loops[loop]
    known = parameter_values(facts)
    head = facts.code.mask[found.span.start : found.list_span.start]
    counted, remembered = _COUNT.search(head), _REMEMBER.search(head)
    computed = _COMPUTED_MACRO.findall(facts.code.mask, *found.body)
    for outer in _iterate_bindings(facts, found.parent):
        before = remembered[3] if remembered else None
        for number, values in enumerate(_iterate_passes(facts, found, known | outer)):
            inner = outer | dict(zip(found.variables, values, strict=False))
            if counted:
                inner[counted[1]] = str(number + int(counted[2] or 1))
            if remembered:
                inner |= {remembered[2]: before} if before is not None else {}
                before = inner.get(remembered[1])
            for name, formula in computed:
                if value := _SUM.match(expand_name(formula, inner).strip()):
                    inner[name] = str(int(value[1]) + int(value[2] + value[3]))
            yield inner


def parameter_values(facts: Facts) -> dict[str, str]:
    """Return the values of the parameters, by macro."""
    return {each.name: each.value for each in facts.parameters.parameters} if facts.parameters else {}


def _iterate_passes(facts: Facts, loop: Loop, known: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    if loop.members:
        texts = [
            tuple(_find_value(span.extract_from(facts.text), known) for span in member.parts) for member in loop.members
        ]
    else:  # the list is a macro
        listed = known.get(loop.list_span.extract_from(facts.text), "")
        texts = [tuple(part.strip() for part in each.split("/")) for each in listed.split(",") if each.strip()]
    for index, parts in enumerate(texts):
        if parts != ("...",):
            # TikZ assigns the last part to the remaining variables
            yield parts + (parts[-1],) * (len(loop.variables) - len(parts))
        elif 0 < index < len(texts) - 1:
            yield from ((str(number),) for number in _list_elided_integers(texts, index))


def _find_value(text: str, known: Mapping[str, str]) -> str:
    """Return the value of a list member: the value of a parameter or variable, or the member itself."""
    return known.get(text.strip(), text)


def _list_elided_integers(texts: list[tuple[str, ...]], index: int) -> range:
    """Return the integers that three dots represent; empty if their neighbors are not integers."""
    first, last = texts[index - 1][0], texts[index + 1][0]
    if not (_INTEGER.match(first) and _INTEGER.match(last)):
        return range(0)
    step = 1 if int(last) >= int(first) else -1
    if index > 1 and _INTEGER.match(texts[index - 2][0]):
        step = int(first) - int(texts[index - 2][0]) or step
    return range(int(first) + step, int(last), step)


def expand_name(name: str, values: Mapping[str, str]) -> str:
    """Return a name with the values of its variables."""
    for variable, value in sorted(values.items(), key=lambda each: -len(each[0])):
        if variable in name:
            name = re.sub(re.escape(variable) + r"(?![A-Za-z@])", lambda _, v=value: v, name)  # type: ignore[misc]
    return name.replace("{", "").replace("}", "") if values else name


def node_names(facts: Facts, index: int) -> list[str]:
    """Return the names of a node, one per iteration of the loops around it; empty without a name."""
    return list(named_passes(facts, index))


def named_passes(facts: Facts, index: int) -> dict[str, Mapping[str, str]]:
    """Return the names of a node, each with the values of the variables in its first iteration."""
    node = facts.nodes[index]
    if node.name is None:
        return {}
    if "\\" not in node.name:
        return {node.name: {}}
    found: dict[str, Mapping[str, str]] = {}
    known = parameter_values(facts)
    for values in list_bindings(facts, facts.statements[node.statement].loop):
        found.setdefault(expand_name(node.name, known | values), values)
    return found


def pairs_of_flow(facts: Facts, flow: SourceFlow) -> list[tuple[str, str]]:
    """List the pairs of nodes that a flow joins, one for each iteration of the loops around it."""
    if "\\" not in flow.source.name + flow.target.name:
        return [(flow.source.name, flow.target.name)]
    known = parameter_values(facts)
    passes = (known | values for values in list_bindings(facts, facts.statements[flow.statement].loop))
    pairs = ((expand_name(flow.source.name, values), expand_name(flow.target.name, values)) for values in passes)
    return list(dict.fromkeys(pairs))
