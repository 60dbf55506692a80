"""Every recipe of the table has a page, an entry in `recipes.pyi` and a figure; a package may add a recipe."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from extension_packages import forget, install

import tikzgen
from tikzgen import TikzgenError, load, recipes
from tikzgen.recipe.recipe_names import NEEDS, RECIPES, function_name

PAGE = (ROOT / "docs" / "recipes.md").read_text("utf-8")
BODY = ast.parse((ROOT / "tikzgen" / "recipes.pyi").read_text("utf-8")).body
STUBS = {node.name: node for node in BODY if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in BODY if isinstance(node, ast.ClassDef)}


def shared_options(name: str) -> set[str]:
    """Return the keys of a `TypedDict` in the stub, with those of its bases."""
    found = {each.target.id for each in CLASSES[name].body if isinstance(each, ast.AnnAssign)}  # type: ignore[attr-defined]
    return found.union(*(shared_options(ast.unparse(base)) for base in CLASSES[name].bases if base.id in CLASSES))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", RECIPES.list_entry_names())
def test_each_recipe_has_a_section_with_a_picture(name: str) -> None:
    if name not in NEEDS:
        assert f"\n## {name}\n" in PAGE
        assert f"![{name}](recipes/{name}.png)" in PAGE
        assert (ROOT / "docs" / "recipes" / f"{name}.png").is_file()


@pytest.mark.parametrize("name", RECIPES.list_entry_names())
def test_the_types_have_the_names_and_defaults_of_the_model(name: str) -> None:
    stub = STUBS[function_name(name)]
    defaults = {
        argument.arg: default if default is None else ast.literal_eval(default)
        for argument, default in zip(stub.args.kwonlyargs, stub.args.kw_defaults, strict=True)
    }
    parameters = inspect.signature(getattr(recipes, function_name(name))).parameters.values()
    own = {each.name: each.default for each in parameters}
    assert stub.args.kwarg is not None
    shared = ast.unparse(stub.args.kwarg.annotation or stub).removeprefix("Unpack[").removesuffix("]")
    assert defaults.keys() | shared_options(shared) == own.keys()
    for fact, default in defaults.items():
        if own[fact] is inspect.Parameter.empty:
            assert default is None, fact
        else:
            assert json.loads(json.dumps(default)) == json.loads(json.dumps(own[fact])), fact


@pytest.mark.parametrize("name", RECIPES.list_entry_names())
def test_each_recipe_draws_and_describes_its_default_figure(name: str) -> None:
    if name not in NEEDS:
        made = tikzgen.loads(f"recipe: {name}\n")
        assert made.panels
        assert made.description


def test_a_package_adds_a_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "gossip-recipe")
    spec = tmp_path / "a.yaml"
    spec.write_text("recipe: gossip\npeers: 5\n", "utf-8")
    assert run("render", str(spec)).status == 0
    assert run("build", str(spec), "-f", "svg", "--no-cache").status == 0
    checked = run("check", str(spec), str(spec.with_suffix(".tex")))
    assert (checked.status, checked.out) == (0, "")
    assert load(spec).description.startswith("Gossip among 5 peers")
    assert load(spec) == recipes.gossip(peers=5)
    assert "  peers  int     4  " in run("recipes", "gossip").out
    assert "gossip" in json.loads(run("recipes", "--json").out)
    assert run("new", "gossip", "-o", str(tmp_path / "b.yaml")).status == 0
    assert '"gossip"' in (tmp_path / "tikzgen.schema.json").read_text("utf-8")
    assert 'did you mean "gossip"?' in run("recipes", "gosip").err
    assert load(spec.with_suffix(".tex")) == load(spec)


def test_without_the_package_its_figure_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        install(patch, tmp_path / "site", "gossip-recipe")
        recipes.gossip().save(tmp_path / "a.tex")
    forget(monkeypatch)
    with pytest.raises(TikzgenError, match='requires the package "gossip-recipe", which is not installed'):
        load(tmp_path / "a.tex")
    with pytest.raises(AttributeError):
        _ = recipes.gossip


def test_a_recipe_names_itself_as_its_entry_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "gossip-recipe", append='\n\nGossip.model_fields["recipe"].default = "x"\n')
    with pytest.raises(TikzgenError) as caught:
        _ = RECIPES["gossip"]
    head = 'package "gossip-recipe": entry "gossip" of tikzgen.recipes'
    assert str(caught.value) == f"{head} has the field recipe='x', not 'gossip' (change gossip_recipe:Gossip)"
