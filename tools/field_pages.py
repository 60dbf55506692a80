"""Pages of docs/reference on the fields of a spec: one per kind of figure and recipe, and an index.

A part is described once, on the first page that uses it; other pages link to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from pydantic.json_schema import models_json_schema

from tikzgen.model.content import KINDS, Tagged
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Options
from tikzgen.model.looks.phase_and_flow_looks import FLOW_KINDS, PHASES
from tikzgen.model.operations.operations_table import OVERRIDES
from tikzgen.model.overrides import EditableRecipe
from tikzgen.recipe.protocols.protocol_diagram import Protocol, ProtocolOfMany
from tikzgen.recipe.recipe_names import NAMES, recipe
from tikzgen.recipe.schedule_display import Displayed, ManyDevices, ScheduleLabels
from tikzgen.spec.errors.field_docs import field_docs, first_line
from tikzgen.spec.schema import common_fields, fields_in_order, group_of, spelt_default, type_words

__all__ = ["field_pages", "override_arguments"]

_MOST_WORDS = 25  # of a cell; the rest of a meaning follows below the table
_MOST_CHOICES = 8  # in a cell; a longer list follows below the table
_HEAD = ["| field | type | default | meaning |", "|---|---|---|---|"]
_KEYS = {"recipe", "do"}  # they select the model
_FILES = {"spacetime": "space-time"}  # names of pages that differ from the kind
_TITLES = {
    "Options": "Every figure",
    "EditableRecipe": "Every recipe",
    "Displayed": "Every schedule",
    "ManyDevices": "Schedules of many devices",
    "ScheduleLabels": "Labels of every schedule",
    "Protocol": "Every protocol",
    "ProtocolOfMany": "Protocols of many nodes",
}
"""Headings of models that are not parts of a spec."""
_LAST_LETTER = "L"  # of the first page of the index


class _Page(NamedTuple):
    """A page: the models at its top, in order, and an introduction."""

    title: str
    intro: str
    models: tuple[Any, ...]


def _pages() -> dict[str, _Page]:
    """Return the pages with fields, by file; a part belongs to the first page that uses it."""
    kinds = {
        f"{_FILES.get(name, name)}.md": _Page(f"Fields of `type: {name}`", "", (KINDS[name],))
        for name in KINDS.built_in
    }
    recipes = {f"recipes/{name}.md": _Page(f"Fields of `recipe: {name}`", "", (recipe(name),)) for name in NAMES}
    shared = "These fields and labels are in several recipes. A recipe's page lists its other fields."
    return {
        "spec.md": _Page("The spec, field by field", _SPEC, (Options,)),
        "figure.md": _Page("Fields of a figure without a recipe", "", (FigureModel,)),
        **kinds,
        "nodes.md": _Page("Fields of nodes", "All types of nodes have the fields below, except as stated.", _nodes()),
        "recipe-common.md": _Page("Fields of several recipes", shared, _SHARED),
        **recipes,
    }


_SHARED = (EditableRecipe, Displayed, ManyDevices, ScheduleLabels, Protocol, ProtocolOfMany)
_SPEC = """\
A spec is YAML or JSON. It names a `recipe` and sets its parameters, or it lists `panels`. `tikzgen schema` prints all
fields as JSON Schema. Text is plain text with math in `$…$`. Times are numbers or fractions such as `1/3`. The
[index](fields.md) lists all fields from A to Z."""


@cache
def _owners() -> dict[Any, str]:
    """Return the page that describes each model."""
    pages = _pages()
    owners = {OVERRIDES[name]: "operations.md" for name in OVERRIDES}
    owners |= {model: file for file, page in pages.items() for model in page.models}
    for file, page in pages.items():
        for part in _children(page.models, owners):
            owners[part] = file
    return owners


def _children(models: Iterable[Any], known: Iterable[Any] = ()) -> list[Any]:
    """Return the models in the fields of models, nearest first, without known ones and their parts."""
    found: dict[Any, None] = {}
    left_out = {*known}
    waiting = [field.annotation for model in models for field in model.model_fields.values()]
    while waiting:
        kind = waiting.pop(0)
        tags = [note for note in getattr(kind, "__metadata__", ()) if isinstance(note, Tagged)]
        if tags:
            waiting += [tags[0].kinds[each] for each in tags[0].kinds]
        elif isinstance(kind, type) and hasattr(kind, "model_fields"):
            if kind not in found and kind not in left_out:
                found[kind] = None
                waiting += [field.annotation for field in kind.model_fields.values()]
        else:
            waiting += [entry for entry in getattr(kind, "__args__", ()) if entry is not None]
    return list(found)


@cache
def _properties() -> dict[Any, Any]:
    """Return the fields of every model as JSON Schema.

    One call generates all schemas, because most parts are in most recipes.
    """
    models = list(_owners())
    found, schema = models_json_schema([(model, "validation") for model in models])
    named = {model: found[model, "validation"]["$ref"].rpartition("/")[2] for model in models}
    return {model: schema["$defs"][name].get("properties", {}) for model, name in named.items()}


class _Row(NamedTuple):
    """A field in a table. `page` is the file that links are relative to."""

    name: str
    type: str
    default: str
    meaning: str

    def cells(self, file: str) -> str:
        kind = "name" if self._has_many_choices() else _link_parts(self.type, file)
        return " | ".join(_cell(text) for text in (f"`{self.name}`", kind, self.default, self._split()[0]))

    def notes(self) -> Iterator[str]:
        """Yield the paragraphs below the table."""
        if rest := self._split()[1]:
            yield from ("", f"`{self.name}`: {rest}")
        if self._has_many_choices():
            yield from ("", f"Names of `{self.name}`:", "", "```text", self.type.replace("`", ""), "```")

    def _has_many_choices(self) -> bool:
        return self.type.count(",") >= _MOST_CHOICES

    def _split(self) -> tuple[str, str]:
        """Return the sentences of the meaning that fit into a cell, and the rest."""
        if len(self.meaning.split()) <= _MOST_WORDS:
            return self.meaning, ""
        head, rest = [*re.split(r"(?<=\.) (?=[A-Z`])", self.meaning, maxsplit=1), ""][:2]
        if len(head.split()) > _MOST_WORDS and "; " in head:
            head, _, more = head.partition("; ")
            return f"{head}.", f"{more[:1].upper()}{more[1:]} {rest}".rstrip()
        return head, rest


def _rows(model: Any) -> list[_Row]:
    docs, rows = field_docs(model), []
    for name, field in model.model_fields.items():
        said = field.alias or name
        kind = (
            type_words(_properties()[model][said], "`")
            if name != "overrides"
            else "list of [operations](operations.md#arguments)"
        )
        default = "required" if field.is_required() else _default(field.get_default(call_default_factory=True))
        rows.append(_Row(said, kind, default, " ".join(docs[name].split())))
    return rows


def _link_parts(kind: str, file: str) -> str:
    """Return a type with links from the names of parts to their descriptions."""
    models = {model.__name__: model for model in _owners()}

    def link(found: re.Match[str]) -> str:
        name = found[1]
        return f"[`{name}`]({_address(models[name], file)})" if name in models else found[0]

    kind = re.sub(r"`([A-Z]\w+)`", link, kind)
    return kind.replace("](operations.md", f"]({_path('operations.md', file)}")


def _path(target: str, file: str) -> str:
    """Return a link from one page to another; empty for a place on the same page."""
    return "" if target == file else "../" * file.count("/") + target


def _address(model: Any, file: str) -> str:
    """Return the link from a page to the description of a model."""
    owner = _owners()[model]
    is_subject = _has_one_subject(owner) and model in _pages()[owner].models
    return _path(owner, file) + ("" if is_subject else f"#{_anchor(model)}")


def _section(model: Any, file: str) -> Iterator[str]:
    """Yield the table of a model, without the fields that it shares with a described base."""
    shared = [parent for parent in model.__mro__[1:] if parent in _owners()]
    known = {row for parent in shared for row in _rows(parent)}
    rows = [row for row in _rows(model) if row not in known and row.name not in _KEYS]
    if issubclass(model, Options):
        order = [*common_fields(model), *_by_group(model)]
        rows = [row for row in rows if row.name != "id" or model is Options]
        rows.sort(key=lambda row: order.index(row.name) if row.name in order else len(order))
    yield from ("", first_line(model))
    if rows:
        yield from ("", *_HEAD, *(f"| {row.cells(file)} |" for row in rows))
    for row in rows:
        yield from row.notes()
    if links := [f"[{_title(parent)}]({_address(parent, file)})" for parent in shared]:
        yield from ("", f"More fields: {', '.join(links)}.")


def _by_group(model: Any) -> list[str]:
    names = [name for name, _ in fields_in_order(model)]
    groups = list(dict.fromkeys(group_of(model, name) for name in names))
    return sorted(names, key=lambda name: (name == "labels", groups.index(group_of(model, name))))


def _title(model: Any) -> str:
    return _TITLES.get(model.__name__, model.__name__)


def _anchor(model: Any) -> str:
    return _title(model).lower().replace(" ", "-")


@cache
def _nodes() -> tuple[Any, ...]:
    """Return the models of nodes."""
    waiting, found = [KINDS["topology"].model_fields["nodes"].annotation], []
    while waiting:
        kind = waiting.pop(0)
        if hasattr(kind, "model_fields"):
            found.append(kind)
        else:
            waiting += getattr(kind, "__args__", ())
    return tuple(found)


def _node_tables(file: str) -> Iterator[str]:
    """Yield one table for all types of nodes, with the types that have each field."""
    types: dict[_Row, list[str]] = {}
    defaults: dict[_Row, dict[str, None]] = {}
    for model in _nodes():
        for row in _rows(model):
            if row.name != "kind":
                types.setdefault(row._replace(default=""), []).append(str(model.model_fields["kind"].default))
                defaults.setdefault(row._replace(default=""), {})[row.default] = None
    yield from ("", "| `kind` | meaning |", "|---|---|")
    yield from (f"| `{model.model_fields['kind'].default}` | {_cell(first_line(model))} |" for model in _nodes())
    yield from ("", "| field | type | default | meaning | types |", "|---|---|---|---|---|")
    for row, kinds in types.items():
        others = {str(model.model_fields["kind"].default) for model in _nodes()} - {*kinds}
        which = "all" if not others else f"all except `{others.pop()}`" if len(others) == 1 else _list_codes(kinds)
        yield f"| {row._replace(default=' or '.join(defaults[row])).cells(file)} | {which} |"
    for row in types:
        yield from row.notes()


def _has_one_subject(file: str) -> bool:
    """Return whether a page is about one subject, whose table follows the title."""
    return file not in ("spec.md", "recipe-common.md")


def _make_page(file: str) -> str:
    page = _pages()[file]
    lines = [f"# {page.title}", *(["", page.intro] if page.intro else [])]
    if file == "spec.md":
        lines += list(_list_pages())
    if file == "nodes.md":
        lines += _node_tables(file)
    own = [model for model, owner in _owners().items() if owner == file and model not in _nodes()]
    for model in sorted(own, key=lambda model: model not in page.models):
        if not (_has_one_subject(file) and model in page.models):
            lines += ["", f"## {_title(model)}"]
        lines += _section(model, file)
    if file == "figure.md":
        lines += ["", f"Phases: {', '.join(PHASES)}.", "", f"Kinds of flow: {', '.join(FLOW_KINDS)}."]
    return "\n".join(lines)


_OLD_ANCHORS = {
    "figure.md": ("a-figure-without-a-recipe",),
    "recipe-common.md": ("what-every-recipe-takes", "what-every-recipe-of-a-schedule-takes"),
}
"""Anchors of spec.md when it described all fields."""


def _list_pages() -> Iterator[str]:
    for file, page in _pages().items():
        if file == "spec.md":
            continue
        if file in _HEADINGS:
            yield from ("", _HEADINGS[file], "")
        anchors = _OLD_ANCHORS.get(file, (f"recipe-{_short(file)}",) if "/" in file else ())
        yield f"- {_anchors(anchors)}[{page.title}]({file})"
    yield from ("", f"{_anchors(['what-every-spec-takes'])}Fields of every figure follow.")
    names = [_short(each) for each in field_pages() if each != "spec.md" and "/" not in each]
    yield from ("", ":::{toctree}", ":hidden:", ":glob:", *names, ":::")


_HEADINGS = {"figure.md": "Without a recipe:", "recipe-common.md": "With a recipe:"}


def _anchors(names: Iterable[str]) -> str:
    return "".join(f'<a id="{name}"></a>' for name in names)


def _short(file: str) -> str:
    return file.removeprefix("recipes/").removesuffix(".md")


def _index_page(first: bool) -> str:
    """Return half of the index of all fields except labels."""
    places: dict[str, dict[str, str]] = {}
    for model, file in _owners().items():
        if file == "operations.md" or model.__name__.endswith("Labels"):
            continue
        known = {
            name
            for parent in model.__mro__[1:]
            if parent in _owners()
            for each in _rows(parent)
            for name in [each.name]
        }
        title = _short(file) if model in _pages()[file].models and _has_one_subject(file) else _title(model)
        for row in _rows(model):
            if row.name not in known | _KEYS:
                places.setdefault(row.name, {})[title] = _address(model, "")
    lines = ["# Index of fields, A to L" if first else "# Index of fields, M to Z", ""]
    lines += [f"Labels are on the pages of their recipes. {'Next' if first else 'Previous'}: [the other half]"]
    lines[-1] += "(fields-m-to-z.md)." if first else "(fields.md)."
    letter = ""
    for name in sorted(name for name in places if (name[0].upper() <= _LAST_LETTER) == first):
        if name[0].upper() != letter:
            letter = name[0].upper()
            lines += ["", f"## {letter}", ""]
        links = ", ".join(f"[{title}]({target})" for title, target in places[name].items())
        lines.append(f"- `{name}`: {links}")
    return "\n".join(lines)


def field_pages() -> dict[str, Callable[[], str]]:
    """Return a function for the text of each page, by file."""

    def make(file: str) -> Callable[[], str]:
        return lambda: _make_page(file)

    index = {"fields.md": lambda: _index_page(True), "fields-m-to-z.md": lambda: _index_page(False)}
    return {file: make(file) for file in _pages()} | index


def override_arguments() -> Iterator[str]:
    """Yield the table of the arguments of operations, with the operations that have each."""
    operations: dict[_Row, list[str]] = {}
    for name in OVERRIDES:
        for row in _rows(OVERRIDES[name]):
            if row.name not in _KEYS:
                operations.setdefault(row, []).append(name)
    yield from ("| argument | type | default | meaning | operations |", "|---|---|---|---|---|")
    for row in sorted(operations, key=lambda row: row.name):
        yield f"| {row.cells('operations.md')} | {_list_codes(operations[row])} |"
    for row in operations:
        yield from row.notes()


def _list_codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _default(value: Any) -> str:
    text = spelt_default(value)
    if text in ("null", "{}", "[]", '""'):
        return "–"
    return f"`{text}`" if len(text) <= 60 else "a formula" if "$" in text else "built in"
