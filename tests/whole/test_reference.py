"""The generated reference: complete, in short pages, with links that work; old anchors remain."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "tools"))

import reference

from tikzgen.cli import COMMANDS
from tikzgen.lint.rule_table import all_rules
from tikzgen.recipe.recipe_names import NAMES, recipe

PAGES = sorted(reference.FOLDER.rglob("*.md"))
FIELD_ROW = re.compile(r"^\| `(\w+)` \| ", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The ids of headings, as MyST and GitHub make them, and of explicit anchors."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


def test_no_page_is_outdated_or_without_a_subject() -> None:
    assert reference.stale_pages() == {}
    assert reference.lost_pages() == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(reference.FOLDER).as_posix())
def test_a_page_is_short_and_its_links_work(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if target.startswith("https://"):
            continue
        linked = page.parent / target if target else page
        assert linked.is_file(), target
        assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


@pytest.mark.parametrize("name", NAMES)
def test_each_field_of_a_recipe_is_on_its_page_or_on_a_linked_one(name: str) -> None:
    page = reference.FOLDER / "recipes" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    linked = [page, *(page.parent / target for target in re.findall(r"\]\((\.\./[\w-]+\.md)", text))]
    known = {field for each in linked for field in FIELD_ROW.findall(each.read_text(encoding="utf-8"))}
    model = recipe(name)
    fields = {field.alias or own for own, field in model.model_fields.items()}
    assert fields - known <= {"recipe"}


def test_the_index_lists_each_field_once_in_order() -> None:
    pages = [(reference.FOLDER / name).read_text(encoding="utf-8") for name in ("fields.md", "fields-m-to-z.md")]
    fields = re.findall(r"^- `(\w+)`: \[", "".join(pages), re.MULTILINE)
    assert fields == sorted(set(fields))
    assert {"schedule", "source", "overrides", "label", "until"} <= set(fields)


def test_anchors_of_the_former_single_pages_remain() -> None:
    spec, rules, commands = (anchors(reference.FOLDER / name) for name in ("spec.md", "rules.md", "command-line.md"))
    assert {f"recipe-{name}" for name in NAMES} <= spec
    assert {"what-every-spec-takes", "what-every-recipe-takes", "a-figure-without-a-recipe"} <= spec
    assert {f"{rule.code.lower()}-{rule.name}" for rule in all_rules()} <= rules
    assert {f"tikzgen-{name}" for name in COMMANDS} <= commands
