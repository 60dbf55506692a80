"""What `tikzgen watch` does without a browser: finding files, telling changes, editing specs, surviving what comes."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest
from conftest import EXAMPLES, ROOT
from watched_specs import COMPILED, SETTINGS, SPEC, fake, until, view_of

from tikzgen import load, loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import FileRefused, LatexError, TikzgenError
from tikzgen.compile import true_text_sizes
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.tex.compile_tex import Compiled
from tikzgen.compile.tex.dumped_preambles import Formats
from tikzgen.edit.find_words import find_words
from tikzgen.edit.pulled_spec import rewritten
from tikzgen.emit.render_figure import make_description
from tikzgen.lint.probe.look_at_figures import ProbeOutcome
from tikzgen.model.about import About
from tikzgen.serve.watch import make_views as making
from tikzgen.serve.watch import sources, watcher
from tikzgen.serve.watch.editing import FieldChange, edit
from tikzgen.serve.watch.form_fields import fields_of
from tikzgen.serve.watch.run_watch import run_watch
from tikzgen.serve.watch.server import PageServer
from tikzgen.serve.watch.sources import Sources
from tikzgen.serve.watch.troubles import troubles_of
from tikzgen.serve.watch.views import Board, FigureView

pytestmark = pytest.mark.tex

SHOWN, AT_ONCE = making._draw_page, making.drawn_picture


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(making, "_draw_page", lambda source, pdf, words, cell: ("svg", b"<svg/>"))
    monkeypatch.setattr(making, "drawn_picture", lambda source: None)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    COMPILED.clear()


@pytest.fixture
def spec() -> Path:
    path = Path("fig.yaml")
    path.write_text(SPEC)
    return path


@pytest.fixture
def server(spec: Path) -> Iterator[PageServer]:
    with run_watch(spec, settings=SETTINGS) as found:
        until(lambda: view_of(found).status == "ready" and view_of(found).looked)
        yield found


def settled(server: PageServer, status: str) -> Callable[[], bool]:
    return lambda: view_of(server).status == status and view_of(server).looked


# ---- one file, whatever becomes of it


def test_workers_bring_the_drawing_and_then_the_page_of_tex(spec: Path) -> None:
    with run_watch(spec, settings=Settings(find_words, cache=Cache(None)), apart=True) as server:
        until(lambda: (picture := view_of(server).picture) is not None and picture.pdf is not None, 30)
        assert (view_of(server).status, view_of(server).troubles) == ("ready", ())


def test_the_first_view(server: PageServer) -> None:
    view = view_of(server)
    assert (view.name, view.troubles, view.findings) == ("fig.yaml", (), ())
    assert view.picture is not None
    assert (round(view.picture.width, 2), round(view.picture.height, 2)) == (2.54, 1.27), "cm"
    assert {"fact:workers", "fact:palette", "parameter:colsep", "parameter:pslabel"} <= {f.key for f in view.fields}


def test_a_save_makes_a_new_picture(server: PageServer, spec: Path) -> None:
    before = view_of(server).picture_number
    spec.write_text(SPEC.replace("3 #", "4 #"))
    until(lambda: view_of(server).picture_number > before)
    until(settled(server, "ready"))
    assert next(field.value for field in view_of(server).fields if field.key == "fact:workers") == "4"


BAD = {
    "broken YAML": ("recipe: data-parallel\nworkers: [1\n", 'fig.yaml:3:1: expected "," or "]"'),
    "a wrong field": ("recipe: data-parallel\nworker: 1\n", 'fig.yaml:2:1: worker: unknown field (did you mean "work'),
    "nothing": ("", "fig.yaml:1:1: "),
    "half of it": (SPEC[:12], "fig.yaml:"),
    "no text": ("recipe: \udcff\udcfe", "fig.yaml:1:9: not UTF-8"),
    "control characters": ("recipe: a\0b", "fig.yaml:1:10: the character U+0000 is not allowed"),
    "a schedule that breaks rules": (
        "recipe: pipeline\nschedule: 1f1b\noperations: [[0B0, 0F0]]\n",
        "fig.yaml:3:15: TG101",
    ),
    "bad TeX": ("recipe: data-parallel\ntitle: bad TeX\n", "Undefined control sequence \\foo"),
}


def test_what_is_wrong_is_shown_in_place_of_the_picture_and_mended(server: PageServer, spec: Path) -> None:
    for name, (text, told) in BAD.items():
        spec.write_bytes(text.encode("utf-8", "surrogateescape"))
        until(lambda told=told: any(told in trouble.message for trouble in view_of(server).troubles))  # type: ignore[misc]
        assert view_of(server).status == "failed", name
        assert all(len(trouble.message.splitlines()) == 1 for trouble in view_of(server).troubles), name
        assert "Traceback" not in str(view_of(server).troubles)
        spec.write_text(SPEC)
        until(lambda: view_of(server).status == "ready")
        assert view_of(server).troubles == ()


def test_geometry_is_looked_at_as_the_picture_is_made(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []
    prepared: list[str] = []

    def look_at(drawings: object, **options: object) -> ProbeOutcome:
        asked.append(options)
        return ProbeOutcome(errors=[LatexError("cannot be measured")])

    monkeypatch.setattr(making, "look_at", look_at)
    monkeypatch.setattr(making.Studio, "prepare", lambda studio, path, source: iter([prepared.append(source)]))
    told: list[str] = []
    how = replace(SETTINGS, time_limit=7.0)
    with run_watch(spec, settings=how, trust=True, geometry=True, tell=told.append) as server:
        until(settled(server, "ready"))
        assert asked == [{"engine": "pdflatex", "trust": True, "time_limit": 7.0}]
        assert "no geometry: cannot be measured" in told
        spec.write_text(BAD["bad TeX"][0])
        until(settled(server, "failed"))
        assert len(asked) == 1, "what does not compile has no geometry"
        spec.write_text(SPEC.replace("3 #", "4 #"))
        until(lambda: len(asked) > 1)
    assert not any("bad TeX" in source for source in prepared), "nor is it compiled again to have its preamble read"


def test_what_the_system_refuses_is_a_line_on_the_page(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(making, "_draw_page", full)
    with run_watch(spec, settings=SETTINGS) as server:
        until(settled(server, "failed"))
        (trouble,) = view_of(server).troubles
    assert trouble.message == "fig.yaml: no space left on device (free some, or set TMPDIR)"
    assert "Traceback" not in capsys.readouterr().err


def test_geometry_that_nothing_here_reads_is_refused_at_once(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2.raw", None)
    with pytest.raises(TikzgenError, match="pypdfium2 is not installed"), run_watch(spec, geometry=True):
        pass


OTHERS = {
    "a house style above": ("../tikzgen-style.yaml", "corners: 2\n", SPEC),
    "a configuration above": ("../tikzgen.toml", 'palette = "dark"\n', SPEC),
    "what it extends": ("shared/base.yaml", "workers: 4\n", "extends: shared/base.yaml\nrecipe: data-parallel\n"),
    "a table of durations": ("data/d.csv", "1\n2\n", "recipe: pipeline\ndevices: 2\nforward: data/d.csv\n"),
}


@pytest.mark.parametrize(("name", "text", "said"), OTHERS.values(), ids=OTHERS)
def test_other_files_that_it_is_made_from_are_watched_wherever_they_stand(
    name: str, text: str, said: str, spec: Path
) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    optional = path.parent == Path("..")
    if not optional:
        path.write_text(text)
    spec.write_text(said)
    with run_watch(spec, settings=SETTINGS) as server:
        until(settled(server, "ready"))
        number, before = view_of(server).picture_number, COMPILED[-1]
        path.write_text(text if optional else text.replace("2", "3").replace("4", "5"))
        until(lambda: view_of(server).picture_number > number)
        assert COMPILED[-1] != before
        path.unlink()
        until(lambda: view_of(server).picture_number > number + 1 if optional else view_of(server).status == "failed")
        number = view_of(server).picture_number
        path.write_text(text)
        until(lambda: view_of(server).picture_number > number)


def test_a_file_that_is_gone_and_comes_back(server: PageServer, spec: Path) -> None:
    spec.unlink()
    until(settled(server, "failed"))
    assert view_of(server).troubles[0].message.startswith("fig.yaml: file not found")
    spec.write_text(SPEC)
    until(settled(server, "ready"))


def test_a_folder_in_place_of_the_file_and_a_folder_that_goes(server: PageServer, spec: Path) -> None:
    spec.unlink()
    spec.mkdir()
    until(lambda: "is a folder" in str(view_of(server).troubles))
    spec.rmdir()
    home = Path.cwd()
    os.chdir("/")
    shutil.rmtree(home)
    until(lambda: "file not found" in str(view_of(server).troubles))
    home.mkdir()
    os.chdir(home)
    spec.write_text(SPEC)
    until(settled(server, "ready"))


def test_a_pipe_in_place_of_the_file_is_not_waited_for(server: PageServer, spec: Path) -> None:
    spec.unlink()
    os.mkfifo(spec)
    until(lambda: "is not a regular file" in str(view_of(server).troubles))
    spec.unlink()
    spec.write_text(SPEC)
    until(settled(server, "ready"))


def test_without_tex_it_says_so_and_goes_on(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", "")
    with run_watch(spec, settings=SETTINGS) as server:
        until(settled(server, "failed"))
        (trouble,) = view_of(server).troubles
        assert "pdflatex is not on the PATH, and figures are compiled with it (install it: " in trouble.message
        assert view_of(server).fields, "the form is there all the same"
        monkeypatch.setenv("PATH", path)
        server.change(0, {"again": True})
        until(settled(server, "ready"))


def test_without_tex_what_can_be_drawn_is_shown(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "drawn_picture", AT_ONCE)
    monkeypatch.setenv("PATH", "")
    with run_watch(spec, settings=SETTINGS) as server:
        until(lambda: (picture := view_of(server).picture) and picture.pdf)
        assert view_of(server).picture_number == 1, "its PDF makes no new picture"
        assert view_of(server).picture.pdf.startswith(b"%PDF")  # type: ignore[union-attr]
        assert {"w1", "ps"} <= {spot.name for spot in view_of(server).spots}


@pytest.mark.parametrize("has_tex", [False, True])
def test_an_edited_file_is_partial_until_tex_has_set_it(has_tex: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "drawn_picture", AT_ONCE)
    if not has_tex:
        monkeypatch.setenv("PATH", "")
    path, line = Path("fig.tex"), "\\shade (0,0) circle (1cm);\n"
    begin, end, rest = loads(SPEC).tex().rpartition("\\end{tikzpicture}")
    path.write_text(f"{begin}{line}{end}{rest}")
    with run_watch(path, settings=SETTINGS) as server:
        until(lambda: (view := view_of(server)).looked and view.picture and view.picture.is_partial != has_tex, 20)
        view = view_of(server)
        assert view.picture is not None
        assert (view.status, view.troubles) == ("ready", ())
        assert (b">\\shade (0,0) circle (1cm);</text>" in view.picture.data) != has_tex
        assert any("\\shade cannot be drawn without TeX" in note for note in view.picture.notes) != has_tex
        assert (bool(view.picture.pdf), view.picture_number) == (has_tex, 1 + has_tex)


def test_formats_are_made_while_nobody_waits(spec: Path, tmp_path: Path) -> None:
    used: list[tuple[str, int]] = []

    def noting(source: str, **options: object) -> Compiled:
        formats = options["formats"]
        assert isinstance(formats, Formats)
        used.append((source, formats.pays_after))
        return fake(source)

    with run_watch(spec, settings=Settings(find_words, compiler=noting, cache=Cache(tmp_path / "made"))) as server:
        until(lambda: len(used) == 2)
        spec.write_text(f"{SPEC}title: Another\n")
        until(lambda: len(used) == 3)
        spec.write_text(f"{SPEC}title: 中文\n")  # another preamble
        until(lambda: len(used) == 5 and settled(server, "ready")())
    assert [after == 1 for _, after in used] == [False, True, False, False, True]
    assert used[0][0] == used[1][0] and used[3][0] == used[4][0]


def test_what_only_tex_can_set_is_shown_as_png(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "to_png", lambda pdf, words, *, dpi, **_: f"{dpi} dpi".encode())
    assert SHOWN("", b"", About(), None) == ("png", b"288 dpi"), "three pixels for one of CSS"
    source = loads(SPEC).tex()
    assert SHOWN(source, b"", About(), None)[0] == "svg"


def test_figures_of_strangers_are_compiled_in_a_cell() -> None:
    cells: dict[str, object] = {}

    def noting(source: str, **options: object) -> Compiled:
        cells[str(options["name"])] = options["cell"]
        return fake(source)

    load(ROOT / "examples/distributed-training.yaml").save("ours.tex")
    edited = Path("ours.tex").read_text().replace("Training data", "Data")
    Path("edited.tex").write_text(edited)
    Path("spec.yaml").write_text(SPEC)
    settings = Settings(find_words, compiler=noting, cache=Cache(None))
    for trust in (False, True):
        with run_watch(Path(), settings=settings, trust=trust) as server:
            until(lambda: len(cells) == 3 and all(view.status == "ready" for view in server.board.now.views))
        assert {name for name, cell in cells.items() if cell is not None} == (set() if trust else {"edited"})
        cells.clear()


def test_an_editor_that_writes_anew_and_renames_is_never_seen_without_the_file(
    server: PageServer, spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "BACKOFF_SECONDS", 60)  # a busy machine takes its time between two renames
    seen: set[str] = set()
    over = False

    def watch() -> None:
        while not over:
            seen.add(view_of(server).status)
            time.sleep(0.002)

    watching = Thread(target=watch)
    watching.start()
    for number in range(4, 8):
        spec.rename("fig.yaml~")
        draft = Path(".fig.yaml.swp")
        draft.write_text(SPEC.replace("3 #", f"{number} #"))
        draft.rename(spec)
        Path("fig.yaml~").unlink()
        until(lambda number=number: any(f.value == str(number) for f in view_of(server).fields))  # type: ignore[misc]
    over = True
    watching.join()
    assert "failed" not in seen


def test_the_latest_save_wins(server: PageServer, spec: Path) -> None:
    for number in range(2, 60):
        spec.write_text(SPEC.replace("3 #", f"{number} #"))
    until(lambda: view_of(server).looked and any(field.value == "59" for field in view_of(server).fields))


def test_texts_are_measured_before_they_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(true_text_sizes, "which", lambda engine: engine == "pdflatex")
    spec = Path("fig.yaml")
    good = SPEC + "labels: {gradient: !tex '\\fbox{a}'}\n"
    spec.write_text(good)
    with run_watch(spec, settings=SETTINGS, measure=True) as server:
        until(settled(server, "ready"))
        assert '"measured": [' in COMPILED[-1]
        spec.write_text(SPEC + "labels: {gradient: !tex '$a^b^c$'}\n")
        until(settled(server, "failed"))
        (trouble,) = view_of(server).troubles
        assert trouble.message.startswith("fig.yaml:4:")
        assert "pdflatex cannot set it: Double superscript" in trouble.message
        monkeypatch.setenv("PATH", "")
        spec.write_text(SPEC + "labels: {gradient: !tex '\\fbox{b}'}\n")
        until(lambda: "is not on the PATH" in view_of(server).troubles[0].message)


def test_a_bug_of_ours_is_shown_and_does_not_end_the_watching(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = making.Studio.make_tex
    monkeypatch.setattr(making.Studio, "make_tex", lambda self, reading: 1 / 0)
    with run_watch(spec, settings=SETTINGS) as server:
        until(settled(server, "failed"))
        assert "ZeroDivisionError" in view_of(server).troubles[0].message
        monkeypatch.setattr(making.Studio, "make_tex", source)
        spec.write_text(SPEC + "\n")
        until(lambda: view_of(server).status == "ready")
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_an_unwatchable_target_is_refused() -> None:
    with pytest.raises(FileRefused, match="is neither a file nor a folder"), run_watch(Path("/dev/null")):
        pass


# ---- a folder


def test_figures_of_a_folder_come_and_go() -> None:
    Path("b.yaml").write_text(SPEC)
    Path("b.tex").write_text("\\documentclass{standalone}")  # what b.yaml was rendered to
    Path("a.tex").write_text("\\documentclass[border=2pt]{standalone}\n\\begin{document}x\\end{document}\n")
    Path("paper.tex").write_text("\\documentclass{article}")
    Path("notes.yaml").write_text("nothing: here\n")
    Path(".hidden.yaml").write_text(SPEC)
    with run_watch(Path(), settings=SETTINGS) as server:
        names = lambda: [view.name for view in server.board.now.views]  # noqa: E731
        assert names() == ["a.tex", "b.yaml"]
        until(lambda: {view.status for view in server.board.now.views} <= {"ready", "failed"})
        Path("c.json").write_text('{"recipe": "data-parallel"}')
        until(lambda: names() == ["a.tex", "b.yaml", "c.json"])
        Path("b.yaml").write_text("")  # half written: it stays listed
        until(lambda: "failed" in {view.status for view in server.board.now.views if view.name == "b.yaml"})
        assert names() == ["a.tex", "b.yaml", "c.json"]
        ids = {view.name: view.id for view in server.board.now.views}
        Path("a.tex").unlink()
        until(lambda: names() == ["b.yaml", "c.json"])
        assert {view.name: view.id for view in server.board.now.views}.items() < ids.items(), "ids stay"


def test_a_folder_that_is_gone_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    folder.mkdir()
    with run_watch(folder, settings=SETTINGS) as server:
        assert server.board.now.notice.startswith(f"{folder}: no specs or figures here yet (`tikzgen new")
        (folder / "a.yaml").write_text(SPEC)
        until(lambda: [view.status for view in server.board.now.views] == ["ready"])
        assert server.board.now.notice == ""
        shutil.rmtree(folder)
        until(lambda: server.board.now.views == ())
        assert "no such file or directory; it is shown when it is back" in server.board.now.notice
        folder.mkdir()
        (folder / "a.yaml").write_text(SPEC)
        until(lambda: [view.status for view in server.board.now.views] == ["ready"])


def test_a_listed_file_is_looked_into_only_when_it_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    whole = sources._begins_well
    monkeypatch.setattr(sources, "_begins_well", lambda path: looked.append(path) or whole(path))
    Path("a.yaml").write_text(SPEC)
    Path("n.yaml").write_text("notes: 1\n")
    table = Sources(Path())
    for changed in (None, [], [str(Path("other.tex").resolve())]):
        assert [source.path.name for source in table.look(changed).sources] == ["a.yaml"]
    assert len(looked) == 2
    table.look([str(Path("n.yaml").resolve())])
    assert len(looked) == 3


def test_no_change_is_missed_while_other_folders_are_added(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    Path("a.yaml").write_text(SPEC)
    Path("b.yaml").write_text("")  # half written
    table, over = Sources(Path()), Event()
    changes = table.watch_changes(over)
    assert [source.path.name for source in table.look(next(changes)).sources] == ["a.yaml"]
    table.made_from(0, {str(tmp_path / "far" / "house.yaml"): None})  # the folders are watched anew
    Path("b.yaml").write_text(SPEC)
    Path("c.yaml").write_text(SPEC)
    missed = next(changes)
    assert missed
    assert [source.path.name for source in table.look(missed).sources] == ["a.yaml", "b.yaml", "c.yaml"]
    over.set()
    changes.close()


def test_a_file_behind_a_link_is_watched_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/real.yaml").write_text(SPEC)
    spec = Path("fig.yaml")
    spec.symlink_to(tmp_path / "far/real.yaml")
    for target in (spec, Path()):
        with run_watch(target, settings=SETTINGS) as server:
            until(settled(server, "ready"))
            before = view_of(server).picture_number
            (tmp_path / "far/real.yaml").write_text(SPEC.replace("3 #", f"{before + 3} #"))
            until(lambda before=before, server=server: view_of(server).picture_number > before)  # type: ignore[misc]


def test_where_the_system_tells_of_no_changes_it_is_asked(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = sources.watch

    def without(*folders: Path, force_polling: bool = False, **how: object) -> object:
        if not force_polling:
            raise OSError("OS file watch limit reached")
        return told(*folders, force_polling=True, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(sources, "watch", without)
    with run_watch(spec, settings=SETTINGS) as server:
        until(settled(server, "ready"))
        before = view_of(server).picture_number
        time.sleep(1.1)  # it compares times in seconds
        spec.write_text(SPEC.replace("3 #", "4 #"))
        until(lambda: view_of(server).picture_number > before)


# ---- the parts


def test_the_latest_save_is_built_first() -> None:
    built: list[str] = []

    def slow(source: str, **options: object) -> Compiled:
        built.append(str(options["name"]))
        time.sleep(0.3)
        return fake(source)

    for name in "abcd":
        Path(f"{name}.yaml").write_text(SPEC)
    table, board = Sources(Path()), Board()
    studio = making.Studio(
        Settings(find_words, compiler=slow, cache=Cache(None)),
        geometry=False,
        measure=False,
        trust=False,
        allow_invalid=False,
    )
    watch = watcher.Watcher(table, studio, board, lambda line: None, workers=1, apart=False)
    watch.start()
    until(lambda: built)
    Path("d.yaml").write_text(f"{SPEC}title: Mine\n")
    until(lambda: len(board.now.views) == 4 and all(view.looked for view in board.now.views))
    watch.stop()
    assert built.index("d") < 3, "not after all that waited longer"


def test_the_board_wakes_who_waits() -> None:
    board = Board()
    board.arrange([FigureView(0, "a", "a"), FigureView(1, "b", "b")])
    number = board.now.number
    got: list[object] = []
    waiter = Thread(target=lambda: got.append(board.wait(number, 60)))
    waiter.start()
    board.change(1, status="building")
    waiter.join()
    assert got == [board.now]
    board.arrange([FigureView(1, "b", "b")])
    assert [view.status for view in board.now.views] == ["building"], "what is known stays"
    board.change(0, status="ready")
    assert board.now.find_view(0) is None
    assert board.wait(board.now.number, 0) is None
    board.close()
    assert board.wait(-1, 60) is None


def test_excerpts_have_places_and_bounds() -> None:
    path = Path("long.yaml")
    path.write_text("".join(f"line {n} {'x' * 5000}\n" for n in range(1, 50)))
    lines = "\n".join(f"long.yaml:{n}:3: it is wrong" for n in range(1, 40))
    found = troubles_of(TikzgenError(lines), path)
    assert len(found) == 21 and found[-1].message == "and 19 more"
    assert [line.number for line in found[9].excerpt] == [8, 9, 10, 11, 12]
    assert max(len(line.text) for line in found[9].excerpt) == 400
    assert [(line.here, line.mark) for line in found[0].excerpt] == [(True, 3), (False, 0), (False, 0)]
    other = troubles_of(TikzgenError("elsewhere.yaml:1:1: it is wrong"), path)
    assert other[0].excerpt == ()


# ---- the form


def fields(path: Path) -> dict[str, str]:
    return {field.key: field.value for field in fields_of(path, allow_invalid=False)}


def give(path: Path, key: str, value: str) -> bool:
    return edit(path, FieldChange(key, fields(path)[key], value), allow_invalid=False)


EDITS = [
    ("fact:workers", "4", SPEC.replace("3 #", "4 #")),
    ("fact:workers", "{count: 64, show: 3}", "# mine\nrecipe: data-parallel\nworkers: {count: 64, show: 3} # three\n"),
    ("fact:palette", "dark", f"{SPEC}palette: dark\n"),
    ("fact:width", "ieee-text", f"{SPEC}width: ieee-text\n"),
    ("parameter:colsep", "5", f"{SPEC}spacing: {{colsep: 5}}\n"),
    ("parameter:pslabel", "50 % #1", f"{SPEC}labels: {{server: '50 % #1'}}\n"),
]


@pytest.mark.parametrize(("key", "value", "after"), EDITS)
def test_a_field_changes_only_what_says_it(spec: Path, key: str, value: str, after: str) -> None:
    assert give(spec, key, value)
    assert spec.read_text() == after
    assert not give(spec, key, value), "it says so already"


AS_WRITTEN = (
    "recipe:   data-parallel\n\nlabels:\n    # the data\n    data:   'Corpus'   # big\n    server: PS\nworkers:  2\n"
)


def test_the_authors_way_of_writing_stays(spec: Path) -> None:
    data = b"\xef\xbb\xbf" + AS_WRITTEN.replace("\n", "\r\n").encode()
    spec.write_bytes(data)
    assert give(spec, "parameter:pslabel", "Server")
    assert spec.read_bytes() == data.replace(b"server: PS", b"server: Server")


def test_a_field_goes_back_to_what_it_is_by_default(spec: Path) -> None:
    spec.write_text(f"{SPEC}width: 12\n")
    assert give(spec, "fact:width", "")
    assert fields(spec)["fact:width"] == "" and load(spec).width is None


def test_what_was_set_can_be_set_back(spec: Path) -> None:
    for key, value in (("parameter:pslabel", "PS"), ("fact:width", "12"), ("fact:workers", "7")):
        old = fields(spec)[key]
        assert give(spec, key, value)
        assert give(spec, key, old)
        assert spec.read_text() == SPEC


def test_json_stays_json() -> None:
    path = Path("fig.json")
    path.write_text('{\n    "recipe": "data-parallel",\n    "workers": 3\n}\n')
    assert give(path, "fact:workers", "4")
    assert path.read_text() == '{\n    "recipe": "data-parallel",\n    "workers": 4\n}\n'


REFUSED = [
    ("fact:workers", "-1", "must be at least 1, not -1"),
    ("fact:workers", "many", "should be a whole number or {count: 64, show: 3}"),
    ("fact:palette", "pink", 'unknown palette "pink" (choose light, dark)'),
    ("fact:width", "2", "does not fit 2 cm"),
    ("parameter:colsep", "wide", '"wide" is not a number of cm'),
    ("parameter:colsep", "-3", "greater than 0"),
    ("parameter:pslabel", "$\\frac{1$", ""),
]


@pytest.mark.parametrize(("key", "value", "told"), REFUSED)
def test_what_cannot_be_is_refused_and_nothing_written(spec: Path, key: str, value: str, told: str) -> None:
    before = spec.stat()
    with pytest.raises(TikzgenError) as refused:
        give(spec, key, value)
    assert told in str(refused.value)
    assert "--set" not in str(refused.value)
    assert (spec.read_text(), spec.stat().st_mtime_ns) == (SPEC, before.st_mtime_ns)


def test_what_somebody_changed_meanwhile_is_not_overwritten(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = fields(spec)["fact:workers"]
    spec.write_text(SPEC.replace("3 #", "5 #"))
    with pytest.raises(TikzgenError, match='it is "5" now'):
        edit(spec, FieldChange("fact:workers", shown, "4"), allow_invalid=False)
    assert "workers: 5 #" in spec.read_text()
    # something else in the file is no obstacle
    spec.write_text(f"{SPEC}title: Mine\n")
    assert edit(spec, FieldChange("fact:workers", shown, "4"), allow_invalid=False)
    assert spec.read_text() == SPEC.replace("3 #", "4 #") + "title: Mine\n"
    # nor does a save get lost that comes in between
    from tikzgen.serve.watch import editing

    def slow(*given: object) -> str:
        spec.write_text("# saved just now\n" + SPEC)
        return rewritten(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(editing, "rewritten", slow)
    with pytest.raises(FileRefused, match="it changed after it was read"):
        edit(spec, FieldChange("fact:workers", "4", "6"), allow_invalid=False)
    assert spec.read_text() == "# saved just now\n" + SPEC


def test_a_recipe_is_never_written_out_as_a_figure() -> None:
    """What no field of it says stands beside its facts."""
    path = Path("zero-bubble.yaml")
    path.write_bytes((ROOT / "examples" / path).read_bytes())
    before = path.read_text()
    give(path, "parameter:sonefonebcaptionlabel", "1F1B, again")
    assert path.read_text().startswith(before)
    assert path.read_text().removeprefix(before).splitlines() == [
        "overrides:",
        "- {do: set-text, at: [panels.s1f1b.caption], text: '1F1B, again'}",
    ]


@pytest.mark.parametrize("name", ["fig.yaml", "fig.tex"])
def test_a_save_while_the_form_is_read_is_not_lost(name: str, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tikzgen.serve.watch import editing

    path, saved = Path(name), "# saved\n" if name == "fig.yaml" else "% saved\n"
    load(spec).save("fig.tex")
    known = fields_of(path, allow_invalid=False)

    def slow(path: Path, **given: object) -> object:
        path.write_text(path.read_text().replace("Parameter server", "PS") + saved)
        return known

    monkeypatch.setattr(editing, "fields_of", slow)
    with pytest.raises(TikzgenError, match="changed"):
        edit(path, FieldChange("parameter:colsep", fields(path)["parameter:colsep"], "5"), allow_invalid=False)
    assert path.read_text().endswith(saved)


@pytest.mark.parametrize("key", ["fact:nothing", "parameter:nothing", "fact:meta", "", "fact:__class__", "../../x"])
def test_only_fields_that_there_are(spec: Path, key: str) -> None:
    with pytest.raises(TikzgenError, match="the field no longer exists in the file"):
        edit(spec, FieldChange(key, "", "x"), allow_invalid=False)


def test_the_form_of_a_tex_keeps_hand_edits() -> None:
    figure = Path("fig.tex")
    load(ROOT / "examples/distributed-training.yaml").save(figure)
    text = figure.read_text().replace("(w3) at (\\colsep,-\\rowsep)", "(w3) at (\\colsep,{-\\rowsep-1})")
    figure.write_text(text)
    assert give(figure, "parameter:pslabel", "Server 50%")
    assert "{-\\rowsep-1}" in figure.read_text() and "\\def\\pslabel{Server 50\\%}%" in figure.read_text()
    assert fields(figure)["parameter:pslabel"] == "Server 50%"
    with pytest.raises(TikzgenError, match='"x" is not a number'):
        give(figure, "parameter:colsep", "x")


def test_the_form_of_a_figure_of_others() -> None:
    figure = Path("fig.tex")
    text = (ROOT / "tests/cases/opentikz/distributed-training.tex").read_text()
    figure.write_text(text)
    assert give(figure, "parameter:colsep", "5.25")
    assert figure.read_text() == text.replace("\\def\\colsep{4.6}", "\\def\\colsep{5.25}")


NAMES = (
    "distributed-training",
    "parameter-server-en",
    "gradient-accumulation",
    "overlap",
    "cluster",
    "ring-all-reduce",
)
SOME = [example for example in EXAMPLES if example.stem in NAMES]


@pytest.mark.parametrize("example", SOME, ids=lambda path: path.stem)
def test_a_change_of_an_example_touches_few_lines(example: Path) -> None:
    path = Path(example.name)
    text = example.read_text("utf-8")
    changed = 0
    for group in ("facts", "distances", "texts"):
        path.write_text(text, "utf-8")
        field = next(
            each for each in fields_of(path, allow_invalid=False) if each.group == group and each.name != "operations"
        )
        value = {"texts": "Other", "distances": "0.6"}.get(group, "dark")
        try:
            give(path, "fact:palette" if group == "facts" else field.key, value)
        except TikzgenError:
            assert path.read_text("utf-8") == text
            continue
        changed += 1
        old, new = text.splitlines(), path.read_text("utf-8").splitlines()
        assert len(set(old) - set(new)) <= 1 and 1 <= len(set(new) - set(old)) <= 2, (group, set(new) - set(old))
        assert [line for line in old if line.startswith("#")] == [line for line in new if line.startswith("#")]
    assert changed


@pytest.mark.parametrize("example", SOME, ids=lambda path: path.stem)
def test_every_field_of_example_can_be_given_the_value_that_it_has(example: Path) -> None:
    path = Path(example.name)
    path.write_bytes(example.read_bytes())
    found = fields_of(path, allow_invalid=False)
    assert len({field.key for field in found}) == len(found) > 5
    said = make_description(load(path))
    for field in found:
        if field.key.startswith("fact:") and field.value:
            assert make_description(load(path, settings=[f"{field.name}={field.value}"])) == said, field
