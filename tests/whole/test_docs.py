"""What the documents say is so: their commands and code run, their reference is generated, their links lead on."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import sys
from importlib import import_module
from pathlib import Path
from statistics import mean

import pytest
import recipes_page
import reference
from command import run
from conftest import ROOT, at_once
from gallery_pictures import drawn_picture, gallery
from pictures.goldens import sections_of

import tikzgen
from tikzgen import load, loads
from tikzgen.base.record import list_record_fields
from tikzgen.model.operations.operations_table import OPERATIONS
from tikzgen.spec.embedded_spec import FORMAT, Identity

sys.path.append(str(ROOT / "tools" / "web"))

from stage_pages import moved_addresses

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LISTS = ROOT / "tests" / "cases" / "schedule" / "lists"
TRACES = ROOT / "tests" / "cases" / "traces"
LOOKUP = ROOT / "tests" / "cases" / "import" / "flowchart" / "lookup.mmd"
WRONG = sections_of(ROOT / "tests" / "cases" / "errors.txt")["unknown-field"].partition("~~~~\n")[0].encode()

# What stands in the folder where the commands of a page are given: files to copy, examples to render.
GIVEN: dict[str, dict[str, Path | str | bytes]] = {
    "docs/schedules.md": {"measured.csv": b"stage,fwd,bwd\n0,10.2,20.1\n1,9.8,19.6\n2,10.1,20.3\n3,12.9,25.2\n"},
    "docs/measures.md": {"fig4.csv": LISTS / "drawn-1f1b.csv"},
    "docs/configuration.md": {"fig.yaml": ROOT / "examples" / "ring.yaml"},
    "docs/errors.md": {"spec.yaml": WRONG},
    "docs/tutorial.md": {"wrong.yaml": WRONG},
    "docs/editing.md": {"fig.tex": "distributed-training"},
    "docs/agents.md": {"fig.tex": "distributed-training"},
    "docs/checking.md": {
        "fig.tex": "distributed-training",
        "ranks.csv": LISTS / "pytorch-1f1b.csv",
        "fig4.csv": LISTS / "drawn-1f1b.csv",
    },
    "docs/traces.md": {f"rank{rank}.json.gz": TRACES / f"pp_1f1b_p4_m8_rank{rank}.json.gz" for rank in range(4)},
    "docs/ci.md": {"fig.tex": "ring"},
    "docs/import.md": {
        "lookup.mmd": LOOKUP,
        "styled.mmd": b"flowchart LR\nA[[Sub]] --> B\nclassDef hot fill:#f96\n",
    },
    "docs/from-pytorch.md": {
        "ranks.csv": LISTS / "pytorch-1f1b-mended.csv",
        "rank0.json.gz": TRACES / "pp_1f1b_p4_m8_rank0.json.gz",
    },
    "docs/gallery.md": {f"traces/{path.name}": path for path in sorted((ROOT / "examples" / "traces").iterdir())},
    "docs/papers.md": {"fig.yaml": ROOT / "examples" / "ring.yaml", "fig.tex": "ring"},
}
# Languages of blocks that show something and are not run: TeX of a paper, and lines of a file or of a message.
SHOWN = {"latex", "tex", "text", "json"}
# Pages and settings of other tools: test_sites.py and test_hook_and_action.py build what stands there.
BUILT = {"rst", "markdown", "yml", "html"}


def headings(page: Path) -> list[str]:
    """The anchors of the headings of a page, as the site and GitHub name them."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    words = re.findall(r"^#{1,4} (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in words]


def exists(page: Path, target: str) -> bool:
    """Whether the target of a link on a page is a file, and its anchor one of the file's headings."""
    name, _, heading = target.partition("#")
    path = page.parent / name if name else page
    return path.exists() and (not heading or heading in headings(path))


def with_suffix(address: str) -> str:
    """The file and heading of an address of the site."""
    page, sign, heading = address.partition("#")
    return f"{page}.md{sign}{heading}"


def questions() -> list[list[str]]:
    """The questions of readers: reader, question, page with the answer."""
    lines = (ROOT / "tests" / "cases" / "docs" / "questions.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def blocks(page: Path) -> list[tuple[str, str]]:
    """The language and the text of every block of a page."""
    found = re.findall(r"^(`{3,})(\w*)\n(.*?)^\1$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [(language, text) for _, language, text in found]


@pytest.mark.tex
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_a_page_shows_is_so(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, given in GIVEN.get(str(page.relative_to(ROOT)), {}).items():
        if isinstance(given, Path):
            Path(name).parent.mkdir(exist_ok=True)
            shutil.copy(given, name)
        elif isinstance(given, bytes):
            Path(name).write_bytes(given)
        else:
            assert run("render", str(ROOT / "examples" / f"{given}.yaml"), "-o", name).status == 0
    for language, text in blocks(page):
        assert language in {"sh", "console", "python", "yaml", "toml", *SHOWN, *BUILT}, (
            f"a block of {page.name} has no language: {text}"
        )
        if language == "yaml" and text.startswith("# tikzgen-style.yaml"):
            Path("tikzgen-style.yaml").write_text(text, encoding="utf-8")
            shutil.copy(ROOT / "examples" / "zero-bubble.yaml", "fig.yaml")
            assert run("render", "fig.yaml").status == 0
            assert r"\forwardlabel{fwd}" in Path("fig.tex").read_text(encoding="utf-8"), "the style is read"
        elif named := re.match(r"# (\S+\.(?:yaml|toml))\n", text if language in ("yaml", "toml") else ""):
            Path(named[1]).write_text(text, encoding="utf-8")
            assert load(named[1]).tex()
        elif language == "yaml":
            assert loads(text).tex()
        elif language == "python":
            exec(compile(text, page.name, "exec"), {})
        elif language == "console":
            for command in re.findall(r"^\$ tikzgen (.*)$", text, re.MULTILINE):
                done = run(*shlex.split(command, comments=True))
                assert f"$ tikzgen {command}\n{done.out}{done.err if not done.out else ''}" in text
        elif language == "sh":
            for line in text.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["tikzgen"]:
                    done = run(*words[1:])
                    assert done.status == 0, f"{line}: {done.err}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 8_192


@pytest.mark.tex
def test_the_five_minutes_end_with_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line for language, text in blocks(ROOT / "README.md") if language == "sh" for line in text.splitlines()]
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("tikzgen ")]
    assert [command[0] for command in commands] == ["new", "render", "build", "preamble"]
    for command in commands:
        assert run(*command).status == 0
    assert (tmp_path / "data-parallel.pdf").read_bytes().startswith(b"%PDF")


def test_the_error_shown_is_the_error_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_bytes(WRONG)
    assert run("render", "spec.yaml").err in (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs" / "reference").glob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or exists(page, target), target


@at_once
@pytest.mark.parametrize("question", questions(), ids=lambda row: row[1])
def test_a_question_of_a_reader_has_a_page_and_a_heading(question: list[str]) -> None:
    assert exists(ROOT / "docs" / "index.md", question[2])


def test_the_readme_and_the_first_page_link_to_the_answers_for_authors() -> None:
    pages = (PAGES[0], ROOT / "docs" / "index.md")
    links = [{*re.findall(r"\]\(([^)#]+)", page.read_text("utf-8"))} for page in pages]
    wanted = {answer.partition("#")[0] for reader, _, answer in questions() if reader == "author"} - {"../README.md"}
    assert [page for page in wanted if f"docs/{page}" not in links[0] or page not in links[1]] == []


def test_old_links_have_new_pages_and_headings() -> None:
    for old, new in moved_addresses().items():
        assert not exists(ROOT / "docs" / "index.md", with_suffix(old)), f"{old} did not move"
        assert exists(ROOT / "docs" / "index.md", with_suffix(new)), new


def test_no_page_is_long() -> None:
    assert [page.name for page in PAGES if len(page.read_bytes()) > 12 * 1024] == []


def test_messages_in_the_table_of_errors_exist() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").partition("## Errors of edited figures")[0]
    shown = re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)))
    messages = (ROOT / "tests" / "cases" / "errors.txt").read_text(encoding="utf-8")
    assert len(shown) > 12
    assert [message for message in shown if message not in messages] == []


def test_every_page_can_be_reached() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {*NAMES[1:]} - {*re.findall(r"\]\(([^)#]+)", text)} == set()


def test_edits_and_a_changed_spec_are_merged_as_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = "recipe: data-parallel\nworkers: 3\n"
    Path("fig.yaml").write_text(spec, encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    edited = (
        Path("fig.tex")
        .read_text("utf-8")
        .replace("{Worker 1}", "{Slow worker}")
        .replace("[icon] (w2)", "[icon,red] (w2)")
    )
    Path("fig.tex").write_text(edited, encoding="utf-8")
    Path("fig.yaml").write_text(spec.replace("3", "4"), encoding="utf-8")
    page = (ROOT / "docs" / "editing.md").read_text(encoding="utf-8").partition("\n## Merge manual edits")[2]
    commands = re.findall(r"^tikzgen (.*?) *#", page.partition("\n## ")[0], re.MULTILINE)
    assert [run(*command.split()).status for command in commands] == [1, 0, 0, 0]
    assert "labels: {workers: [Slow worker, Worker 2, Worker 3, Worker 4]}" in Path("fig.yaml").read_text("utf-8")
    merged = Path("fig.tex").read_text("utf-8")
    assert all(part in merged for part in ("{Slow worker}", "[icon,red] (w2)", "{Worker 4}"))


def test_the_page_on_editing_names_every_operation_once() -> None:
    text = (ROOT / "docs" / "editing.md").read_text(encoding="utf-8")
    table = text.partition("| for | operations |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`([\w-]+)`", table)) == sorted(OPERATIONS)


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_up_to_date(name: str) -> None:
    assert (reference.FOLDER / name).read_text(encoding="utf-8") == reference.made_page(name)


def test_the_page_of_recipes_is_up_to_date() -> None:
    assert recipes_page.PAGE.read_text(encoding="utf-8") == recipes_page.page()


@pytest.mark.parametrize("module", ["tikzgen", "tikzgen.lint.check_figure", "tikzgen.lint.measures", "tikzgen.recipes"])
def test_examples_in_docstrings(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = doctest.testmod(import_module(module))
    assert done.attempted
    assert not done.failed


def test_every_public_name_is_there_and_documented() -> None:
    import tikzgen

    for name in tikzgen.__all__:
        thing = getattr(tikzgen, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name
    with pytest.raises(AttributeError, match="nothing"):
        tikzgen.nothing  # noqa: B018


def test_the_page_on_what_a_figure_carries_names_its_format_and_fields() -> None:
    page = (ROOT / "docs" / "reference" / "file-format.md").read_text(encoding="utf-8")
    assert f"| `format` | the number of this format: {FORMAT} |" in page
    assert all(f"| `{field}` |" in page for field in list_record_fields(Identity))


_SEEN, _FEW = 48, 0.01  # of 255, and of all samples: another pdfium smooths edges otherwise


@pytest.mark.slow
def test_the_pictures_of_the_gallery_are_those_of_today() -> None:
    import pymupdf

    for spec, picture in gallery():
        shown, drawn = pymupdf.Pixmap(picture), pymupdf.Pixmap(drawn_picture(spec))
        sizes = [(each.width, each.height) for each in (shown, drawn)]
        assert sizes[0] == sizes[1], f"run: python tools/gallery_pictures.py ({picture.name})"
        pairs = zip(shown.samples[::7], drawn.samples[::7], strict=True)
        assert mean(abs(one - other) > _SEEN for one, other in pairs) < _FEW, picture


def test_the_page_on_python_lists_all_classes_of_a_figure() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    listed = re.findall(r"`([A-Z]\w+)`", text.partition("## Import the classes\n")[2].partition("\n## ")[0])
    models = {name for name in tikzgen.__all__ if hasattr(getattr(tikzgen, name), "model_fields")}
    assert len(listed) == len(set(listed))
    assert set(listed) == models | {"Figure", "Tex"}


def test_each_page_is_within_two_clicks_of_the_front_page_and_each_entry_of_a_list_within_three() -> None:
    docs = ROOT / "docs"

    def follow(page: Path) -> set[Path]:
        text = page.read_text(encoding="utf-8")
        found = {(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#:]+\.md)", text)}
        return {one for one in found if one.is_relative_to(docs) and one.exists()}

    one = follow(docs / "index.md")
    two = {docs / "index.md"}.union(one, *map(follow, one))
    assert {*docs.glob("*.md")} <= two
    assert {*docs.rglob("*.md")} <= two.union(*map(follow, two))
