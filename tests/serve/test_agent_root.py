"""An agent reads and writes below its root only, also through links."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandboxes import SECRET, make_readers_folder

from tikzgen.base.errors import FileRefused, TikzgenError
from tikzgen.serve.agents.tools import Tools


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's files; the working folder is the root of an agent."""
    return make_readers_folder(tmp_path, monkeypatch)


def test_an_agent_stays_in_its_folder(theirs: Path) -> None:
    Path("fig.yaml").write_text("recipe: data-parallel\nworkers: 1\n")
    Path("linked.yaml").symlink_to(theirs / "secret.txt")
    Path("out.meta.json").symlink_to(theirs / "meta.json")
    tools = Tools(Path())
    names = [str(theirs / "secret.txt"), "../theirs/secret.txt", "linked.yaml", "~/x", "/etc/passwd"]
    for name in names:
        for act in (tools.show, tools.check, tools.preview):
            with pytest.raises(TikzgenError) as raised:
                act(name)
            assert SECRET not in str(raised.value)
        with pytest.raises(TikzgenError):
            tools.render("fig.yaml", name if name != "~/x" else "../x.tex")
    with pytest.raises(FileRefused, match=r"out\.tex: is outside"):
        tools.render("fig.yaml", "out.tex")
    assert sorted(path.name for path in theirs.iterdir()) == ["secret.txt"]
