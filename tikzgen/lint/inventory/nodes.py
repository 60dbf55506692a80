"""Named nodes with their labels, the families that they form, and flows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from tikzgen.lint.inventory.inventory_facts import FlowInFile, NodeFamily, NodeInFile
from tikzgen.texfile import (
    Facts,
    SourceNode,
    SourceStyle,
    TextSpan,
    expand_name,
    named_passes,
    node_names,
    pairs_of_flow,
    parameter_values,
)

if TYPE_CHECKING:
    from tikzgen.emit.contract_for_programs import Family

LABEL = "-label"  # suffix of the name of a node that labels another one
_MACRO = re.compile(r"\\[A-Za-z@]+")
_OF_NODE = re.compile(r"(?:^|\s)of\s+\{?\(?([^.(){}]+)")
_NUMBERED_NAME = re.compile(r"(.*?)(\d+)$")
_LABEL_OPTION = re.compile(  # `below:Text`, `{[font=\small]below:{Text}}`
    r"\s*(\{)?\s*(?:\[[^\]]*\]\s*)?(?:[^\\{}$:]*:\s*)?(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(.*?))\s*(?(1)\})\s*", re.DOTALL
)
_MOST_WORKERS_COUNT = 512  # largest number that a recipe draws


def drawn_directly(facts: Facts, statement: int) -> bool:
    """Return whether a statement belongs to the figure itself, not to a picture inside a node or macro."""
    picture = facts.pictures[facts.statements[statement].picture]
    return picture.parent is None and picture.macro is None


def iterate_own_styles(facts: Facts) -> Iterator[SourceStyle]:
    """Yield the styles of the figure itself, without styles of the pictures inside icons."""
    for style in facts.styles:
        if not style.extends and (style.picture is None or not facts.pictures[style.picture].macro):
            yield style


def list_nodes_in_file(facts: Facts, panels: Sequence[str]) -> tuple[NodeInFile, ...]:
    """Return every named node, with loops unrolled, its labels, and its panel."""
    texts = parameter_values(facts)
    beside = _labels_of_nodes(facts, texts)
    styles = {style.name for style in facts.styles}
    found: list[NodeInFile] = []
    for index, node in enumerate(facts.nodes):
        if node.name is None or not drawn_directly(facts, node.statement):
            continue
        line, column = facts.find_line_and_column(
            node.span.start if node.inline else facts.statements[node.statement].span.start
        )
        for name, values in named_passes(facts, index).items():
            panel = find_panel(name, panels)
            macros = [*_find_label_macros(node.text or "", texts), *beside.get(name, ())]
            found.append(
                NodeInFile(
                    name=name,
                    id=name.removeprefix(f"{panel}-") if panel else name,
                    kind=node.kind,
                    panel=panel,
                    label=_in_pass(node, texts, values, macros) if values else _label(node, texts, macros),
                    labels=tuple(macros),
                    styles=tuple(option.key for option in node.options if option.key in styles),
                    icon=_find_icon(facts, node),
                    line=line,
                    column=column,
                )
            )
    return tuple(found)


def find_panel(name: str, panels: Sequence[str]) -> str:
    """Return the panel whose id begins a name: the longest, because one id may begin with another."""
    within = [panel for panel in panels if len(panels) > 1 and name.startswith(f"{panel}-")]
    return max(within, key=len, default="")


def _labels_of_nodes(facts: Facts, texts: dict[str, str]) -> dict[str, list[str]]:
    """Return label macros of nodes that label others: unnamed with `[below=2pt of w1]`, or named `w1-label`."""
    found: dict[str, list[str]] = {}
    for node in facts.nodes:
        if not node.text:
            continue
        if node.name is not None:
            if node.name.endswith(LABEL):
                found.setdefault(node.name.removesuffix(LABEL), []).extend(_find_label_macros(node.text, texts))
            continue
        for name in placed_beside(node):
            found.setdefault(name, []).extend(_find_label_macros(node.text, texts))
    return found


def placed_beside(node: SourceNode) -> list[str]:
    """Return the nodes relative to which a node is placed: `[below=2pt of w1]`."""
    placed = (_OF_NODE.search(option.value) for option in node.options if option.value)
    return [found[1].strip() for found in placed if found]


def find_label_texts(node: SourceNode) -> list[TextSpan]:
    """Return the spans of the labels in the `label` options of a node, but not their positions and options."""
    spans: list[TextSpan] = []
    for option in node.options:
        if option.key == "label" and option.value_span and (found := _LABEL_OPTION.fullmatch(option.value or "")):
            start, end = found.span(2 if found[2] is not None else 3)
            spans.append(TextSpan(option.value_span.start + start, option.value_span.start + end))
    return spans


def _find_label_macros(text: str, texts: dict[str, str]) -> list[str]:
    if "\\" not in text or "\\if" in text:  # operands of a condition are not labels
        return []
    return [macro for macro in _MACRO.findall(text) if macro in texts]


def _label(node: SourceNode, texts: dict[str, str], macros: list[str]) -> str:
    return ", ".join(texts[each] for each in macros) if macros else _plain_label(node)


def _in_pass(node: SourceNode, texts: dict[str, str], values: Mapping[str, str], macros: list[str]) -> str:
    r"""Return the label in one pass of a loop: `\prefix\i` is `P2` for a parameter `\prefix` and a variable `\i`."""
    own = expand_name((node.text or "").strip(), {**texts, **values})
    if "\\if" in own:
        return ""
    beside = [texts[each] for each in macros if each not in (node.text or "")]
    return ", ".join([*([own] if own else []), *beside])


def _plain_label(node: SourceNode) -> str:
    """Return the label of a node whose text is neither a macro nor a condition."""
    text = (node.text or "").strip()
    return "" if _MACRO.fullmatch(text) or "\\if" in text else text


def _find_icon(facts: Facts, node: SourceNode) -> str:
    """Return the macro of a picture that is the entire text of a node; else empty."""
    text = (node.text or "").strip()
    return text if any(picture.macro == text for picture in facts.pictures) else ""


def words_of(facts: Facts, index: int) -> str:
    """Return the text of a label as written."""
    return (facts.nodes[index].text or "").strip()


def group_families(
    facts: Facts, found: tuple[NodeInFile, ...], rows: Sequence[Family] = (), *, own: bool
) -> tuple[NodeFamily, ...]:
    """Return the families of nodes whose names differ only in a final number, with equal styles.

    Members of families in the contract (`rows`) are workers, and so are names that end in w and a number.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for node in found:
        spans = any(style.endswith("span") for style in node.styles)  # spans are numbered by their order in time
        if not spans and (counted := _NUMBERED_NAME.match(node.name)):
            groups.setdefault((counted[1], node.styles), []).append(node.name)
    listed = {reference.name for reference in facts.references if reference.role == "list"}
    families = []
    for (stem, _), members in groups.items():
        pattern = f"{stem}{{n}}"
        row = next((each for each in rows if each.names == pattern), None)
        worker = row is not None or stem.rpartition("-")[2] == "w"
        if len(members) > 1 or worker:
            least, most = (row.least, row.most) if row else (1, _MOST_WORKERS_COUNT if own and worker else None)
            in_list = not listed.isdisjoint(members)
            kind: Literal["worker", "series"] = "worker" if worker else "series"
            families.append(NodeFamily(pattern, kind, tuple(members), least, most, in_list))
    return tuple(families)


def _labelled_node(name: str, known: Collection[str]) -> str:
    """Return the node that `name` labels if flows end below that node, or the node itself."""
    owner = name.removesuffix(LABEL)
    return owner if owner in known else name


def list_flows_in_file(facts: Facts) -> tuple[FlowInFile, ...]:
    r"""Return every drawn flow, with loops unrolled, and the labels of a bare `\path` along it."""
    beside: dict[tuple[str, str], list[str]] = {}
    joins = [flow for flow in facts.flows if not _is_brace(facts, flow.statement)]
    for flow in joins:
        if not _is_drawn(facts, flow.statement):
            words = [words_of(facts, label) for label in flow.labels]
            for pair in pairs_of_flow(facts, flow):
                beside.setdefault(pair, []).extend(words)
    found = []
    known = {name for index in range(len(facts.nodes)) for name in node_names(facts, index)}
    all_known = not any("\\" in name or "#" in name for name in known)
    for flow in joins:
        if not drawn_directly(facts, flow.statement) or not _is_drawn(facts, flow.statement):
            continue
        words = [words_of(facts, label) for label in flow.labels if facts.nodes[label].text]
        for source, target in pairs_of_flow(facts, flow):
            label = ", ".join([*words, *beside.get((source, target), ())])
            loop = facts.statements[flow.statement].loop is not None
            if loop and all_known and not known.issuperset((source, target)):
                continue  # a condition skips this pass
            one, other = _labelled_node(source, known), _labelled_node(target, known)
            found.append(FlowInFile(one, other, flow.style, label, loop, *facts.find_line_and_column(flow.span.start)))
    return tuple(found)


def _is_drawn(facts: Facts, statement: int) -> bool:
    path = facts.statements[statement]
    return path.command != "path" or any(option.key in ("draw", "->", "<-", "<->") for option in path.options)


def _is_brace(facts: Facts, statement: int) -> bool:
    """Return whether a path is a brace next to nodes, which is not a flow."""
    options = facts.statements[statement].options
    return any(option.key == "decoration" and "brace" in (option.value or "") for option in options)
