"""TG224: a parameter with a value that is none: an empty text, no number, a length out of bounds, no choice."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.record import replace
from tikzgen.inventory.parameter_values import wrong
from tikzgen.inventory.take_inventory import parameters
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    block = subject.facts.parameters
    spans = {each.name: each.value_span for each in block.parameters} if block else {}
    for parameter in parameters(subject.facts, subject.metadata.data or {}, untouched=False):
        _, told = subject.contract_parameters.get(parameter.name, (0, None))
        if told is None or (subject.inventory.own and parameter.value.strip() == told.get("default", "").strip()):
            continue  # tikzgen itself wrote it empty
        default = told.get("default")
        as_written = replace(parameter, value=default) if isinstance(default, str) else parameter
        if fault := wrong(as_written, parameter.value, subject.bounds.get(parameter.name, ())):
            hint = fault.nearest if fault.code != "too-small" else f"set it to {fault.nearest} or more"
            place = subject.place(spans[parameter.name].start)
            yield Broken(place, fault.message, hint or "give it a value, or remove it with what uses it")


_SUMMARY = "parameters have values of their types: texts are not empty, numbers are within their bounds"
RULE = Rule("TG224", "parameter-value", _SUMMARY, Written, _look)
