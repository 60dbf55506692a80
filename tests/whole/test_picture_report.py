"""The report of changed pictures: what counts as a change, what the page holds, and what may be accepted."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import open_browser
from conftest import ROOT
from picture_report import main
from pictures.goldens import RECEIVED, sections_of
from pictures.sides import sources_in

from tikzgen import loads
from tikzgen.serve.pictures.compare import DrawnSide, compare_all, text_diff, without_records

# ---- what counts as a change ----

PICTURE = '<svg viewBox="0 0 100 50"><title id="t{mark}-title">A</title>\n<defs></defs>\n{body}\n</svg>\n'


def side(
    body: str = "a\nb\nc", tex: str = "x\n", error: str = "", mark: str = "00000000", dark: str = "d"
) -> DrawnSide:
    pictures = {"light": PICTURE.format(mark=mark, body=body), "dark": PICTURE.format(mark=mark, body=dark)}
    return DrawnSide(tex, "{}\n", {} if error else pictures, error)


@pytest.mark.parametrize(
    ("before", "after", "status", "amount", "badges"),
    [
        (side(), side(), "unchanged", 0, ([], False)),
        (side(), side(mark="12345678"), "unchanged", 0, ([], False)),
        (side(), side("a\nB\nC"), "changed", 2, (["light"], False)),
        (side(), side("a\nB\nC", dark="D"), "changed", 2, ([], False)),
        (side(), side(dark="D"), "changed", 1, (["dark"], False)),
        (side(), side("a\nb\nc\nd\ne\nf"), "changed", 3, (["light"], False)),
        (side(), side(tex="y\n"), "changed", 0, ([], True)),
        (None, side(), "added", 6, ([], False)),
        (side(), None, "removed", 6, ([], False)),
        (side(), side(error="no"), "broken", 0, ([], False)),
        (side(error="no"), side(error="no"), "unchanged", 0, ([], False)),
        (side(error="no"), side(error="other"), "changed", 0, ([], False)),
        (side(error="no"), side(), "changed", 6, ([], False)),
    ],
)
def test_changes_are_told_apart(
    before: DrawnSide | None, after: DrawnSide | None, status: str, amount: int, badges: tuple[list[str], bool]
) -> None:
    sides = [{} if each is None else {"examples/a": each} for each in (before, after)]
    (change,) = compare_all(*sides)
    if status not in ("added", "removed") and not change.errors:
        assert (change.palettes, change.is_text_only) == badges
        assert change.amount == amount
    assert (change.status, change.kind) == (status, "examples")
    assert (status in ("added", "removed") or bool(change.errors)) or change.sizes == ["3.51 × 1.76 cm"]


def test_what_broke_comes_first_then_the_largest_change() -> None:
    before = {name: side() for name in ("k/same", "k/small", "k/large", "k/broken", "k/gone", "k/text")}
    after = {
        **before,
        "k/small": side("a\nb\nX"),
        "k/large": side("X\nY\nZ"),
        "k/broken": side(error="E"),
        "k/text": side(tex="y"),
        "k/new": side(),
    }
    del after["k/gone"]
    assert [change.name for change in compare_all(before, after)] == [
        *("k/broken", "k/large", "k/small", "k/text", "k/new", "k/gone", "k/same")
    ]


def test_records_of_a_file_take_no_part() -> None:
    """The digest, the hashes of lines and the digest of the metadata; everything else does."""
    one = loads("recipe: ring-all-reduce\nranks: 3\n").tex()
    other = re.sub(
        r'(digest: |"metadata": "|"version": "|^%       "(?=[\w-]{20}))([\w-]+)', r"\1other\2", one, flags=re.MULTILINE
    )
    assert one != other and without_records(one) == without_records(other)
    assert len(without_records(one)) < len(one)
    for part in (r"\def\timeunit{0.69", '%   "ranks": 3', '"timeunit": "0.69'):
        assert part in one, part
        assert without_records(one) != without_records(one.replace(part, part + "7", 1))


def test_a_long_difference_is_cut() -> None:
    shown = text_diff("", "\n".join(map(str, range(1000)))).splitlines()
    assert len(shown) == 401
    assert shown[-1] == "@@ 601 more lines @@"


def test_every_kind_of_source_is_there() -> None:
    kinds = {name.partition("/")[0] for name in sources_in(ROOT)}
    assert {"examples", "icons", "marks", "timelines", "topologies", "drawings"} <= kinds
    assert sources_in(ROOT)["icons/gpu"] == Path("templates/icons/gpu.tex.j2")


# ---- a repository of its own, with few figures ----

FIGURES = {
    "left": "recipe: ring-all-reduce\nid: left\nranks: 3\nwidth: 8.4\n",
    "right": "recipe: ring-all-reduce\nid: right\nranks: 2\nwidth: 8.4\n",
    "gone": "recipe: ring-all-reduce\nid: gone\nranks: 2\n",
}


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a repository with the code of this one, three examples with their goldens, and one icon; all committed."""
    root = tmp_path_factory.mktemp("committed") / "repository"
    for name in ("tikzgen", "templates"):
        shutil.copytree(ROOT / name, root / name)
    for icon in (root / "templates/icons").iterdir():
        if icon.name != "gpu.tex.j2":
            icon.unlink()
    (root / "examples").mkdir()
    (root / "tests/goldens").mkdir(parents=True)
    (root / ".gitignore").write_text("build/\n__pycache__/\n")
    for name, text in FIGURES.items():
        (root / f"examples/{name}.yaml").write_text(text)
    (root / "tests/goldens/left.tex").touch()
    commit(root)
    assert report(root) == report(root, "--accept") == 0
    commit(root)
    assert report(root, "--check") == 0
    return root


@pytest.fixture
def repository(committed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(committed, tmp_path / "repository"))


def commit(root: Path) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "step"]):
        subprocess.run(["git", *words], cwd=root, check=True)


def report(root: Path, *words: str) -> int:
    return main([*words], root)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


Shown = dict[str, dict[str, Any]]


def shown_in(root: Path) -> Shown:
    """The figures on the page, with their statuses and their pictures."""
    page = (root / "build/pictures.html").read_text(encoding="utf-8")
    found: Shown = {}
    for article in re.findall(r"<article .*?</article>", page, re.DOTALL):
        (name,) = re.findall(r'data-name="([^"]+)"', article)
        (status,) = re.findall(r'data-status="([^"]+)"', article)
        packed = re.findall(r'<script type="application/gzip">(.*?)</script>', article)
        pictures = json.loads(gzip.decompress(b64decode(packed[0]))) if packed else {}
        found[name] = {"status": status, "text": article, **pictures}
    return found


@pytest.mark.slow
def test_a_change_is_shown_then_accepted(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown_in(repository) == {}
    replace(repository / "examples/left.yaml", "ranks: 3", "ranks: 5")
    (repository / "examples/gone.yaml").unlink()
    (repository / "examples/new.yaml").write_text(FIGURES["right"].replace("right", "new"))
    replace(repository / "templates/icons/gpu.tex.j2", "line width=", "line width=2")
    assert report(repository) == 0
    found = shown_in(repository)
    assert {name: each["status"] for name, each in found.items()} == {
        "examples/left": "changed pending",
        "icons/gpu": "changed",
        "examples/new": "added pending",
        "examples/gone": "removed pending",
    }
    left = found["examples/left"]
    assert left["shown"] == {"light": [0, 1], "dark": [2, 3]}
    assert all(svg.startswith("<svg ") for svg in left["drawings"])
    assert '<span class="new">+%   &#34;ranks&#34;: 5,</span>' in left["text"]
    assert found["examples/gone"]["shown"]["light"][1] == -1
    assert report(repository, "--check") == 1

    assert report(repository, "--accept", "left", "gone") == 0
    goldens = repository / "tests/goldens"
    assert "GPU 4" in (goldens / "left.tex").read_text(encoding="utf-8")
    assert [*sections_of(goldens / "digests.txt")] == ["left", "right"]
    capsys.readouterr()
    assert report(repository, "--accept", "left") == 2
    assert capsys.readouterr().err == 'picture_report: the page shows no golden to accept of "left"\n'
    assert report(repository, "--accept") == 0
    assert capsys.readouterr().out == "accepted tests/goldens/digests.txt#new\n"
    assert report(repository) == 0
    assert "to accept" not in capsys.readouterr().out


@pytest.mark.slow
def test_what_changed_since_the_page_is_refused(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = repository / "tests/goldens/left.tex"
    before = golden.read_bytes()
    replace(repository / "examples/left.yaml", "ranks: 3", "ranks: 5")
    assert report(repository, "--accept", "left") == 2
    report(repository)
    replace(repository / "examples/left.yaml", "ranks: 5", "ranks: 6")
    capsys.readouterr()
    assert report(repository, "--accept") == 2
    assert "not accepted: changed since the page was written (run the report)\n" in capsys.readouterr().err
    assert golden.read_bytes() == before


@pytest.mark.slow
def test_a_figure_that_breaks_fails_with_its_error(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replace(repository / "examples/left.yaml", "ranks", "rank")
    replace(
        repository / "tikzgen/recipe/training/ring_all_reduce.py",
        "Iterator[PanelSchedule]:\n",
        "Iterator[PanelSchedule]:\n        1 / 0\n",
    )
    assert report(repository) == 1
    assert "examples/left: no longer renders: examples/left.yaml:3:1: rank: unknown field" in capsys.readouterr().out
    found = shown_in(repository)
    assert found["examples/left"]["status"] == found["examples/right"]["status"] == "broken"
    assert "examples/left.yaml:3:1: rank: unknown field" in found["examples/left"]["text"]
    assert "ZeroDivisionError: division by zero" in found["examples/right"]["text"]
    assert str(repository) not in found["examples/right"]["text"]


@pytest.mark.slow
def test_new_records_alone_are_no_change_but_are_accepted(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replace(repository / "tikzgen/spec/embedded_spec.py", '\nTEMPLATES = "', '\nTEMPLATES = "9')
    capsys.readouterr()
    assert report(repository) == 0
    assert "build/pictures.html: 4 unchanged; 1 golden to accept\n" in capsys.readouterr().out.replace("../", "")
    assert shown_in(repository) == {}
    assert report(repository, "--accept") == 0
    assert '"version": "90.' in (repository / "tests/goldens/left.tex").read_text()


@pytest.mark.slow
def test_texts_that_tests_left_are_shown_and_accepted(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in {"a/one.txt": b"new\n", "a/two.bin": b"\xff\xfe", "a/list.txt#b": b"B\n"}.items():
        (repository / RECEIVED / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / RECEIVED / "tests" / name).write_bytes(data)
    (repository / "tests/a").mkdir()
    (repository / "tests/a/one.txt").write_text("old\n")
    (repository / "tests/a/list.txt").write_text("==== a\nA\n==== c\n==== d\nD\n")
    report(repository)
    found = shown_in(repository)
    assert {name: each["status"] for name, each in found.items()} == {
        "tests/a/one.txt": "pending changed",
        "tests/a/two.bin": "pending added",
        "tests/a/list.txt#b": "pending added",
    }
    assert '<span class="old">-old</span>\n<span class="new">+new</span>' in found["tests/a/one.txt"]["text"]
    (repository / "templates/figure.tex.j2").touch()
    capsys.readouterr()
    assert report(repository, "--accept") == 2
    assert "the code changed since this test ran (run the test again)" in capsys.readouterr().err
    (repository / RECEIVED / "tests/a/one.txt").write_text("new\n")
    report(repository)
    assert report(repository, "--accept", "tests/a/one.txt", "list.txt#b") == 2
    (repository / RECEIVED / "tests/a/list.txt#b").touch()
    report(repository)
    assert report(repository, "--accept", "tests/a/one.txt", "list.txt#b") == 0
    assert (repository / "tests/a/list.txt").read_text() == "==== a\nA\n==== b\nB\n==== c\n==== d\nD\n"
    assert (repository / "tests/a/one.txt").read_text() == "new\n"
    assert [path.name for path in (repository / RECEIVED).rglob("*.*")] == ["two.bin"]


@pytest.mark.slow
def test_an_unknown_revision_is_one_line(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert report(repository, "--base", "nowhere") == 2
    message = 'picture_report: unknown revision "nowhere" (fetch it, or name another with --base)\n'
    assert capsys.readouterr() == ("", message)


@pytest.mark.browser
def test_the_page_needs_nothing_else(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Opened from the disk it shows both pictures and their difference, under a slider too, and can be filtered."""
    replace(repository / "examples/left.yaml", "ranks: 3", "ranks: 5")
    replace(repository / "examples/right.yaml", "ranks: 2", "ranks: 3")
    report(repository, "-o", str(repository / "build/moved.html"))
    page = repository / "build/moved.html"
    assert not re.search(r'(src|href)="(?!#)|@import|https?://(?!www\.w3\.org/)', page.read_text(encoding="utf-8"))
    with open_browser(tmp_path_factory.mktemp("browser") / "profile") as driver:
        driver.get(page.as_uri())
        wait = "const done = arguments[0]; setTimeout(() => done(%s), 1500)"
        widths = "[...document.querySelectorAll('#examples-left img')].map((each) => each.naturalWidth)"
        assert len({*driver.execute_async_script(wait % widths)} - {0}) == 1
        assert len(driver.execute_script(f"return {widths}")) == 5
        driver.execute_script("document.querySelector('[data-value=swipe]').click()")
        assert len(driver.execute_script(f"return {widths}")) == 2
        driver.execute_script("const box = document.getElementById('filter'); box.value = 'rig'; box.oninput()")
        names = "return [...document.querySelectorAll('article:not([hidden])')].map((each) => each.dataset.name)"
        assert driver.execute_script(names) == ["examples/right"]
        assert driver.get_log("browser") == []


def test_a_golden_that_differs_is_left_for_the_report(golden: Callable[[Path, str | bytes], None]) -> None:
    place = ROOT / "tests/goldens/never.txt"
    left = ROOT / RECEIVED / "tests/goldens/never.txt"
    try:
        with pytest.raises(
            pytest.fail.Exception, match=r"never\.txt: look at it with `python tools/picture_report\.py`"
        ):
            golden(place, "new\n")
        assert left.read_text() == "new\n" and not place.exists()
    finally:
        left.unlink(missing_ok=True)
