"""Raw TeX against TeX itself: every command that an engine defines is refused, or is known to be harmless.

What an installation defines and what its commands come to is asked of each engine, with all packages that our figures
load, so that another TeX cannot open what is closed here.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ENGINES, ROOT, at_once
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tikzgen import Tex, loads
from tikzgen.model.looks.palettes import PALETTES
from tikzgen.text import TextRefused, check_raw_tex, raw_tex_commands, typeset_label
from tikzgen.text.escape_characters import load_character_table
from tikzgen.text.maths.maths_commands import package_of

SPEC = "recipe: data-parallel\ntitle: '中 ✓ $\\mathbb R\\bm x\\text{a}$'\nlabels: {server: 'Wąż đ €'}\n"
HEAD = loads(SPEC).tex().partition("\\begin{document}")[0] + "\\begin{document}"
REVIEWED: dict[str, Any] = YAML(typ="safe").load(ROOT / "tests" / "cases" / "text" / "raw-reviewed.yaml")
WORDS = {name for name in raw_tex_commands.list_raw_commands() if name.isalpha()}
SIGNS = {name for name in raw_tex_commands.list_raw_commands() if len(name) == 1 and not name.isalpha()}

# Commands that write, read, run, or change what stands outside a label's group.
_WRITING = "write openout openin closeout closein read readline input @@input @input @iinput InputIfFileExists special"
_RUNNING = "directlua latelua luafunction scantokens scantextokens immediate shipout output pdfobj pdfximage pdfliteral"
_CHANGING = "global gdef xdef globaldefs catcode lccode uccode mathcode everypar aftergroup AtBeginDocument AddToHook"
_BUILDING = "setkeys kvsetkeys pgfkeys tikzset patterns font newcommand lowercase uppercase csname"
REACHING = {*_WRITING.split(), *_RUNNING.split(), *_CHANGING.split(), *_BUILDING.split()}
_SCRATCH = re.compile(r"@temp|reserved@|next$")  # hold whatever was done last
_BUILT = re.compile(r"\\csname [^\\]*#")  # of an argument
_TOKEN = re.compile(r"\\([A-Za-z@:_]+|.)")
_DEEP = 3  # a command, what it calls, and what that calls

LIST_NAMES = r"""\directlua{
  local file = io.open("names.txt", "w")
  for _, list in ipairs{tex.hashtokens(), tex.extraprimitives()} do
    for _, name in ipairs(list) do file:write(name, "\string\n") end
  end
  file:close()}x\end{document}"""
ASK = r"""\newwrite\answers\immediate\openout\answers=answers.txt
\def\ask#1{\ifcsname#1\endcsname\immediate\write\answers{#1 IS \expandafter\meaning\csname#1\endcsname}\fi}
\catcode35=12 \catcode36=12 \catcode38=12 \catcode94=12 \catcode95=12 \catcode126=12 """


def run(engine: str, folder: Path, body: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "asked.tex").write_text(f"{HEAD}\n{body}", encoding="utf-8")
    command = [engine, "-interaction=batchmode", "-recorder", "asked.tex"]
    subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)


def ask(engine: str, folder: Path, names: set[str]) -> dict[str, str]:
    """The meanings of those of the names that are defined."""
    asked = "".join(f"\\ask{{{name}}}\n" for name in sorted(names) if not re.search(r"[{}%\\]", name))
    run(engine, folder, f"{ASK}\n{asked}\\immediate\\closeout\\answers x\\end{{document}}")
    lines = (folder / "answers.txt").read_text("latin-1").splitlines()
    return {name: meaning for name, _, meaning in (line.partition(" IS ") for line in lines)}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Every control word that LuaTeX knows, or that stands in a source that an engine reads."""
    folder = tmp_path_factory.mktemp("names")
    run("lualatex", folder / "lualatex", LIST_NAMES)
    found = set((folder / "lualatex" / "names.txt").read_text("utf-8", "replace").splitlines())
    sources = subprocess.run(["kpsewhich", "latex.ltx", "expl3-code.tex"], capture_output=True, text=True, check=True)
    files = set(sources.stdout.split())
    for engine in ENGINES:
        if engine != "lualatex":
            run(engine, folder / engine, r"x\end{document}")
        read = (folder / engine / "asked.fls").read_text("utf-8").splitlines()
        files.update(line.removeprefix("INPUT ") for line in read if line.startswith("INPUT /"))
    for file in files:
        if file.endswith((".sty", ".cls", ".def", ".tex", ".ltx", ".cfg", ".fd", ".clo", ".lua")):
            found.update(re.findall(r"\\([A-Za-z]+)", Path(file).read_text("latin-1")))
    return {name for name in found if re.fullmatch("[A-Za-z]+", name)}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of refusals without the nearest name in each."""
    monkeypatch.setattr(check_raw_tex, "find_similar_name", lambda *given, **more: "")


@pytest.mark.tex
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("engine", ENGINES)
def test_every_command_of_an_engine_is_refused_or_harmless(engine: str, names: set[str], tmp_path: Path) -> None:
    defined = ask(engine, tmp_path, names | WORDS)
    assert len(defined) > 3000
    assert {"special", "setkeys", "globaldefs", "pagecolor", "counterwithin", "hsize"} <= defined.keys()
    for name in names - WORDS - {"begin", "end"}:
        for spelt in (f"\\{name}", f"${{\\{name} x}}$"):
            with pytest.raises(TextRefused, match="is not a command that raw TeX may use"):
                typeset_label(Tex(spelt))
    assert WORDS - defined.keys() <= {"of"}, "permitted, but unknown to TeX"
    primitives = {name for name in WORDS & defined.keys() if re.fullmatch(r"\\[A-Za-z]+ ?", defined[name])}
    assert primitives <= set(REVIEWED["primitives"].split())
    assert reaching(engine, tmp_path) <= {(name, each) for name, why in REVIEWED["reaching"].items() for each in why}


def reaching(engine: str, folder: Path) -> set[tuple[str, str]]:
    """What permitted commands come to that holds a command which reaches out, and which one."""
    waiting, known = {*WORDS, *SIGNS} - set("#$%&{}\\"), set()
    found = set()
    for _ in range(_DEEP):
        known |= waiting
        called: set[str] = set()
        for name, meaning in ask(engine, folder, waiting).items():
            body = meaning.partition("->")[2]
            here = set(_TOKEN.findall(body))
            if not _BUILT.search(body):
                here.discard("csname")
            found |= {(name.strip(), each) for each in here & REACHING}
            called |= {each for each in here if not _SCRATCH.search(each)}
            if robust := re.match(r"\\protect \\(.+?)  ?$", body):
                called.add(f"{robust[1]} ")
        waiting = called - known
    return found


def test_a_permitted_command_stands_in_one_list_only() -> None:
    twice = {name for name in raw_tex_commands._load_command_table() if package_of(name) is not None}
    assert twice == {"textbf", "textit", "textrm", "textsf", "texttt"}  # outside math they need no package


def test_raw_tex_knows_the_colours_of_the_palette() -> None:
    assert set(PALETTES["light"]) < set(raw_tex_commands.COLOURS)


HARMLESS = [
    *(f"\\{name}" for name in sorted(WORDS | SIGNS)),
    *(f"\\begin{{{name}}}" for name in raw_tex_commands.list_environments()),
]
_WORST = r"\input \special \directlua \write \csname \setkeys \hsize \tikz \catcode \def \par \fi \3 \é \^^69 \^^M"
DANGEROUS = _WORST.split()
BETWEEN = [
    *"{}$%#&^_~[]()*=, a1@!\n\té中²\u0301",
    "^^",
    "^^5c",
    "\\ ",
    "\\\n",
    "{2mm}",
    "{lcr}",
    "{otblue}",
    "[t]",
    "\\end{center}",
]


@given(st.lists(st.sampled_from([*HARMLESS, *DANGEROUS]) | st.sampled_from(BETWEEN), max_size=12).map("".join))
def test_only_permitted_commands_come_through_however_they_are_spelt(tex: str) -> None:
    try:
        source = typeset_label(Tex(tex)).source
    except TextRefused as refused:
        assert refused.position is not None
        return
    assert "^^" not in source
    assert "%" not in re.sub(r"\\.", "", source, flags=re.DOTALL)
    commands = set(re.findall(r"\\([A-Za-z]+|.)", source, re.DOTALL))
    ours = {
        name for entry in load_character_table()[0].values() for name in re.findall(r"\\([A-Za-z]+|.)", entry.source)
    }
    assert commands <= WORDS | SIGNS | ours | {"begin", "end", " ", "width", "height", "depth", "totalheight"}


@given(st.sampled_from(sorted(WORDS)), st.text(alphabet="\\{}[]*^ \n=pcmtwd019.-!é中@", max_size=20))
def test_whatever_follows_a_command_is_checked(name: str, rest: str) -> None:
    try:
        source = typeset_label(Tex(f"\\{name}{rest}")).source
    except TextRefused:
        return
    for found in set(re.findall(r"\\([A-Za-z]+)", source)) - {"begin", "end"}:
        assert raw_tex_commands.usage_of(found) or found in {"width", "height", "depth", "totalheight"} or found in rest


LONGEST = {"pt": 2840, "bp": 2832, "pc": 236, "mm": 1000, "cm": 100, "in": 39, "em": 284, "ex": 657}
"""The largest whole number of each unit that is at most a meter in type of 10 pt."""


@at_once
@pytest.mark.parametrize(("unit", "most"), LONGEST.items())
def test_a_length_is_at_most_a_meter_in_each_unit(unit: str, most: int) -> None:
    check_raw_tex.check(f"a\\hspace{{{most}{unit}}}b")
    with pytest.raises(TextRefused):
        check_raw_tex.check(f"a\\hspace{{{most + most // 50 + 1}{unit}}}b")
