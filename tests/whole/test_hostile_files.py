"""What strangers hand in beside TeX: specs, metadata, templates, archives and logs that would take all there is.

Each `tests/cases/templates/NAME.tex.j2` is a figure's template; `templates.txt` says what becomes of it. Those that
take all time or all memory are tried in `test_child_processes.py`.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from jinja2.exceptions import SecurityError

from tikzgen import Tex, loads
from tikzgen.compile.pdf import _UNPACKED_BYTES, object_streams
from tikzgen.compile.tex.errors_in_log import first_error
from tikzgen.compile.tex.failures import Lost, lost_characters
from tikzgen.emit.environment import make_environment
from tikzgen.texfile import scan
from tikzgen.text import TextRefused, typeset_label

TEMPLATES = ROOT / "tests" / "cases" / "templates"
OWN = loads("recipe: data-parallel\n").tex()
DEEP = "[" * 100_000


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", sorted(TEMPLATES.glob("*.j2")), ids=lambda path: path.name.partition(".")[0])
def test_a_template_reads_and_computes_within_limits(case: Path, golden: Callable[[Path, str, str], None]) -> None:
    Path("mine").mkdir()
    Path("mine/figure.tex.j2").write_bytes(case.read_bytes())
    Path("a.yaml").write_text("recipe: data-parallel\n")
    done = run("render", "a.yaml", "--templates", "mine", "-o", "-")
    assert (done.status, done.err.count("\n")) == (2, 1)
    told = re.sub(r"(?<= not found) in search paths: .*", "", done.err)
    told = re.sub(r"^.*(?=figure\.tex\.j2)", "", told)
    golden(TEMPLATES.with_suffix(".txt"), told, case.name.partition(".")[0])


def outcome(*command: str) -> int:
    done = run(*command)
    assert "Traceback" not in done.err
    return done.status


def test_metadata_without_an_end_is_said_to_be_none() -> None:
    Path("a.tex").write_text(OWN)
    Path("a.meta.json").write_text(DEEP)
    assert outcome("show", "a.tex") == 0
    assert run("check", "a.tex").out.startswith("a.meta.json:1:1: TG")


@pytest.mark.tex
@pytest.mark.parametrize("target", ["/dev/zero", "pipe"])
def test_files_without_an_end_are_not_read(target: str) -> None:
    os.mkfifo("pipe")
    Path("a.tex").write_text(OWN)
    Path("a.meta.json").symlink_to(target)
    assert outcome("show", "a.tex") == 0
    assert outcome("check", "a.tex") == 1
    if target == "pipe":
        return  # one that is named on the command line is waited for, as everywhere
    for name in ("b.tex", "b.yaml"):
        Path(name).symlink_to(target)
        assert outcome("build", name) in (1, 2)
    assert outcome("show", "b.tex") == 1


def test_a_description_nested_without_end_is_none() -> None:
    head, mark, rest = OWN.partition("% tikzgen spec: ")
    first = rest.partition("\n")[0]
    Path("a.tex").write_text(f"{head}{mark}{first}\n% {DEEP}\n% tikzgen digest: 0\n")
    assert outcome("show", "a.tex") == 0
    assert outcome("check", "a.tex") in (1, 2)
    assert outcome("render", "a.tex", "-o", "-") == 2


@pytest.mark.parametrize("text", ["\r" * 400_000, r"\begin{tikzpicture}\draw " + "(" * 400_000, "a b\n" * 300_000])
def test_a_long_text_without_marks_is_read_in_one_go(text: str) -> None:
    assert scan(text).nodes == ()


@pytest.mark.parametrize(
    "tex",
    [
        r"\input{/etc/passwd}",
        r"\scantextokens{x}",
        r"\begincsname input\endcsname",
        r"\UseName{input}",
        r"\pgfincludeexternalgraphics{/etc/x}",
        r"\beginpgfgraphicnamed{x}",
        r"\GraphicsRead",
        r"\LoadFontDefinitionFile",
        r"\RequirePackageWithOptions{x}",
        r"\DeclareGraphicsRule{.a}{b}{c}{d}",
        r"\NewDocumentEnvironment{x}{}{}{}",
        r"\AddToHookNext{x}{}",
        r"\pgfdeclarelayer{x}",
        r"\filedump length 9 {x}",
        r"\pdfobj stream file {x}",
        r"\XeTeXpdffile x",
        r"\luafunction 1",
        r"\special{pdf:fstream}",
        r"\write18{id}",
        r"\tikz\node{\directlua{}};",
    ],
)
def test_raw_tex_reaches_nothing(tex: str) -> None:
    with pytest.raises(TextRefused, match="is not a command that raw TeX may use"):
        typeset_label(Tex(tex))


def test_raw_tex_may_say_what_labels_need() -> None:
    for tex in (r"$a \hookrightarrow b$", r"\textbf{\underline{x}}", r"\rule{1cm}{2pt}", r"\fbox{a}"):
        assert typeset_label(Tex(tex)).source


def test_an_archive_that_would_unpack_to_more_is_not_unpacked() -> None:
    with zipfile.ZipFile("out.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("out/README.txt", "x" * 1000)
    Path("a.yaml").write_text("recipe: data-parallel\n")
    done = run("bundle", "a.yaml", "-o", "out.zip")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "it differs from the output of `tikzgen bundle`" in done.err


def test_the_names_in_an_archive_stay_in_its_folder() -> None:
    Path("..evil").mkdir()
    for name in ("..evil/../..evil/x y", "..evil/..", "..evil/C:\\x", "..evil/a;b"):
        Path(f"{name}.yaml").write_text("recipe: data-parallel\n")
        assert run("bundle", f"{name}.yaml", "-o", "out.zip", "--force").status == 0
        with zipfile.ZipFile("out.zip") as archive:
            assert all(re.fullmatch(r"out/[A-Za-z0-9][\w+-]*\.(?:tex|txt)", entry) for entry in archive.namelist())


@pytest.mark.slow
def test_a_pdf_that_would_unpack_to_more_is_unpacked_in_part() -> None:
    bomb = b"<</Type /ObjStm>>stream\n" + zlib.compress(bytes(_UNPACKED_BYTES)) + b"endstream "
    assert sum(map(len, object_streams(bomb * 3))) < 1.1 * _UNPACKED_BYTES


def test_a_log_made_to_be_slow_is_read_quickly() -> None:
    line = "Missing character: There is no " + "a in font " * 500_000
    assert lost_characters(line) == ()
    assert lost_characters("Missing character: There is no é in font x!\n" + line) == (Lost(0xE9, "x", slot=True),)
    assert first_error("\\" + "a" * 3_000_000 + "\n./figure.tex:1: Oops\n" + "\\a #" * 500_000, "x") is not None


SIZES = [
    ("<< 1 ** 1000000 >>", "1"),
    ("<< (1 ** 1000001) >>", None),
    ('<< ("x" * 999999) | length >>', "999999"),
    ('<< ("x" * 1000000) | length >>', None),
    ("<< 999 * 1001 >>", "999999"),
    ("<< 1000 * 1000 >>", None),
    ("<% macro m() %>in<% endmacro %><% block b %><< m() >><% endblock %>", "in"),
    ("<% macro m() %>in<% endmacro %><% for x in [1, 2] %><< m() >><% endfor %>", "inin"),
]


@pytest.mark.parametrize(("template", "text"), SIZES)
def test_a_template_of_somebody_computes_up_to_a_million(template: str, text: str | None) -> None:
    made = make_environment((Path("mine"),)).from_string(template)
    if text is None:
        with pytest.raises(SecurityError, match="too large"):
            made.render()
    else:
        assert made.render() == text
