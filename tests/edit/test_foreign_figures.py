"""Operations on figures of others: cases as data, there and back, and what the results look like to TeX."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pypdfium2
import pytest
from conftest import ROOT, example_tex, scaled, some
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures.goldens import sections_of
from ruamel.yaml import YAML

import tikzgen
import tikzgen.edit
from tikzgen.base.errors import EditRefused
from tikzgen.base.record import replace
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.edit.allowed_operations import names_in, reasons
from tikzgen.edit.foreign.family_members import require_spot as spot
from tikzgen.edit.foreign.foreign_session import ACTS, ForeignSession
from tikzgen.edit.operation_calls import OperationOutcome
from tikzgen.edit.session import Session
from tikzgen.emit.contract_for_programs import Contract, find_contract, list_packaged_contracts, read_contract
from tikzgen.emit.render_figure import render
from tikzgen.lint.check_figure import check
from tikzgen.lint.inventory import read_inventory
from tikzgen.model.operations.operations_table import OPERATIONS, read_operation
from tikzgen.texfile import Facts, scan
from tikzgen.texfile.source_text import decode
from tikzgen.texfile.sums_of_lengths import add_sums, spot_of

CASES = ROOT / "tests" / "cases"
FOREIGN = sections_of(CASES / "edit" / "foreign.txt")
"""Calls, each with what comes of it after the line `~~~~`: a difference or a refusal."""
SEED = CASES / "opentikz" / "distributed-training.tex"
CONTRACTS = Path(find_contract.__code__.co_filename).parent / "contracts"


def contract_of(path: Path | None, facts: Facts) -> Contract | None:
    found = find_contract(path, facts)
    return found[1] if found else None


Golden = Callable[[Path, str, str], None]


def before_of(call: dict[str, Any]) -> str:
    """The source that a case begins with."""
    text = decode((CASES / call["from"]).read_bytes())
    for old, new in call.get("change", ()):
        assert old in text
        text = text.replace(old, new, 1)
    text = text.replace("\n", "\r\n") if call.get("crlf") else text
    return "\ufeff" + text if call.get("bom") else text


def run(text: str, *operations: tuple[str, dict[str, Any]]) -> tuple[str, list[OperationOutcome]]:
    """Operations on a text, with the contract that tikzgen has for it."""
    session = ForeignSession(text, "fig.tex", contract_of(None, scan(text)))
    outcomes = [session.apply(read_operation(*operation)) for operation in operations]
    return session.result().tex, outcomes


def applied(text: str, *operations: tuple[str, dict[str, Any]]) -> str:
    """The result of operations that are all done."""
    after, outcomes = run(text, *operations)
    assert [each.status for each in outcomes] == ["applied"] * len(operations), outcomes
    return after


@pytest.mark.parametrize("case", some(FOREIGN, 3))
def test_cases(golden: Golden, case: str) -> None:
    asked = FOREIGN[case].partition("~~~~\n")[0]
    call = json.loads(asked)
    before = before_of(call)
    after, outcomes = run(before, *((name, arguments) for name, arguments in call["operations"]))
    last = outcomes[-1]
    if last.status == "applied":
        lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), n=0)
        shown = "".join(line if line.endswith("\n") else f"{line}\n" for line in list(lines)[2:])
        done = shown.replace("\r", "␍").encode("utf-8", "replace").decode()
    else:
        done = json.dumps(last.as_json(), indent=1, ensure_ascii=False) + "\n"
        if len(outcomes) == 1:
            assert after == before
    golden(CASES / "edit" / "foreign.txt", f"{asked}~~~~\n{done}", case)


@pytest.mark.parametrize("steps", [1, 2, 5, 9])
def test_a_worker_added_and_removed_leaves_every_byte(steps: int) -> None:
    text = decode(SEED.read_bytes())
    more = applied(text, *[("add-worker", {})] * steps)
    assert applied(more, *[("remove-worker", {})] * steps) == text


@pytest.mark.parametrize("steps", [1, 2])
def test_a_worker_removed_and_added_leaves_every_statement(steps: int) -> None:
    text = decode(SEED.read_bytes())
    fewer = applied(text, *[("remove-worker", {})] * steps)
    again = applied(fewer, *[("add-worker", {})] * steps)
    assert sorted(line.split() for line in again.splitlines()) == sorted(line.split() for line in text.splitlines())


@pytest.mark.parametrize(
    ("there", "back"),
    [
        (("recolor", {"what": "grad", "color": "otblue"}), ("recolor", {"what": "grad", "color": "otpurple"})),
        (("rename-id", {"old": "data", "new": "x"}), ("rename-id", {"old": "x", "new": "data"})),
        (("rename-id", {"old": "w3", "new": "w10"}), ("rename-id", {"old": "w10", "new": "w3"})),
        (("palette", {"palette": "dark"}), ("palette", {"palette": "light"})),
        (("swap-icon", {"node": "w1", "icon": "serverpic"}), ("swap-icon", {"node": "w2", "icon": "\\gpupic"})),
        (("set", {"parameter": "rowsep", "value": 3}), ("change-spacing", {"parameter": "rowsep", "value": 2.5})),
        (
            ("rename-node", {"node": "ps", "label": "100% {x}"}),
            ("rename-node", {"node": "ps", "label": "Parameter server"}),
        ),
        (
            ("add-flow", {"source": "w3", "target": "ps", "label": "a & b"}),
            ("remove-flow", {"source": "w3", "target": "ps", "kind": "data"}),
        ),
    ],
    ids=lambda each: each[0],
)
def test_there_and_back(there: tuple[str, dict[str, Any]], back: tuple[str, dict[str, Any]]) -> None:
    text = decode(SEED.read_bytes())
    if there[1].get("new") == "x":  # a node called like a style is what no edit may make
        text = text.replace("data/.style", "flow/.style").replace("[data]", "[flow]")
    assert applied(text, there, back) == text


@pytest.mark.parametrize("change", ["crlf", "bom"])
def test_line_ends_and_marks_stay(change: str) -> None:
    text = decode(SEED.read_bytes())
    wanted = applied(text, ("add-worker", {}), ("rename-id", {"old": "ps", "new": "server"}))
    call = {"from": "opentikz/distributed-training.tex", change: True}
    found = applied(before_of(call), ("add-worker", {}), ("rename-id", {"old": "ps", "new": "server"}))
    assert found == (wanted.replace("\n", "\r\n") if change == "crlf" else "\ufeff" + wanted)


def test_the_same_label_is_nothing_to_do() -> None:
    text = decode(SEED.read_bytes())
    for figure in read_inventory(SEED).parameters:
        after, outcomes = run(text, ("set", {"parameter": figure.name, "value": figure.value}))
        assert (after, outcomes[0].status) == (text, "noop")
    after, outcomes = run(text, ("rename-node", {"node": "w1", "label": "Worker 1"}))
    assert (after, outcomes[0].status) == (text, "noop")


def test_what_is_refused_leaves_the_rest_to_be_done() -> None:
    text = decode(SEED.read_bytes())
    after, outcomes = run(text, ("remove-worker", {"worker": "w9"}), ("add-worker", {}))
    assert [each.status for each in outcomes] == ["refused", "applied"]
    assert after == applied(text, ("add-worker", {}))


def test_a_file_is_edited_with_its_metadata_and_taken_back(tmp_path: Path) -> None:
    figure, beside = tmp_path / "fig.tex", tmp_path / "fig.meta.json"
    source, metadata = SEED.read_bytes().replace(b"\n", b"\r\n", 40), SEED.with_suffix(".meta.json").read_bytes()
    figure.write_bytes(source)
    beside.write_bytes(metadata)
    known = [each.code for each in check(figure)]
    tikzgen.edit.open(figure).add_worker().set("colsep", 5).save()
    listed = json.loads(beside.read_bytes())["edit_contract"]["parameters"]
    assert {"name": "\\workerfourlabel", "type": "text", "meaning": "label of w4"} in listed
    assert figure.read_bytes().count(b"\r\n") == 40
    assert [each.code for each in check(figure)] == known
    tikzgen.edit.open(figure).remove_worker().set("colsep", 4.6).save()
    assert (figure.read_bytes(), beside.read_bytes()) == (source, metadata)
    tikzgen.edit.undo(figure)
    assert b"workerfourlabel" in figure.read_bytes() and b"workerfourlabel" in beside.read_bytes()


def test_a_figure_whose_spec_cannot_be_used_is_edited_as_others_are(tmp_path: Path) -> None:
    place = tmp_path / "fig.tex"
    own = example_tex("distributed-training").read_text(encoding="utf-8")
    place.write_text(own.replace('"recipe": "', '"recipe": "no-'), encoding="utf-8")
    assert place.read_text(encoding="utf-8") != own
    tikzgen.edit.open(place).rename_node("w1", "A & B").save()
    assert "{A \\& B}" in place.read_text(encoding="utf-8")
    with pytest.raises(EditRefused) as refused:
        tikzgen.edit.open(place).width(8)
    assert refused.value.code == "not-own"


OPERATIONS_AT_RANDOM = st.sampled_from(
    [
        ("add-worker", {}),
        ("remove-worker", {}),
        ("remove-worker", {"worker": "w2"}),
        ("rename-id", {"old": "ps", "new": "server"}),
        ("rename-id", {"old": "w3", "new": "w9"}),
        ("recolor", {"what": "grad", "color": "otblue"}),
        ("recolor", {"what": "wts", "color": "otpurple"}),
        ("swap-icon", {"node": "w3", "icon": "serverpic"}),
        ("set", {"parameter": "rowsep", "value": 2}),
        ("rename-node", {"node": "w3", "label": "GPU {3} $x_3$"}),
        ("add-flow", {"source": "w3", "target": "ps", "kind": "data", "label": "more"}),
        ("remove-flow", {"source": "w3", "target": "ps", "kind": "data"}),
        ("palette", {"palette": "dark"}),
    ]
)


@pytest.mark.slow
@settings(max_examples=scaled(250), deadline=None)
@given(
    steps=st.lists(OPERATIONS_AT_RANDOM, min_size=1, max_size=6),
    notes=st.lists(st.integers(0, 106), max_size=5),
    mark=st.sampled_from(["% } a note {", "\t%\\fi", ""]),
)
def test_any_operations_keep_what_was_written_by_hand(
    steps: list[tuple[str, dict[str, Any]]], notes: list[int], mark: str
) -> None:
    lines = decode(SEED.read_bytes()).splitlines(keepends=True)
    for place in notes:
        lines.insert(place, f"{mark}{place}\n" if mark else "\n")
    text = "".join(lines)
    after, outcomes = run(text, *steps)
    assert {each.status for each in outcomes} <= {"applied", "noop", "refused"}
    facts = scan(after)
    assert facts.errors == ()
    left = [line for line in after.splitlines() if mark and line.startswith(mark)]
    assert left == [line.rstrip("\n") for line in lines if mark and line.startswith(mark)]
    workers = [node for node in facts.nodes if re.fullmatch(r"w\d+", node.name or "")]
    heights = [spot(facts, node).y for node in workers]
    total = heights[0]
    for height in heights[1:]:
        total = add_sums(total, height)
    assert total == {}, "the workers are centred"


def test_contracts_are_found_and_fit_their_schema(tmp_path: Path) -> None:
    schema = json.loads((CONTRACTS / "contract.schema.json").read_text(encoding="utf-8"))
    assert schema == {"$schema": "https://json-schema.org/draft/2020-12/schema", **Contract.model_json_schema()}
    jsonschema.Draft202012Validator.check_schema(schema)
    facts = scan(decode(SEED.read_bytes()))
    packaged = find_contract(SEED, facts)
    assert packaged is not None and packaged[0] == "distributed-training.contract.json"
    assert contract_of(tmp_path / "fig.tex", scan("\\tikz\\node (w1) {};")) is None
    own = json.loads((CONTRACTS / "distributed-training.contract.json").read_text(encoding="utf-8"))
    jsonschema.validate(own, schema)
    (tmp_path / "fig.contract.json").write_text(json.dumps({**own, "figure": "mine"}), encoding="utf-8")
    found = contract_of(tmp_path / "fig.tex", facts)
    assert isinstance(found, Contract)
    assert found.figure == "mine"
    for broken in ({**own, "operations": {"add-worker": ["dance"]}}, {**own, "more": 1}, {}):
        with pytest.raises(EditRefused) as refused:
            read_contract(json.dumps(broken))
        assert refused.value.code == "contract-invalid"


def test_what_is_possible_is_what_the_table_says() -> None:
    figure = read_inventory(SEED)
    names = names_in(figure)
    assert [name for name, each in OPERATIONS.items() if not reasons(each, figure, names)] == [
        name for name in OPERATIONS if name in ACTS and name not in figure.contract_prose
    ]
    assert reasons(OPERATIONS["add-worker"], replace(figure, contract=""), names)


@pytest.mark.tex
def test_results_compile_and_a_renamed_figure_is_the_same_picture() -> None:
    text = decode(SEED.read_bytes())
    renamed = [("rename-id", {"old": old, "new": new}) for old, new in (("ps", "server"), ("w3", "w10"))]
    figures = [
        text,
        applied(text, *renamed),
        *(applied(text, *[("add-worker", {})] * steps) for steps in (1, 2, 5)),
        applied(text, ("remove-worker", {"worker": "w2"})),
        applied(text, ("add-flow", {"source": "data", "target": "w1", "kind": "grad", "label": "50% & more"})),
    ]
    preamble, _, _ = text.partition("\\begin{document}")
    pages = ["\\begin{page}" + each.split("{document}")[1].removesuffix("\\end") + "\\end{page}" for each in figures]
    head = preamble.replace("[border=10pt]", "[border=10pt,multi=page]") + "\\newenvironment{page}{}{}\n"
    pdf = compile_tex("\n".join([head, "\\begin{document}", *pages, "\\end{document}\n"])).pdf
    document = pypdfium2.PdfDocument(pdf)
    pictures = [bytes(page.render().buffer) for page in document]
    assert len(pictures) == len(figures)
    assert pictures[0] == pictures[1]
    assert len(set(pictures)) == len(figures) - 1


@pytest.mark.tex
def test_an_icon_that_was_brought_along_is_drawn() -> None:
    text = decode(SEED.read_bytes())
    swapped = applied(text, ("swap-icon", {"node": "w1", "icon": "cpu"}), ("swap-icon", {"node": "ps", "icon": "lock"}))
    assert compile_tex(swapped).pdf != compile_tex(text).pdf


LAYERS = CASES / "others" / "layers.tex"


@pytest.mark.parametrize("indent", [2, 4, "\t", None])
def test_metadata_keep_their_style(indent: int | str | None, tmp_path: Path) -> None:
    figure, beside = tmp_path / "fig.tex", tmp_path / "fig.meta.json"
    figure.write_bytes(SEED.read_bytes())
    spelt = partial(json.dumps, indent=indent, ensure_ascii=False)
    beside.write_text(spelt(json.loads(SEED.with_suffix(".meta.json").read_text("utf-8"))), encoding="utf-8")
    before = beside.read_text("utf-8")
    tikzgen.edit.open(figure).add_worker().save()
    after = beside.read_text("utf-8")
    assert after != before
    assert after == spelt(json.loads(after))


def with_metadata(
    source: Path, *operations: tuple[str, dict[str, Any]]
) -> tuple[ForeignSession, list[OperationOutcome]]:
    """Operations on a figure whose metadata stand beside it."""
    session = ForeignSession.of(decode(source.read_bytes()), source)
    return session, [session.apply(read_operation(*operation)) for operation in operations]


@pytest.mark.parametrize(
    ("source", "operation", "code", "invariant"),
    [
        (SEED, ("rename-id", {"old": "ps", "new": "server"}), "invariant", "TG226: fixed-name"),
        (LAYERS, ("rename-id", {"old": "out", "new": "scores"}), "invariant", "TG226: fixed-name"),
        (SEED, ("set", {"parameter": "colsep", "value": 3}), "too-small", ""),
        (SEED, ("set", {"parameter": "rowsep", "value": 30}), "too-large", ""),
        (SEED, ("set", {"parameter": "datalabel", "value": ""}), "invariant", "TG203: parameter-value"),
        (LAYERS, ("set", {"parameter": "pitch", "value": "wide"}), "no-number", ""),
        (LAYERS, ("set", {"parameter": "sizes", "value": "2,many,2"}), "no-integer", ""),
        (LAYERS, ("set", {"parameter": "names", "value": "In,,Out"}), "no-list", ""),
    ],
    ids=lambda each: "",
)
def test_what_the_metadata_forbid_is_refused(
    source: Path, operation: tuple[str, dict[str, Any]], code: str, invariant: str
) -> None:
    session, (outcome,) = with_metadata(source, operation)
    assert (outcome.status, outcome.code, outcome.invariant) == ("refused", code, invariant)
    assert session.result().tex == decode(source.read_bytes())


def test_lists_that_belong_together_are_changed_together() -> None:
    shorter = ("set", {"parameter": "sizes", "value": "2,4"})
    session, (outcome,) = with_metadata(LAYERS, shorter)
    assert outcome.status == "applied"
    with pytest.raises(EditRefused, match=r"names has 3 entries, \\sizes has 2") as refused:
        session.result()
    assert refused.value.invariant == "TG225: list-lengths"
    session, outcomes = with_metadata(LAYERS, shorter, ("set", {"parameter": "names", "value": "{In,Out}"}))
    assert [each.status for each in outcomes] == ["applied", "applied"]
    assert "\\def\\sizes{2,4}%" in session.result().tex
    assert "\\def\\names{In,Out}%" in session.result().tex


def test_a_figure_keeps_its_contract_when_its_first_worker_goes(tmp_path: Path) -> None:
    for source in (SEED, SEED.with_suffix(".meta.json")):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    path = tmp_path / SEED.name
    tikzgen.edit.open(path).remove_worker("w1").save()
    assert read_inventory(path).contract
    assert {each.code for each in check(path)} == {"TG212", "TG213"}
    tikzgen.edit.open(path).add_worker().swap_icon("w2", "server").save()
    assert "{\\serverpic}" in path.read_text(encoding="utf-8")


RELAY = CASES / "others" / "relay.tex"


def relayed(operation: str, **arguments: Any) -> tuple[OperationOutcome, str]:
    """An operation on a figure whose metadata say of which type its parameters are; and the lines that are new."""
    text = decode(RELAY.read_bytes())
    session = ForeignSession.of(text, RELAY)
    outcome = session.apply(read_operation(operation, arguments))
    lines = set(text.splitlines())
    return outcome, "\n".join(line for line in session.result().tex.splitlines() if line not in lines)


@pytest.mark.parametrize(
    ("parameter", "value", "line"),
    [
        ("hops", 5, r"\def\hops{5}% number of relays"),
        ("hops", "4", r"\def\hops{4}% number of relays"),
        ("pace", "2 cm", r"\def\pace{2}% distance from relay to relay (cm); also from source to sink"),
        ("tall", 25, r"\def\tall{25pt}% least height of a box"),
        ("tall", "31.5pt", r"\def\tall{31.5pt}% least height of a box"),
        ("signs", "none", r"\def\signs{none}% full or none: what stands in the relays"),
        ("ends", 0, r"\def\ends{0}% 1 draws the sink, 0 does not"),
        ("stem", "Hop", r"\def\stem{Hop}% what the names of relays begin with"),
    ],
)
def test_a_parameter_is_set_as_the_type_in_its_metadata_says(parameter: str, value: Any, line: str) -> None:
    outcome, new = relayed("set", parameter=parameter, value=value)
    assert (outcome.status, new) == ("applied", line)


@pytest.mark.parametrize(
    ("parameter", "value", "code", "nearest"),
    [
        ("hops", 2.5, "no-integer", "set hops 3"),
        ("hops", "many", "no-number", "set hops 3"),
        ("pace", "3pt", "no-number", "set pace 1.5"),
        ("pace", -1, "too-small", "set pace=0"),
        ("tall", "2cm", "no-number", "set tall 20pt"),
        ("tall", "high", "no-number", "set tall 20pt"),
        ("signs", "some", "no-choice", "full, none"),
        ("ends", 7, "no-choice", "0, 1"),
    ],
)
def test_a_parameter_is_not_set_to_what_its_type_forbids(parameter: str, value: Any, code: str, nearest: str) -> None:
    outcome, new = relayed("set", parameter=parameter, value=value)
    assert (outcome.status, outcome.code, outcome.nearest, new) == ("refused", code, nearest, "")


def test_a_node_that_others_stand_beside_gets_another_name() -> None:
    outcome, new = relayed("rename-id", old="sink", new="drain")
    assert outcome.status == "applied"
    assert new.splitlines() == [
        r"  \node[box, right=of source] (drain) {Sink};",
        r"  \node[box, above right=of drain] (far) {Far};",
        r"  \draw[wire] (source) -- (drain);",
        r"  \ifnum\ends>0 \draw[wire] (relay-\hops) -- (drain); \fi",
    ]
    _, new = relayed("rename-id", old="source", new="origin")
    assert r"right=of origin" in new


def test_the_colour_of_a_style_is_that_of_its_lines_and_areas() -> None:
    outcome, new = relayed("recolor", what="box", color="otteal")
    assert outcome.status == "applied"
    assert new.strip() == r"box/.style={draw=otteal, fill=otteal!20, text=otgray, minimum height=\tall},"


def test_loops_over_parameters_are_unrolled() -> None:
    figure = read_inventory(RELAY)
    assert [(node.name, node.label) for node in figure.nodes] == [
        ("source", "Source"),
        ("sink", "Sink"),
        ("far", "Far"),
        ("relay-1", "R1"),
        ("relay-2", "R2"),
        ("relay-3", "R3"),
        ("sign", ""),
    ]
    assert [(flow.source, flow.target) for flow in figure.flows] == [
        ("source", "sink"),
        ("relay-1", "relay-2"),
        ("relay-2", "relay-3"),
        ("relay-3", "sink"),
    ]
    assert {each.name: each.unit for each in figure.parameters}["\\pace"] == "cm"


TABLES = YAML(typ="safe").load((CASES / "edit" / "tables.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", TABLES["cases"], ids=lambda each: f"{each['figure']}-{each['calls'][-1][0]}")
def test_a_contract_is_a_table(case: dict[str, Any]) -> None:
    figure = TABLES["figures"][case["figure"]]
    contract = read_contract(json.dumps({"contract": 2, "figure": case["figure"], **figure["contract"]}))
    session = ForeignSession(figure["text"], "fig.tex", contract)
    outcomes = [session.apply(read_operation(*call)) for call in case["calls"]]
    code = next((each.code for each in outcomes if each.status != "applied"), "")
    try:
        after = session.result().tex
    except EditRefused as refused:
        code, after = refused.code, figure["text"]
    assert code == case.get("refused", ""), outcomes
    assert [part for part in case.get("has", ()) if part not in after] == []
    assert [part for part in case.get("lacks", ()) if part in after] == []
    assert (after == figure["text"]) == case.get("same", len(outcomes) == 1 and bool(code))


@pytest.mark.parametrize(
    ("figure", "old", "new", "code", "message"),
    [
        ("frame", "store/.style={draw=otteal}", "store/.style={draw=otblue}", "TG207", 'styles "part" and "store"'),
        ("lists", "\\def\\sizes{2,3}", "\\def\\sizes{2,3,4}", "TG225", "\\names has 2 entries, \\sizes has 3"),
        ("lists", "\\def\\sizes{2,3}", "\\def\\sizes{}", "TG225", "\\sizes has no entries"),
    ],
    ids=lambda each: "",
)
def test_check_reads_the_table(figure: str, old: str, new: str, code: str, message: str, tmp_path: Path) -> None:
    case = TABLES["figures"][figure]
    table = {"contract": 2, "figure": figure, **case["contract"]}
    (tmp_path / "fig.contract.json").write_text(json.dumps(table), encoding="utf-8")
    path = tmp_path / "fig.tex"
    assert old in case["text"]
    path.write_text(case["text"], encoding="utf-8")
    assert code not in {each.code for each in check(path)}
    path.write_text(case["text"].replace(old, new), encoding="utf-8")
    assert message in " ".join(each.message for each in check(path) if each.code == code)


def test_show_allows_the_operations_of_the_table(tmp_path: Path) -> None:
    allowed = {}
    for name in ("cards", "frame"):
        case = TABLES["figures"][name]
        table = {"contract": 2, "figure": name, **case["contract"]}
        (tmp_path / f"{name}.contract.json").write_text(json.dumps(table), encoding="utf-8")
        (tmp_path / f"{name}.tex").write_text(case["text"], encoding="utf-8")
        figure = read_inventory(tmp_path / f"{name}.tex")
        allowed[name] = [each for each, kind in OPERATIONS.items() if not reasons(kind, figure, names_in(figure))]
        assert [(each.kind, each.least, each.most) for each in figure.families] == [("worker", 2, 4)] * (
            name == "cards"
        )
    assert {"add-worker", "remove-worker"} <= {*allowed["cards"]}
    assert "add-worker" not in allowed["frame"]
    assert "add-group" in allowed["frame"]


@pytest.mark.tex
def test_figures_with_members_and_components_compile() -> None:
    for case in (each for each in TABLES["cases"] if "has" in each):
        figure = TABLES["figures"][case["figure"]]
        contract = read_contract(json.dumps({"contract": 2, "figure": "fig", **figure["contract"]}))
        session = ForeignSession(figure["text"], "fig.tex", contract)
        for call in case["calls"]:
            session.apply(read_operation(*call))
        assert compile_tex(session.result().tex).pdf


def test_packaged_contracts_name_their_figures() -> None:
    figures = [each.figure for each in list_packaged_contracts()]
    assert len(figures) == 9
    assert figures == [path.name.partition(".")[0] for path in sorted(CONTRACTS.glob("*.contract.json"))]


TWO = r"""\begin{document}
\definecolor{otblue}{HTML}{0072B2}\definecolor{otteal}{HTML}{009E73}
\begingroup
\tikzset{a/.style={draw=otteal}}
\begin{tikzpicture}\node[a] (x) {A};\end{tikzpicture}
\endgroup
\begingroup
\def\tint{otteal}
\begin{tikzpicture}\node[text=otteal] {L};\end{tikzpicture}
\endgroup
\end{document}
"""


def test_an_edit_of_one_figure_leaves_a_second_one() -> None:
    contract = {"contract": 2, "figure": "two", "followers": [{"text": "L", "color_of": "a"}]}
    session = ForeignSession(TWO, "fig.tex", read_contract(json.dumps(contract)))
    outcome = session.apply(read_operation("recolor", {"what": "a", "color": "otblue"}))
    assert (outcome.status, outcome.code) == ("refused", "several-figures")
    assert "line 7" in outcome.message
    assert session.result().tex == TWO


BOTH = r"""\begin{document}
\definecolor{otblue}{HTML}{0072B2}\definecolor{otteal}{HTML}{009E73}
\begingroup
% ==== parameters (edit these) ====
\def\gap{2}% distance (cm)
\def\xlabel{A}
% ====
\begin{tikzpicture}[a/.style={draw=otteal}]\node[a] (x) at (\gap,0) {\xlabel};\end{tikzpicture}
\endgroup
\begingroup
\def\gap{3}
\def\xlabel{B}
\begin{tikzpicture}[a/.style={draw=otteal}]\node[a] (y) at (\gap,0) {B};\end{tikzpicture}
\endgroup
\end{document}
"""


@pytest.mark.parametrize(
    "call",
    [
        ("set", {"parameter": "gap", "value": 4}),
        ("rename-node", {"node": "x", "label": "C"}),
        ("recolor", {"what": "a", "color": "otblue"}),
    ],
    ids=lambda each: each[0],
)
def test_a_name_that_two_figures_define_is_refused(call: tuple[str, dict[str, Any]]) -> None:
    outcome = ForeignSession(BOTH, "fig.tex", None).apply(read_operation(*call))
    assert (outcome.status, outcome.code) == ("refused", "several-figures")
    assert "line 10" in outcome.message
    alone = (
        BOTH.replace("\\gap{3}", "\\span{3}")
        .replace("\\def\\xlabel{B}\n", "")
        .replace("[a/.style={draw=otteal}]\\node[a] (y)", "\\node (y)")
    )
    session = ForeignSession(alone, "fig.tex", None)
    assert session.apply(read_operation(*call)).status == "applied"
    second = alone.rindex("\\begingroup")
    assert session.result().tex.endswith(alone[second:])


@pytest.mark.parametrize(
    "call",
    [
        ("add-worker", {}),
        ("remove-worker", {"worker": "w2"}),
        ("set", {"parameter": "rowsep", "value": 3}),
        ("rename-node", {"node": "w1", "label": "GPU"}),
    ],
    ids=lambda each: each[0],
)
def test_the_table_of_an_own_figure_edits_it_without_its_spec(call: tuple[str, dict[str, Any]]) -> None:
    figure = tikzgen.load(ROOT / "examples" / "distributed-training.yaml")
    drawn = render(figure)
    bare = drawn.tex.partition("\\end{document}")[0] + "\\end{document}\n"
    foreign = ForeignSession(bare, "fig.tex", drawn.contract)
    assert foreign.apply(read_operation(*call)).status == "applied"
    own = Session(drawn.tex, "fig.tex")
    assert own.apply(read_operation(*call)).status == "applied"
    made, wanted = (scan(each.result().tex) for each in (foreign, own))
    assert describe(made) == describe(wanted)


def describe(facts: Facts) -> dict[str, Any]:
    """The nodes with their places, the flows, the lists, and the parameters of a figure without their comments."""
    return {
        "nodes": {each.name: (spot.x, spot.y) for each in facts.nodes if each.name and (spot := spot_of(facts, each))},
        "flows": {
            (each.source.name, each.target.name, each.style)
            for each in facts.flows
            if facts.statements[each.statement].command == "draw"
        },
        "lists": [each.list_span.extract_from(facts.text) for each in facts.loops],
        "parameters": [(each.name, each.value) for each in facts.parameters.parameters],
    }


def test_the_table_of_an_own_figure_states_floors_families_and_colors() -> None:
    figures = {
        name: render(tikzgen.load(ROOT / "examples" / f"{name}.yaml")) for name in ("distributed-training", "mapreduce")
    }
    table = json.loads(figures["distributed-training"].contract.model_dump_json(exclude_defaults=True))
    assert table == {
        "contract": 2,
        "figure": "distributed-training",
        "parameters": {"\\colsep": {"least": 3.72, "multiples": {"\\rowsep": 1.11}}, "\\rowsep": {"least": 1.93}},
        "families": [
            {
                "names": "w{n}",
                "most": 512,
                "label": "\\worker{word}label",
                "text": "Worker {n}",
                "column": "\\colsep",
                "step": "\\rowsep",
                "flows": [
                    {"style": "grad", "towards": "away"},
                    {"style": "wts", "towards": "member"},
                    {"style": "data", "towards": "member"},
                ],
            }
        ],
        "distinct": [["data", "grad", "wts"]],
    }
    columns = {each.names: (each.column, each.step) for each in figures["mapreduce"].contract.families}
    assert columns == {"map{n}": ("\\colsep", "\\rowsep"), "red{n}": ("2*\\colsep", "\\rowsep")}


@pytest.mark.parametrize(("colsep", "least"), [(3.7, 3.72), (4.4, 4.44)])
def test_a_floor_may_be_a_multiple_of_another_distance(colsep: float, least: float) -> None:
    drawn = render(tikzgen.load(ROOT / "examples" / "distributed-training.yaml"))
    bare = drawn.tex.partition("\\end{document}")[0].replace("\\rowsep{2.5}", f"\\rowsep{{{2.5 if least < 4 else 4}}}")
    outcome = ForeignSession(bare, "fig.tex", drawn.contract).apply(
        read_operation("set", {"parameter": "colsep", "value": colsep})
    )
    assert (outcome.code, outcome.nearest) == ("too-small", f"set colsep={least}")
