"""Change single values of a description: `--set workers=4`, `--set labels.title=Hello`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tikzgen.base.errors import Place, Problem, SettingByOption, SpecError, format_path, quote, shorten_for_message
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.document import Branch, Document, Path, Places, Tree
from tikzgen.spec.source import check_text
from tikzgen.spec.yaml import build_yaml, parse_scalar
from tikzgen.text import Tex

_NAME = r"[\w$-]+"
_PATH = pattern_of(rf"{_NAME}(?:\.{_NAME}|\[[0-9]{{1,6}}\]){{0,40}}")
_STEP = pattern_of(rf"\[([0-9]+)\]|({_NAME})")


def apply(document: Document, settings: Iterable[str], called: str = "") -> Document:
    r"""Return the document with every `path=value` of `settings` applied, in order.

    A path is `labels.title` or `panels[0].caption`. A value that begins with a bracket or a quote is YAML (`{count:
    64, show: 3}`), and one that begins with `!tex` is raw TeX. Any other value is a number, a truth value or text; an
    empty value is empty text. Missing fields are added. The given document is not changed.

    Raise `SpecError` located at the setting; later problems with these values have the same location. `called` is the
    source of the settings, if not the command line.
    """
    data: Any = document.data
    tree = document.places.tree
    for setting in settings:
        before, equals, text = setting.partition("=")
        name = before.strip()
        if not _PATH.fullmatch(name):
            message = f"{quote(name)} is not a path to a field"
            raise _make_error(Place(called or "--set"), message, "a path is labels.title or panels[0].caption")
        option = f"--{name}" if isinstance(setting, SettingByOption) else f"--set {shorten_for_message(name)}"
        label = Place(called or option, field=name)
        if not equals:
            raise _make_error(label, "a value is missing", "write --set field=value")
        path = tuple(int(step[1]) if step[1] else step[2] for step in _STEP.finditer(name))
        data, tree = _with_value(data, tree, (), path, _parse_value(text.strip(), label), label)
    return Document(document.name, data, Places(document.name, tree))


def _parse_value(text: str, label: Place) -> Any:
    text = check_text(text, label.file)
    if text.startswith("!tex"):
        rest = text.removeprefix("!tex").strip()
        return Tex(_parse_yaml(rest, label) if rest[:1] in ("'", '"') else rest)
    if text[:1] in ("{", "[", '"', "'"):
        return _parse_yaml(text, label)
    if not text:
        return ""
    try:
        return parse_scalar(text)
    except ValueError as error:
        raise _make_error(label, str(error), "quote it to make it a string") from None


def _parse_yaml(text: str, label: Place) -> Any:
    try:
        return build_yaml(text, label.file).find_root()[0]
    except SpecError as error:
        hint = "quote a string that begins with a bracket or a quote"
        raise _make_error(label, error.problems[0].message, hint) from None


def _with_value(data: Any, tree: Tree, done: Path, path: Path, value: Any, label: Place) -> tuple[Any, Tree]:
    """Return copies of `data` and `tree`, both at `done`, with `value` at `path`; other parts are shared."""
    if not path:
        return value, label
    step, rest = path[0], path[1:]
    if isinstance(data, dict) and isinstance(step, str):
        branch = _make_branch(tree, data)
        old = data.get(step)
        if old is None and rest:
            if isinstance(rest[0], int):
                existing = ", ".join(data) or "none"
                raise _make_error(label, f"no field {format_path((*done, step))}", f"the existing ones are {existing}")
            old = {}  # the setting creates the parent mapping
        part, mark = _with_value(old, branch.children.get(step, label), (*done, step), rest, value, label)
        keys = {**branch.keys, step: branch.keys.get(step, label) if rest else label}
        return {**data, step: part}, Branch(branch.mark, {**branch.children, step: mark}, keys)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        branch = _make_branch(tree, data)
        part, mark = _with_value(data[step], branch.children[step], (*done, step), rest, value, label)
        children = [*branch.children[:step], mark, *branch.children[step + 1 :]]
        return [*data[:step], part, *data[step + 1 :]], Branch(branch.mark, children, {})
    raise _no_way(data, step, format_path(done) or "the description", label)


def _make_branch(tree: Tree, data: Any) -> Branch:
    """Return the marks of a mapping or a list; a value from an earlier setting has one mark for all parts."""
    if isinstance(tree, Branch):
        return tree
    if isinstance(data, list):
        return Branch(tree, [tree] * len(data), {})
    return Branch(tree, dict.fromkeys(data, tree), dict.fromkeys(data, tree))


def _no_way(data: Any, step: str | int, where: str, label: Place) -> SpecError:
    if isinstance(data, dict):
        message = f"{where} is a mapping, with no entry {shorten_for_message(step)}"
        return _make_error(label, message, f"its fields are {', '.join(data)}")
    if isinstance(data, list) and isinstance(step, int):
        return _make_error(
            label, f"{where} has no entry {step}", f"it has {len(data)}, from 0" if data else "it is empty"
        )
    if isinstance(data, list):
        return _make_error(
            label, f"{where} is a list, with no field {quote(step)}", f"its entries are {where}[0] and so on"
        )
    return _make_error(label, f"{where} is one value, with nothing inside", "set it as a whole")


def _make_error(label: Place, message: str, hint: str) -> SpecError:
    return SpecError([Problem(message, "", label, hint)])
