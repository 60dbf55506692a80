"""`tikzgen check --fix` mends what its findings say and keeps every other byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import strategies
from command import run
from conftest import example_tex, scaled, some
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from mutants import OF_OTHERS, OF_TIMELINES, OF_TOPOLOGIES, Mutant, figure
from opentikz import SEED
from papers import typeset
from source import TEXTS
from strategies import many, rendered

from tikzgen import Figure
from tikzgen.base.errors import FileRefused
from tikzgen.lint import fixing
from tikzgen.lint.check_figure import broken_written
from tikzgen.lint.fixing import Fixed, fix, fix_figure
from tikzgen.lint.inventory.metadata_text import Metadata
from tikzgen.lint.rule_table import all_rules
from tikzgen.lint.written_tex import FigureFile, read_written
from tikzgen.texfile.source_text import encode

OWN, TIMELINE = example_tex("distributed-training"), example_tex("overlap")
MUTANTS = [(SEED, each) for each in OF_OTHERS]
MUTANTS += [(OWN, each) for each in OF_TOPOLOGIES] + [(TIMELINE, each) for each in OF_TIMELINES]
# mended, they are what tikzgen wrote
RESTORED = {"no % behind a colour", "paper drifted", "a label as words", "a hand-moved worker", "a text as words"}
RESTORED |= {"an icon in a stock colour", "a phase in a stock colour", "a palette of two variants"}
RESTORED |= {"no % behind a parameter", "a blank behind a legend entry"}


def codes(found: FigureFile) -> list[str]:
    return [each.code for each in broken_written(found)]


@pytest.mark.parametrize(("path", "mutant"), some(MUTANTS), ids=[each.name for _, each in MUTANTS])
def test_fixing_changes_lines_with_findings_once_and_leaves_what_a_person_has_to_decide(
    path: Path, mutant: Mutant
) -> None:
    before = figure(path, mutant.before, mutant.after)
    done = fix_figure(before)
    assert fix_figure(done.after).texts == ()
    assert not any(each.fix for each in broken_written(done.after))
    assert set(codes(done.after)) <= set(codes(before))
    assert bool(done.mended) == bool(done.texts)
    mendable = {rule.code for rule in all_rules() if rule.fixes}
    assert {each.code for each in done.mended} <= mendable
    edits = [each for finding in done.mended if finding.fix for each in finding.fix.figure]
    old, new = before.facts.text, done.after.facts.text
    assert len(new) - len(old) == sum(len(each.new) - len(each.old) for each in edits)
    kept = [line for line in old.splitlines() if line in new.splitlines()]
    assert len(old.splitlines()) - len(kept) <= len(edits)


@pytest.mark.parametrize(
    "spell",
    some([str, lambda text: text.replace("\n", "\r\n"), lambda text: f"\ufeff{text}"]),
    ids=["lf", "crlf", "bom"],
)
def test_what_was_broken_is_as_it_was(spell: Callable[[str], str]) -> None:
    restored = set()
    for path, mutant in MUTANTS[len(OF_OTHERS) :]:
        text, metadata = path.read_text(encoding="utf-8"), path.with_suffix(".meta.json").read_bytes()
        broken = spell(text.replace(mutant.before, mutant.after, 1)).encode()
        done = fix_figure(read_written("fig.tex", broken, Metadata.parse_file("fig.meta.json", metadata)))
        if encode(done.after.facts.text) == spell(text).encode() and done.texts:
            restored.add(mutant.name)
            assert broken_written(done.after) == ()
    assert restored == RESTORED


@pytest.mark.slow
@given(TEXTS)
def test_any_text_can_be_fixed(text: str) -> None:
    before = read_written("fig.tex", encode(text), Metadata.parse_file("fig.meta.json", None))
    done = fix_figure(before)
    assert fix_figure(done.after).texts == ()
    assert len(done.after.facts.errors) <= len(before.facts.errors)


@pytest.mark.tex
def test_the_page_changes_by_the_blanks_alone(tmp_path: Path) -> None:
    changes = [("(w3) at (\\colsep, -\\rowsep)", "(w3) at (4.6, -2.5)"), ("{\\pslabel};", "{Parameter server};")]
    changes += [
        ("\\node[slbl, text=otteal!70!black] ", "\\node[slbl] "),
        ("{\\weightlabel}", "{\\color[HTML]{009E73}\\weightlabel}"),
    ]
    text = SEED.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    done = fix_figure(read_written("fig.tex", text.encode(), Metadata.parse_file("fig.meta.json", None)))
    assert {each.code for each in done.mended} == {"TG208", "TG212", "TG216", "TG217"}
    assert codes(done.after) == ["TG213", "TG205"]
    (blanks,) = [each.fix.figure for each in done.mended if each.code == "TG212" and each.fix]
    tight = text.replace("    % horizontal", "% horizontal").replace("    % vertical", "% vertical")
    tight = "\n".join(
        f"{line}%" if line.startswith("\\def") and line.endswith("}") else line for line in tight.split("\n")
    )
    pages = [
        typeset(tmp_path, name, source).pages()[0]
        for name, source in (("as-it-was", text), ("tight", tight), ("mended", done.after.facts.text))
    ]
    assert pages[1] == pages[2]
    assert pages[0].width - pages[2].width == pytest.approx(len(blanks) * 3.33, abs=0.5)


def test_a_colour_of_ones_own_goes_where_the_palette_has_it() -> None:
    palette = "\\definecolor{otblue}{HTML}{0072B2}\n\\definecolor{otteal}{HTML}{009E73}\n"
    body = "\\begin{tikzpicture}[x/.style={draw=mine!50}]\n  \\draw[mine, fill=mine!20] (0,0) -- (1,1);\n"
    body += "\\end{tikzpicture}\n"
    own = "\\definecolor{mine}{RGB}{0,114,178}\n"
    done = fix_figure(
        read_written("fig.tex", (palette + own + body).encode(), Metadata.parse_file("fig.meta.json", None))
    )
    assert done.after.facts.text == palette + body.replace("mine", "otblue")
    # where nobody can tell what a name means, it stays
    hidden = palette + own + body + "\\mymacro{mine}\n"
    assert fix_figure(read_written("fig.tex", hidden.encode(), Metadata.parse_file("fig.meta.json", None))).texts == ()


# ---- metadata ----


def test_metadata_of_own_figures_follow_the_figure(tmp_path: Path) -> None:
    place = tmp_path / "fig.tex"
    text = OWN.read_text(encoding="utf-8")
    changed = [
        ("{4.6}% ", "{5}% "),
        ("\\def\\titlelabel", "\\def\\more{0.3}% a gap of mine (cm)\n\\def\\titlelabel"),
        (" at (0,0) {", " at (0,\\more) {"),
    ]
    changed += [
        ("positioning}", "positioning, fit}"),
        ("{\\titlelabel};\n", "{};\n"),
    ]
    changed += [("\\def\\titlelabel{Distributed data-parallel training}% figure title\n", "")]
    for before, after in changed:
        assert before in text
        text = text.replace(before, after, 1)
    place.write_text(text, encoding="utf-8")
    beside = place.with_suffix(".meta.json")
    beside.write_bytes(OWN.with_suffix(".meta.json").read_bytes())
    assert {each.code for each in fix(place).mended} == {"TG202", "TG210", "TG214"}
    fix(place).save()
    assert place.read_text(encoding="utf-8") == text
    assert run("check", str(place)).status == 0
    told = json.loads(beside.read_bytes())
    listed = {each["name"]: each for each in told["edit_contract"]["parameters"]}
    assert listed["\\colsep"]["default"] == "4.6"  # what tikzgen wrote; another value is no finding
    assert listed["\\more"] == {"name": "\\more", "type": "length-cm", "meaning": "a gap of mine", "default": "0.3"}
    assert "\\titlelabel" not in listed
    defined = re.findall(r"^\\def(\\\w+)\{", text, re.MULTILINE)
    assert [*listed] == [name for name in defined if name in listed]
    assert told["requires"] == ["tikz", "arrows.meta", "backgrounds", "positioning", "fit"]


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"{}", b'{"id": 3}'], ids=repr)
def test_metadata_that_are_lost_are_made_anew(tmp_path: Path, broken: bytes) -> None:
    place = tmp_path / "fig.tex"
    place.write_bytes(OWN.read_bytes())
    beside = place.with_suffix(".meta.json")
    beside.write_bytes(broken)
    assert run("check", str(place), "--fix").status == 0
    assert beside.read_bytes() == OWN.with_suffix(".meta.json").read_bytes()


def test_metadata_of_others_keep_their_own_words() -> None:
    broken = figure(SEED, "positioning, arrows.meta", "arrows.meta, calc")
    done = fix_figure(broken)
    assert done.after.metadata.text == broken.metadata.text.replace(
        '"arrows.meta", "positioning"', '"arrows.meta", "calc"'
    )


@pytest.mark.slow
@given(strategies.figures)
@settings(parent=many, max_examples=scaled(400))
def test_what_tikzgen_writes_has_nothing_to_mend(drawn: Figure) -> None:
    made = rendered(drawn)
    metadata = Metadata.parse_file("fig.meta.json", json.dumps(made.metadata).encode())
    found = read_written("fig.tex", made.tex.encode(), metadata)
    assert fix_figure(found).texts == ()
    # a spec may give two kinds of flow one colour, and idle time where there is none
    assert set(codes(found)) <= {"TG207", "TG221"}


# ---- the command ----


@pytest.fixture
def drifted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    place = Path("fig.tex")
    place.write_text(figure(OWN, "{009E73}", "{009E74}").facts.text, encoding="utf-8")
    return place


def test_fix_mends_and_diff_only_shows(drifted: Path) -> None:
    was = drifted.read_bytes()
    done = run("check", "fig.tex", "--diff")
    assert done.status == 1
    assert "-\\definecolor{otteal}{HTML}{009E74}%\n+\\definecolor{otteal}{HTML}{009E73}%\n" in done.out
    note, summary = done.err.splitlines()
    assert note.startswith("fig.tex:32: the spec cannot express 1 manual edit: color otteal (")
    assert summary == "1 file checked: 1 finding, 1 of them would be mended"
    assert drifted.read_bytes() == was
    done = run("check", "fig.tex", "--fix")
    assert (done.status, done.out, done.err) == (0, "", "1 file checked: no findings, 1 mended\n")
    assert drifted.read_bytes() == OWN.read_bytes()
    done = run("check", "fig.tex", "--fix")
    assert (done.status, done.err) == (0, "1 file checked: no findings\n")


def test_a_file_that_changed_meanwhile_is_left_alone(drifted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fixing.fix_figure

    def meanwhile(*arguments: object) -> Fixed:
        done = real(*arguments)  # type: ignore[arg-type]  # passed on as they are
        drifted.write_text("another", encoding="utf-8")
        return done

    monkeypatch.setattr(fixing, "fix_figure", meanwhile)
    with pytest.raises(FileRefused, match="it changed after it was read"):
        fix(drifted).save()
    assert drifted.read_text(encoding="utf-8") == "another"


def test_the_facts_have_the_shape_that_the_schema_says(drifted: Path) -> None:
    schema = json.loads(run("check", "--schema").out)
    Draft202012Validator.check_schema(schema)
    Path("broken.yaml").write_text("recipe: nothing\n", encoding="utf-8")
    for paths in (["fig.tex"], ["fig.tex", "broken.yaml", "nowhere.tex"], [str(SEED)]):
        facts = json.loads(run("check", *paths, "--format", "json").out)
        Draft202012Validator(schema).validate(facts)
    (one,) = json.loads(run("check", "fig.tex", "--format", "json").out)["findings"]
    assert (one["code"], one["fixable"]) == ("TG209", True)
    assert run("check", "fig.tex", "--diff", "--format", "json").status == 2


def test_a_folder_stands_for_its_figures(drifted: Path) -> None:
    Path("paper.tex").write_text("\\documentclass{article}\n\\def\\x{1}\n", encoding="utf-8")
    done = run("check", ".")
    assert (done.status, done.err.splitlines()[-1]) == (1, "1 file checked: 1 finding")
    assert done.out.startswith("fig.tex:")
