"""Three-way merges: of lines, and of the tokens of lines that both sides changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import run
from conftest import example_tex, some
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.base.errors import EditRefused
from tikzgen.edit.merge import Sides, merge
from tikzgen.edit.own_figure import Own
from tikzgen.edit.session import Session
from tikzgen.model.operations.operations_table import read_operation

CASES = [
    ("nobody changed", "abc", "abc", "abc", "abc"),
    ("one side", "abc", "aXc", "abc", "aXc"),
    ("other side", "abc", "abc", "abY", "abY"),
    ("both, apart", "abcde", "Xbcde", "abcdY", "XbcdY"),
    ("both, side by side", "abc", "Xbc", "aYc", "XYc"),
    ("the same change", "abc", "aXc", "aXc", "aXc"),
    ("insertions apart", "abc", "aXbc", "abYc", "aXbYc"),
    ("deletion and change elsewhere", "abcd", "bcd", "abcY", "bcY"),
    ("insertion after a changed line", "ab", "Xb", "aYb", "XYb"),
    ("everything new on one side", "", "xyz", "", "xyz"),
]


@pytest.mark.parametrize(("base", "ours", "theirs", "wanted"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_merge(base: str, ours: str, theirs: str, wanted: str) -> None:
    merged = merge(base, ours, theirs)
    assert "".join(merged.lines) == wanted
    assert not merged.conflicts


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [("abc", "aXc", "aYc"), ("abc", "ac", "aYc"), ("ab", "aXb", "aYb"), ("abcd", "aXXXd", "abYd"), ("", "x", "y")],
)
def test_conflicts_are_reported_and_decided(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)
    assert len(merged.conflicts) == 1
    assert "".join(merge(base, ours, theirs, "ours").lines) == ours
    assert "".join(merge(base, ours, theirs, "theirs").lines) == theirs


LINES = st.text("abcd", max_size=12)


@given(LINES, LINES)
def test_one_side_alone_wins(base: str, other: str) -> None:
    assert "".join(merge(base, base, other).lines) == other
    assert "".join(merge(base, other, base).lines) == other
    assert "".join(merge(base, other, other).lines) == other


@given(LINES, LINES, LINES)
def test_sides_are_equal(base: str, ours: str, theirs: str) -> None:
    one, two = merge(base, ours, theirs), merge(base, theirs, ours)
    assert bool(one.conflicts) == bool(two.conflicts)
    assert {frozenset((c.ours, c.theirs)) for c in one.conflicts} == {
        frozenset((c.ours, c.theirs)) for c in two.conflicts
    }


# what stood there, what tikzgen makes of it, what a person made of it, and both together
TOKENS = {
    "a note at a line's end": (
        "  \\node (w1) at (\\colsep,\\rowsep) {\\gpupic};\n",
        "  \\node (w1) at (\\colsep,1.5*\\rowsep) {\\gpupic};\n",
        "  \\node (w1) at (\\colsep,\\rowsep) {\\gpupic}; % TODO ask Bob\n",
        "  \\node (w1) at (\\colsep,1.5*\\rowsep) {\\gpupic}; % TODO ask Bob\n",
    ),
    "a shift beside an added worker": (
        "  \\node (w1) at (\\colsep,\\rowsep) {};\n  \\node (w2) at (\\colsep,0) {};\n",
        "  \\node (w1) at (\\colsep,1.5*\\rowsep) {};\n  \\node (w2) at (\\colsep,0.5*\\rowsep) {};\n"
        "  \\node (w3) {};\n",
        "  \\node (w1) at (\\colsep,\\rowsep+0.2) {};\n  \\node (w2) at (\\colsep+0.1,0) {};\n",
        "  \\node (w1) at (\\colsep,1.5*\\rowsep+0.2) {};\n  \\node (w2) at (\\colsep+0.1,0.5*\\rowsep) {};\n"
        "  \\node (w3) {};\n",
    ),
    "a moved label": (
        "  \\path (ps) to node[slbl, pos=0.62, auto] {\\weightlabel} (w3.east);\n",
        "  \\path (ps) to node[slbl, pos=0.62, auto] {\\weightlabel} (w4.east);\n",
        "  \\path (ps) to node[slbl, pos=0.5, auto, yshift=2pt] {\\weightlabel} (w3.east);\n",
        "  \\path (ps) to node[slbl, pos=0.5, auto, yshift=2pt] {\\weightlabel} (w4.east);\n",
    ),
    "keys at one place": (
        "  \\node[slbl, below=2pt of ps] {\\pslabel};\n",
        "  \\node[slbl, below=2pt of ps, text width=1.4cm] {\\pslabel};\n",
        "  \\node[slbl, below=2pt of ps, xshift=3pt] {\\pslabel};\n",
        "  \\node[slbl, below=2pt of ps, text width=1.4cm, xshift=3pt] {\\pslabel};\n",
    ),
    "a note on a line that goes": (
        "  \\draw (a) -- (b);\n  \\draw (b) -- (c);\n",
        "  \\draw (b) -- (c);\n",
        "  \\draw (a) -- (b); % TODO ask Bob\n  \\draw (b) -- (c);\n",
        "  % TODO ask Bob\n  \\draw (b) -- (c);\n",
    ),
    "a note between lines that go": (
        "a\nb\nc\nd\n",
        "a\nd\n",
        "a\nb\n% mine\nc\nd\n",
        "a\n% mine\nd\n",
    ),
    "a note keeps its blanks where a line comes before it": (
        "  \\draw (c.north) -- node {\\c} (d.south);\n  \\draw (d.north) -- node {\\d} (a.south);\n",
        "  \\draw (c.west) -- node {\\c} (d.east);\n  \\draw (c.west) -- (e.east);\n"
        "  \\draw (d.north) -- node[pos=0.3] {\\d} (e.south);\n  \\draw (e.east) -- (a.west);\n",
        "  \\draw (c.north) -- node {\\c} (d.south);\n  % mine\n  \\draw (d.north) -- node {\\d} (a.south);\n",
        "  \\draw (c.west) -- node {\\c} (d.east);\n  \\draw (c.west) -- (e.east);\n  % mine\n"
        "  \\draw (d.north) -- node[pos=0.3] {\\d} (e.south);\n  \\draw (e.east) -- (a.west);\n",
    ),
    "two notes": ("x % one\n", "y % two\n", "x % mine\n", "y % mine\n"),
    "a note where a line comes": ("a\nb\n", "a\nX\nb\n", "a\n% mine\nb\n", "a\nX\n% mine\nb\n"),
    "a note on a line that is joined with the next": ("a\nb\n", "a b\n", "a % mine\nb\n", "a % mine\n b\n"),
    "a percent sign that is none": ("{5\\%} a\n", "{5\\%} b\n", "{6\\%} a\n", "{6\\%} b\n"),
    "nothing is left when both delete half of a line": ("ab 12\n", "ab", " 12\n", ""),
    "tabs for blanks": ("  \\draw a;\n", "    \\draw b;\n", "\t\\draw a;\n", "\t\\draw b;\n"),
}


@pytest.mark.parametrize("name", TOKENS)
def test_what_touches_other_tokens_is_put_together(name: str) -> None:
    base, ours, theirs, wanted = (text.splitlines(keepends=True) for text in TOKENS[name])
    merged = merge(base, ours, theirs, tokens=True)
    assert "".join(merged.lines) == "".join(wanted)
    assert not merged.conflicts


def test_a_text_that_both_sides_changed_is_a_conflict() -> None:
    base, ours, theirs = (
        [f"\\def\\onelabel{{{text}}}% label\n"] for text in ("Worker 1", "Worker 1 (slow)", "Straggler 1")
    )
    merged = merge(base, ours, theirs, tokens=True)
    assert [(each.ours, each.theirs) for each in merged.conflicts] == [(tuple(ours), tuple(theirs))]


def test_a_list_that_both_sides_changed_has_the_entries_of_both() -> None:
    base, ours, theirs = ([f"\\def\\workers{{{names}}}\n"] for names in ("w1,w2,w3", "w1,w2,w3,w4", "a,w2,w3"))
    merged = merge(base, ours, theirs, tokens=True)
    assert [*merged.lines] == ["\\def\\workers{a,w2,w3,w4}\n"]
    assert not merged.conflicts


def test_conflicts_are_lines_with_what_is_settled_in_them_and_are_chosen_one_by_one() -> None:
    base, ours, theirs = (
        text.splitlines(keepends=True) for text in ("p(1,2)\nq\nr(3)\n", "p(4,5)\nq\nr(6)\n", "p(7,2)\nq\nr(8)\n")
    )
    merged = merge(base, ours, theirs, tokens=True)
    assert [(each.number, each.line, each.ours, each.theirs) for each in merged.conflicts] == [
        (1, 1, ("p(4,5)\n",), ("p(7,5)\n",)),
        (2, 3, ("r(6)\n",), ("r(8)\n",)),
    ]
    chosen = merge(base, ours, theirs, Sides({2: "ours"}), tokens=True)
    assert [each.number for each in chosen.conflicts] == [1]
    assert chosen.lines[2] == "r(6)\n"
    assert "".join(merge(base, ours, theirs, Sides({2: "ours"}, "theirs"), tokens=True).lines) == "p(7,5)\nq\nr(6)\n"
    with pytest.raises(EditRefused, match="unknown conflict 3"):
        merge(base, ours, theirs, Sides({3: "ours"}), tokens=True)


PIECES = st.lists(
    st.sampled_from(["a", "b", "\\c", "{", "}", ",", "1.5", " ", "\n", "% note\n", " % more\n"]), max_size=12
)
TEXTS = PIECES.map(lambda pieces: "".join(pieces).splitlines(keepends=True))


@given(TEXTS, TEXTS)
def test_one_side_alone_wins_by_tokens(base: list[str], other: list[str]) -> None:
    assert list(merge(base, base, other, tokens=True).lines) == other
    assert list(merge(base, other, base, tokens=True).lines) == other


@given(TEXTS, TEXTS, TEXTS)
def test_no_note_of_theirs_is_lost(base: list[str], ours: list[str], theirs: list[str]) -> None:
    mine = [*theirs, "% my note\n"]
    merged = merge(base, ours, mine, tokens=True)
    if not merged.conflicts:
        assert "% my note" in "".join(merged.lines)
    for one in merged.conflicts:
        assert one.ours != one.theirs


FIGURE = example_tex("distributed-training")
BY_HAND = {
    "a note at a node": ("(w2) at (\\colsep,0) {\\gpupic};", "(w2) at (\\colsep,0) {\\gpupic}; % TODO ask Bob"),
    "a note at a flow": ("(data.east) -- (w2.west);", "(data.east) -- (w2.west); % TODO ask Bob"),
    "a note at a parameter": ("% middle GPU worker label", "% middle GPU worker label TODO ask Bob"),
    "a note at a list": ("{w1,w2,w3} {", "{w1,w2,w3} { % TODO ask Bob"),
    "a note of its own": ("  \\node[icon] (w3) at", "  % TODO ask Bob\n  \\node[icon] (w3) at"),
    "a worker aside": ("(w2) at (\\colsep,0)", "(w2) at (\\colsep+0.3,0)"),
    "a worker up": ("(w1) at (\\colsep,\\rowsep)", "(w1) at (\\colsep,\\rowsep+0.2)"),
    "a worker shifted": ("\\node[icon] (w2) at", "\\node[icon, xshift=2mm] (w2) at"),
    "a flow's label": ("flbl, auto] {\\weightlabel}", "flbl, pos=0.62, auto] {\\weightlabel}"),
    "a label aside": ("below=2pt of ps]", "below=2pt of ps, xshift=3pt]"),
    "a label lower": ("below=2pt of ps]", "below=4pt of ps]"),
    "the title": ("yshift=0.1cm]current", "yshift=0.4cm]current"),
    "the background": ("inner frame sep=0pt", "inner frame sep=0.2cm"),
}
CALLS: list[tuple[str, dict[str, str]]] = [("add-worker", {}), ("remove-worker", {"worker": "w3"})]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
@pytest.mark.parametrize("recorded", some([True, False]), ids=["drawn again", "only hashes"])
def test_hand_edits_beside_operations_are_no_conflict(
    call: tuple[str, dict[str, str]], recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = FIGURE.read_text(encoding="utf-8")
    if not recorded:  # the templates are others now: what stood on a line that was edited is known by its hash alone
        monkeypatch.setattr(Own, "first_rows", lambda self: None)
    for name, (old, new) in BY_HAND.items():
        if not recorded and "note" not in name:
            continue
        assert old in text
        session = Session(text.replace(old, new, 1), "fig.tex")
        assert session.apply(read_operation(*call)).status == "applied"
        edited = session.result()
        assert not edited.conflicts, name
        assert "TODO ask Bob" in edited.tex or "note" not in name, name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "manual edits kept"),
        ("--theirs", "manual edits kept"),
        ("--ours", "manual edits kept, except in conflicts (--ours)"),
    ],
)
def test_what_a_merge_keeps_is_said(words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text("recipe: data-parallel\n", encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    Path("fig.tex").write_text(Path("fig.tex").read_text("utf-8") + "% mine\n", encoding="utf-8")
    done = run("render", "fig.yaml", "--set", "workers=3", "--merge", *words.split())
    assert done.err == f"fig.tex written, {said}\n"


def test_what_was_taken_away_cannot_be_moved() -> None:
    text = FIGURE.read_text(encoding="utf-8").replace("(w3) at (\\colsep,", "(w3) at (1.2*\\colsep,")
    session = Session(text, "fig.tex")
    session.apply(read_operation("remove-worker", {"worker": "w3"}))
    (conflict,) = session.result().conflicts
    assert conflict.ours == ()
    assert "(w3) at (1.2*\\colsep," in conflict.theirs[0]


SPEC = """\
panels:
- content:
    type: topology
    nodes:
    - {id: client, kind: node, label: Client}
    - {id: cache, kind: node, label: Cache}
    - {id: store, kind: node, label: Store}
    flows: [{source: client, target: cache}, {source: client, target: store}]
"""


@pytest.mark.parametrize(("stated", "conflicts"), (("", False), (", offset: [0.2, 0]", True)))
def test_a_moved_node_keeps_its_offset_where_the_spec_moves_it(
    stated: str, conflicts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec, figure, fresh = Path("fig.yaml"), Path("fig.tex"), Path("fresh.tex")

    def place_of_cache(path: Path) -> float:
        return float(re.findall(r"\(cache\) at \((?:{[^,]*\+)?([\d.]+)}?,", path.read_text("utf-8"))[0])

    spec.write_text(SPEC, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    first = place_of_cache(figure)
    text = figure.read_text("utf-8")
    moved = re.sub(rf"(\(cache\) at \([^,]*){first:g}", lambda found: f"{found[1]}{first + 0.4:g}", text)
    figure.write_text(moved, encoding="utf-8")
    changed = SPEC.replace("Client", "A client with a long name").replace("Cache}", f"Cache{stated}}}")
    spec.write_text(changed, encoding="utf-8")
    assert run("render", "fig.yaml", "-o", "fresh.tex").status == 0
    done = run("render", "fig.yaml", "--merge")
    assert ("conflict 1: node cache" in done.err) is conflicts, done.err
    if not conflicts:
        assert place_of_cache(fresh) != first
        assert place_of_cache(figure) == pytest.approx(place_of_cache(fresh) + 0.4)
