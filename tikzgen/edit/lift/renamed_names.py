"""Names of elements and label macros after a change of ids, and code that uses them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tikzgen.base.errors import EditRefused
from tikzgen.base.record import NOTHING, Record
from tikzgen.edit.lift.read_elements import Elements
from tikzgen.edit.set_spacing_and_texts import macro_fields
from tikzgen.lint.inventory import LABEL, find_label_texts
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.spec.embedded_spec import rows_of
from tikzgen.texfile import Facts, Replacement, TextSpan, apply

# Code before the name of a node: (w1), ([xshift=1pt]w1.east), (w1 |- w2), of w1, name=w1.
_BEFORE_NAME = re.compile(r"(?:\(\s*(?:\[[^\]]*\]\s*)?|\|-\s*|-\|\s*|\bof[\s{]+|\bname\s*=\s*\{?\s*)$")
HIDDEN_MACRO = "hidden-macro"  # code of the error
_BEFORE_CHARS = 200  # characters before a name that show its use


class Renaming(Record):
    """New names of nodes, and of label macros with their backslash, by old names; applied simultaneously."""

    nodes: Mapping[str, str] = NOTHING
    macros: Mapping[str, str] = NOTHING

    def __bool__(self) -> bool:
        return bool(self.nodes or self.macros)

    def followed_by(self, other: Renaming) -> Renaming:
        """Return the renaming that has the effect of this one and then of the other one."""
        return Renaming(_compose(self.nodes, other.nodes), _compose(self.macros, other.macros))

    def rename_macros(self, macros: Iterable[str]) -> frozenset[str]:
        """Return the new names of macros."""
        return frozenset(self.macros.get(macro, macro) for macro in macros)

    def rename_rows(self, facts: Facts) -> list[str]:
        """Return the lines of a source with the new names."""
        spans = {span: new for old, new in self.macros.items() for span in facts.uses.get(old, ())}
        if self.nodes:
            known = {each.span for each in facts.references}
            known |= {each.name_span for each in facts.nodes if each.name_span}
            texts = [each.text_span for each in facts.nodes if each.text_span]
            names = "|".join(map(re.escape, sorted(self.nodes, key=len, reverse=True)))
            for use in re.finditer(rf"(?<![\w@\\-])(?:{names})(?![\w@-])", facts.code.mask):
                span = TextSpan(*use.span())
                if span in known or (_is_name(facts, span) and not _is_within(span, texts)):
                    spans[span] = self.nodes[use[0]]
        changes = [Replacement.make_for_span(facts.text, span, new) for span, new in spans.items()]
        return rows_of(apply(facts.text, changes).text)


NO_RENAMING = Renaming()


def _compose(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    both = {old: second.get(new, new) for old, new in first.items()}
    both |= {old: new for old, new in second.items() if old not in first and old not in first.values()}
    return {old: new for old, new in both.items() if old != new}


def _is_name(facts: Facts, span: TextSpan) -> bool:
    """Return whether code refers to a node."""
    return _BEFORE_NAME.search(facts.code.mask, max(0, span.start - _BEFORE_CHARS), span.start) is not None


def _is_within(span: TextSpan, others: Iterable[TextSpan]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in others)


def find_renaming(before: FigureModel, after: FigureModel) -> Renaming:
    """Return the renaming between two figures that differ in their ids only."""
    nodes: dict[str, str] = {}
    for (number, _, old), (_, _, new) in zip(before.parts(Content), after.parts(Content), strict=True):
        panel = f"{before.panels[number].id}-" if len(before.panels) > 1 else ""
        for (was, _), (now, _) in zip(old.named_parts(), new.named_parts(), strict=True):
            nodes |= {f"{panel}{was}{end}": f"{panel}{now}{end}" for end in ("", LABEL) if was != now}
    macros = {place: field.macro for field in macro_fields(after).values() for place in field.places}
    fields = macro_fields(before).items()
    renamed = {
        f"\\{macro}": f"\\{macros[place]}" for macro, field in fields for place in field.places if place in macros
    }
    return Renaming(nodes, {old: new for old, new in renamed.items() if old != new})


def rename_layout(before: FigureModel, after: FigureModel) -> None:
    """Rename the nodes in the layout that a figure keeps, for a figure that differs in its ids only."""
    if before.layout_record is None:
        return
    names: dict[str, tuple[str, dict[str, str]]] = {}
    for (number, _, old), (_, _, new) in zip(before.parts(Content), after.parts(Content), strict=True):
        _, known = names.setdefault(before.panels[number].id, (after.panels[number].id, {}))
        known.update({was: now for (was, _), (now, _) in zip(old.named_parts(), new.named_parts(), strict=True)})
    after.keep_layout(before.layout_record.rename(names))


def find_own_macros(hand: Elements, labels: Iterable[str]) -> dict[str, str]:
    """Return other names for the author's macros in a file that have the names of new labels.

    Raise `EditRefused` for a macro that the file does not define in the figure: other files may use it.
    """
    facts, found = hand.facts, {}
    for label in sorted(set(labels) & facts.uses.keys()):
        definition = facts.find_definition(label)
        if definition is None or facts.parameters is None or definition.span.start < facts.parameters.span.start:
            line = facts.lines.find_line(facts.uses[label][0].start)
            message = f"a new label would hide the macro {label} of line {line}"
            invariant = "the macros of labels are not those of the author"
            raise EditRefused(HIDDEN_MACRO, message, invariant=invariant, nearest="rename the macro in that line")
        name = label
        while name in facts.uses:
            name = f"\\own{name[1:]}"
        found[label] = name
    return found


def name_literal_labels(hand: Elements, drawn: Elements) -> list[str]:
    """Return the lines of a file in which added elements have the label macros of the lifted drawing.

    A label that the author wrote as text becomes its macro, with the definition. Return nothing without such labels.
    """
    facts = hand.facts
    macros = {
        key: macro
        for macro, keys in drawn.wearers.items()
        for key in keys
        if len(keys) == 1 and macro in drawn.texts and macro not in facts.uses
    }
    changes: list[Replacement] = []
    named: set[str] = set()
    for node in facts.nodes if macros and facts.parameters else ():
        keys = hand.statements.get(node.statement, set())
        macro = macros.get(drawn.find_wearer(min(keys)), "") if len(keys) == 1 else ""
        for span in (node.text_span, *find_label_texts(node)) if macro else ():
            if span and span.extract_from(facts.text).strip() == drawn.texts[macro]:
                changes.append(Replacement.make_for_span(facts.text, span, macro))
                named.add(macro)
    return rows_of(apply(facts.text, [*changes, *_define(named, hand, drawn)]).text) if named else []


def _define(macros: set[str], hand: Elements, drawn: Elements) -> Iterator[Replacement]:
    """Yield definitions of a drawing, each after its predecessor in the file or after all parameters."""
    facts, before = hand.facts, ""
    assert facts.parameters is not None, "a file with parameters"
    end = facts.parameters.end.start
    for each in drawn.definitions:
        if each.name in macros:
            place = facts.find_definition(before)
            at = end if place is None else min(facts.text.find("\n", place.span.end) + 1, end)
            row = drawn.rows[drawn.facts.lines.find_line(each.span.start) - 1]
            yield Replacement(TextSpan(at, at), "", row)
        elif each.name in hand.texts:
            before = each.name
