"""The prose linter: what it finds, and that no kind of text has more findings than its budget."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from prose.__main__ import BUDGET, check_files, count_groups, group_of, list_files
from prose.pieces import Piece, find_pieces, strip_markup
from prose.rules import ROOMS, RULES, check_piece, read_glossary

CASES = ROOT / "tests" / "cases" / "prose"
SENTENCES = [
    tuple(line.split("\t"))
    for line in (CASES / "sentences.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
FOUND = {
    (1, "docstrings", "D401"),
    (1, "docstrings", "P001"),
    (4, "fields", "P001"),
    (5, "comments", "C501"),
    (5, "comments", "P001"),
    (6, "comments", "C502"),
    (11, "help", "H301"),
    (11, "help", "P104"),
    (15, "help", "H301"),
    (17, "messages", "P001"),
    (18, "messages", "P001"),
    (19, "help", "H301"),
    (19, "help", "P102"),
    (23, "docstrings", "D402"),
}


MESSAGE = re.compile(r"(?:[\w./<>-]+:)?\d+:\d+: \S.*")
MESSAGE_CHARS = 200  # with location and fix


def test_messages_with_location_and_fix_are_short() -> None:
    """Errors, warnings and findings, as the cases and goldens have them."""
    pages = [page for name in ("cases", "goldens") for page in (ROOT / "tests" / name).rglob("*.txt")]
    messages = [message for page in pages for message in MESSAGE.findall(page.read_text("utf-8", "replace"))]
    assert len(messages) > 800
    assert [message for message in messages if len(message) > MESSAGE_CHARS] == []


@pytest.mark.parametrize(("room", "kind", "rules", "text"), SENTENCES)
def test_sentences_have_the_findings_that_a_reader_marked(room: str, kind: str, rules: str, text: str) -> None:
    found = {each.rule for each in check_piece(Piece("page", 1, room, kind, strip_markup(text)))}
    assert found == set(rules.split(",")) - {"-"}


def test_every_kind_of_text_in_a_module_is_read() -> None:
    pieces = list(find_pieces("module.py", (CASES / "module.py.txt").read_text("utf-8")))
    assert {piece.room for piece in pieces} == {"docstrings", "fields", "comments", "help", "messages"}
    found = {(each.line, each.room, each.rule) for piece in pieces for each in check_piece(piece)}
    assert found == FOUND


def test_every_kind_of_text_on_a_page_is_read() -> None:
    blocks = [
        "# Ways",
        "What is drawn.\nIt stays.",
        "- one\n- two",
        "| ab | cd |\n|---|---|",
        "```yaml\na: 1  # so\n```",
    ]
    page = "\n\n".join(blocks)
    kinds = [(piece.line, piece.kind, piece.text) for piece in find_pieces("docs/page.md", page)]
    assert kinds == [
        (1, "heading", "Ways"),
        (3, "paragraph", "What is drawn. It stays."),
        (6, "item", "one"),
        (7, "item", "two"),
        (9, "cell", "ab"),
        (9, "cell", "cd"),
        (13, "comment", "so"),
    ]
    rooms = {
        name: next(find_pieces(name, "text")).room
        for name in ("README.md", "docs/a.md", "docs/reference/a.md", "CHANGELOG.md")
    }
    assert list(rooms.values()) == ["readme", "docs", "reference", "changelog"]


def test_the_glossary_has_entries_for_every_kind_of_text() -> None:
    assert all(read_glossary(room) for room in ROOMS)
    assert {rule[0] for rule in RULES} == {"P", "M", "H", "D", "C"}


PARTS = ("tikzgen/layout", "tikzgen/lint", "tikzgen/compile", "tikzgen/model", "tikzgen/", "docs/", "")


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_no_kind_of_text_is_over_its_budget(part: str) -> None:
    budget = json.loads(BUDGET.read_text("utf-8"))
    names = [name for name in list_files() if next(each for each in PARTS if name.startswith(each)) == part]
    assert names
    found = list(check_files(names))
    over = {group: count for group, count in count_groups(found).items() if count > budget.get(group, 0)}
    told = [f"{each.path}:{each.line}: {each.rule} {each.text}" for each in found if group_of(each) in over]
    assert over == {}, "\n".join(told[:50])


def test_the_command_lists_the_findings_of_a_file() -> None:
    run = [sys.executable, "tools/prose", "--list", "CONTRIBUTING.md"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(line.startswith("CONTRIBUTING.md:") for line in done.stdout.splitlines())
