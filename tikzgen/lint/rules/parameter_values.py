"""Rules on the parameters of a .tex, and on the macros that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.record import replace
from tikzgen.base.suggest import did_you_mean
from tikzgen.inventory.parameter_values import wrong
from tikzgen.inventory.take_inventory import parameters
from tikzgen.lint.registry import Broken, Fix, Severity, rule
from tikzgen.lint.written_tex import Written
from tikzgen.texfile import Span


@rule(
    "TG202",
    "every parameter of the contract is defined in the file, between the marks",
    fixes="takes what nothing uses off the list of tikzgen's own figures",
)
def _undefined_parameter(subject: Written) -> Iterator[Broken]:
    facts, listed = subject.facts, subject.contract_parameters
    block = facts.parameters
    defined = {each.name: each for each in reversed(facts.definitions)}
    inside = {each.name for each in block.parameters} if block else set()
    if block is None and not listed.keys().isdisjoint(defined):
        hint = "put them between `% ==== parameters (edit these) ====` and `% ====`"
        first = min(defined[name].span.start for name in listed if name in defined)
        yield Broken(subject.place(first), "the parameters stand between no marks", hint)
    left = [entry for name, (_, entry) in listed.items() if name in defined]
    for name in listed:
        if name not in defined:
            # what nothing uses any more was taken out on purpose
            stale = subject.inventory.own and left and name not in facts.uses
            fix = Fix(metadata=subject.metadata.replaced(left, "edit_contract", "parameters")) if stale else None
            place = subject.place(block.start.start if block else 0)
            yield Broken(place, f"the contract has a parameter {name} that the file does not define", "define it", fix)
        elif block and name not in inside:
            place = subject.place(defined[name].span.start)
            yield Broken(place, f"{name} is defined outside the block of parameters", "move it between the marks")


@rule(
    "TG203",
    "parameters stand at the defaults that the metadata give",
    Severity.WARNING,
    fixes="sets the defaults in the metadata of tikzgen's own figures",
)
def _drifted_default(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    values = {each.name: each for each in subject.facts.parameters.parameters}
    for name, (index, told) in subject.contract_parameters.items():
        found = values.get(name)
        default = told.get("default")
        if found and isinstance(default, str) and default not in (found.value, f"{{{found.value}}}"):
            steps = ("edit_contract", "parameters", index, "default")
            own = subject.inventory.own and found.value
            fix = Fix(metadata=subject.metadata.replaced(found.value, *steps)) if own else None
            message = f"{name} is {found.value}, the metadata say {default}"
            hint = "write the metadata again, or set it back"
            yield Broken(subject.place(found.value_span.start), message, hint, fix)


@rule("TG218", "every parameter is used", Severity.WARNING)
def _unused_parameter(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    for each in subject.facts.parameters.parameters:
        if len(subject.facts.uses.get(each.name, ())) < 2:
            message = f"nothing uses {each.name}, so editing it changes nothing"
            yield Broken(subject.place(each.span.start), message, "use it where its value stands, or remove it")


@rule("TG224", "parameters have values of their types: texts are not empty, numbers are within their bounds")
def _parameter_value(subject: Written) -> Iterator[Broken]:
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


_LONE_MACRO = re.compile(r"\s*(\\[A-Za-z@]+)\s*$")
_MACRO = re.compile(r"\\[A-Za-z@]+")
# what figures call what they define themselves
_OUR_MACRO = re.compile(r"\\[A-Za-z]*(?:pic|icon|label|text|cell|sep|gap)$")


@rule("TG227", "icons, labels and distances that the drawing uses are defined")
def _undefined_macro(subject: Written) -> Iterator[Broken]:
    """Only what a file reads and never writes: where it stands elsewhere, too, somebody may define it there."""
    facts = subject.facts
    used = facts.document_class
    if facts.inclusions or (used is not None and used.name not in ("standalone", "article")):
        return
    defined = {each.name for each in facts.definitions}
    read: dict[str, list[Span]] = {}
    for node in facts.nodes:
        if node.text_span and (found := _LONE_MACRO.match(node.text or "")) and _OUR_MACRO.match(found[1]):
            start = node.text_span.start + found.start(1)
            read.setdefault(found[1], []).append(Span(start, start + len(found[1])))
        if node.at is not None and node.at.kind == "place":
            for macro in _MACRO.finditer(facts.code.mask, *node.at.span):
                if _OUR_MACRO.match(macro[0]):
                    read.setdefault(macro[0], []).append(Span(*macro.span()))
    for name, spans in read.items():
        if name not in defined and len(facts.uses.get(name, ())) == len({span.start for span in spans}):
            hint = did_you_mean(name, sorted(defined)) or "define it"
            yield Broken(subject.place(min(span.start for span in spans)), f"nothing defines {name}", hint)
