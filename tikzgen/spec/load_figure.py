"""From a file to a figure: YAML, JSON, or a rendered .tex that carries its description."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from tikzgen.base.errors import InvalidSchedule, PartRefused, Place, Problem, SpecError, quote
from tikzgen.base.reading import one_figure
from tikzgen.base.record import replace
from tikzgen.base.suggest import did_you_mean
from tikzgen.base.trust import allow_drawing, trust_commands
from tikzgen.model.content import KINDS
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import HouseFile, Options, PaperConfig
from tikzgen.recipe.recipe_names import RECIPES
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import FORMAT, WITHDRAWN_FORMAT, check_packages, identity_of, unseal
from tikzgen.spec.files_beside.pytorch_schedule_csv import looks_like_actions, parse_actions
from tikzgen.spec.parse_text import parse
from tikzgen.spec.settings.config_file import config_of, environment_settings, variable, with_config
from tikzgen.spec.settings.house_style import STYLE, read_house, with_house_style
from tikzgen.spec.settings.set_values import apply
from tikzgen.spec.source import PIPED_NAME, read_text

if TYPE_CHECKING:
    from tikzgen.recipe.measured.measured_trace import Trace


# What earlier formats took for granted, said where a description of theirs is read: its picture stays as it was.

_EVERY = "every recipe"
_FORMER_DEFAULTS = {name: {"show": 4096} for name in ("ddp", "fsdp", "local-sgd", "recovery", "stale-synchronous")}
_DEFAULTS: Mapping[int, Mapping[str, Mapping[str, Any]]] = {
    3: {
        "gradient-accumulation": {"labels": {"update": "gradient update"}},
        "parameter-server": {"labels": {"compute": "minibatch"}},
        "pipeline": {"durations": "stage"},
        "serving": {"labels": {"waiting": "waiting"}},
    },
    2: {
        _EVERY: {"title": ""},
        "data-parallel": {"title": "Distributed data-parallel training"},
        "gradient-accumulation": {"first": 1, "show": 1024},
        "parameter-server": {"first": 1, "labels": {"device": "on GPU{n} (G{n})", "lane": "G{n}"}},
        **_FORMER_DEFAULTS,
    },
    1: {
        "gradient-accumulation": {"labels": {"device": "GPU{n}"}},
        "local-sgd": {"labels": {"device": "worker {n}"}},
        "parameter-server": {
            "labels": {
                "rule": r"$\mathbf{w}_{new} = \mathbf{w} - \alpha\cdot\frac{\partial L}{\partial\mathbf{w}}$",
                "weights": r"$\mathbf{w}_{new}$",
            }
        },
        "ring-all-reduce": {"labels": {"device": "rank {n}"}},
        "stale-synchronous": {"labels": {"device": "worker {n}"}},
    },
}
"""What facts and texts of recipes were by default up to a format, where they are something else today."""
_FORMER_DEFAULTS_ALONE: Mapping[str, Mapping[str, Any]] = {"fsdp": {"backward": 4, "reduce_scatter": 1}}
"""What was by default in the format that was taken back."""


def _with_blank_labels(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description in which a node or lifeline without a label has an empty one, as it was drawn.

    Descriptions inside figures state every label that is not empty. Only what people write leaves labels out.
    """
    if not isinstance(data.get("panels"), list):
        return dict(data)
    return {**data, "panels": [_map_parts(panel, "content", _label_parts) for panel in data["panels"]]}


def _label_parts(content: Any) -> Any:
    for field in ("nodes", "lifelines"):
        content = _map_parts(content, field, lambda part: {"label": "", **part} if _takes_label(part) else part)
    return content


def _takes_label(part: Any) -> bool:
    return isinstance(part, dict) and part.get("kind") != "ellipsis" and not part.get("ellipsis")


def _map_parts(whole: Any, field: str, change: Callable[[Any], Any]) -> Any:
    """Return a mapping in which one field, a list of parts or one part, is changed."""
    if not isinstance(whole, dict) or field not in whole:
        return whole
    parts = whole[field]
    return {**whole, field: [change(part) for part in parts] if isinstance(parts, list) else change(parts)}


def as_it_was(data: Mapping[str, Any]) -> dict[str, Any]:
    """A description with what its format had by default, where that is another default today."""
    identity = identity_of(data)
    if identity is None:
        return dict(data)
    data = _with_blank_labels(data)
    if identity.format == FORMAT:
        return data
    alone = identity.format == WITHDRAWN_FORMAT
    facts: dict[str, Any] = dict(_FORMER_DEFAULTS_ALONE.get(str(data.get("recipe")), {})) if alone else {}
    texts: dict[str, Any] = {}
    for last, recipes in _DEFAULTS.items():
        for name in (_EVERY, str(data.get("recipe"))) if identity.format <= last else ():
            then = recipes.get(name, {})
            facts |= {fact: value for fact, value in then.items() if fact != "labels"}
            texts |= then.get("labels", {})
    labels = data.get("labels", {})
    said = {"labels": {**texts, **labels}} if texts and isinstance(labels, dict) else {}
    return {**facts, **data, **said}


# Text that describes a figure, as data with places: a spec, the one inside a rendered .tex, a PyTorch schedule.


def read_document(path: str | Path) -> Document:
    """Read what describes a figure: a spec, a rendered .tex with its spec inside, a .csv, or `-` for standard input.

    Raises `FileRefused` for a file that cannot be read and `SpecError` for one that is no description.
    """
    text, name = read_text(path)
    return parse_document(text, name, piped=name == PIPED_NAME)


def parse_document(text: str, name: str, *, piped: bool) -> Document:
    """The same for a text that was read already; a `piped` one has no name that tells what it is."""
    if name.lower().endswith(".tex"):
        return _inside(text, name)
    if name.lower().endswith(".csv") or (piped and looks_like_actions(text)):
        return parse_actions(text, name)
    return parse(text, name)


def _inside(text: str, name: str) -> Document:
    """The description that travels inside a rendered figure."""
    found = unseal(text)
    if found is None:
        message = "carries no spec, so it cannot be rendered again"
        raise SpecError([Problem(message, place=Place(name), hint="only figures that tikzgen wrote carry one")])
    document = parse(found, name)
    identity = identity_of(document.data)
    return replace(document, given=identity.given) if identity else document


_Read = TypeVar("_Read", bound="Options")

ALLOW_INVALID = "allow_invalid=true"
"""The setting that `--allow-invalid` is."""


def settings_allowing_invalid(document: Document) -> list[str]:
    """Return the settings that make a recipe accept a schedule that breaks rules."""
    return [ALLOW_INVALID] if document.data.get("recipe") == "pipeline" else []


def load(path: str | Path, *, settings: Sequence[str] = (), trust: bool = False) -> FigureModel:
    """Read a spec, the description inside a rendered figure, or a PyTorch schedule CSV, and make its figure.

    `path` may be `-` for standard input. `settings` are overrides such as `workers=4` or `labels.server=PS`. With
    `trust` the description may allow its raw TeX more commands (`tex: {allow: […]}`).
    `SpecError` holds one line for every problem, with its place.
    """
    with trust_commands() if trust else nullcontext():
        return figure_of(read_document(path), settings)


def loads(text: str, *, name: str = "<string>", settings: Sequence[str] = (), trust: bool = False) -> FigureModel:
    """Make a figure from the text of a spec; `name` stands in the messages, `trust` is as in `load`."""
    with trust_commands() if trust else nullcontext():
        return figure_of(parse(text, name), settings)


def figure_of(document: Document, settings: Sequence[str] = ()) -> FigureModel:
    """Validate a parsed description and expand its recipe."""
    with allow_drawing():
        found, document = validate_description(document, settings)
    return expand_recipe(found, document)


def validate_description(document: Document, settings: Sequence[str] = ()) -> tuple[Options, Document]:
    """Validate a parsed description. Return a `FigureModel` or an unexpanded recipe, and the overridden description.

    Raises `SpecError` with one line for every problem.
    """
    with one_figure():
        return _validate(document, settings)


def _validate(document: Document, settings: Sequence[str]) -> tuple[Options, Document]:
    if "tikzgen" in document.data:
        check_packages(document.data, document.name)
        document = replace(document, data=as_it_was(document.data))
    around, config = environment_settings(document.name), config_of(document.name)
    given = (*document.given, *around, *settings)
    chosen = [setting.removeprefix(STYLE) for setting in (*around, *settings) if setting.startswith(STYLE)]
    for setting in around:
        if not setting.startswith(STYLE):
            document = apply(document, [setting], variable(setting.partition("=")[0]))
    settings = [setting for setting in settings if not setting.startswith(STYLE)]
    if settings:
        document = apply(document, settings)
    document = replace(document, given=tuple(each for each in given if each != ALLOW_INVALID))
    model = _model(document, document.data)
    if tables := getattr(model, "tables", ()):
        from tikzgen.spec.files_beside.durations_file import with_tables  # which loads the simulator

        document = with_tables(document, tables)
    data = {name: value for name, value in document.data.items() if name not in ("$schema", "tikzgen")}
    by = None
    if config.document:
        values = _validate_config(config.document, PaperConfig)
        data = with_config(data, values, model.model_fields)
        if not chosen and "style" in values and "style" not in data:
            chosen, by = [values["style"]], config.document.places.value(("style",))
    data = choose_style(data, document, model, chosen[-1] if chosen else None, by)
    try:
        return with_measured_files(model.model_validate(data), document, data)
    except ValidationError as error:
        raise _explain_error(error, document, model) from None


def choose_style(
    data: dict[str, Any], document: Document, model: type[Options], chosen: str | None = None, by: Place | None = None
) -> dict[str, Any]:
    """What a description and its style say: the `chosen` style, the one it names, or the one of its folder.

    `by` is the place in a configuration that chooses it.
    """
    house = read_house(document, chosen, by)
    return with_house_style(data, _validate_config(house, HouseFile), model.model_fields) if house else data


def with_measured_files(found: _Read, document: Document, data: Mapping[str, Any]) -> tuple[_Read, Document]:
    """The options that `data` says, and their description: with what the files that they name hold."""
    if "reading" not in type(found).model_fields:
        return found, document
    from tikzgen.spec.files_beside.trace_files import with_reading  # which few figures need

    document = with_reading(cast("Trace", found), document)
    return type(found).model_validate({**data, "reading": document.data["reading"]}), document


def _validate_config(file: Document, model: Any) -> dict[str, Any]:
    """Validate a style file or a configuration; report errors at their location in it."""
    try:
        model.model_validate(file.data)
    except ValidationError as error:
        raise _explain_error(error, file, model) from None
    return file.data


def _explain_error(error: ValidationError, document: Document, model: type[BaseModel]) -> SpecError:
    from tikzgen.spec.errors.error_places import explain  # which loads what nobody needs for a right description

    return explain(error, document, model)


def expand_recipe(found: Options, document: Document) -> FigureModel:
    """Expand the result of `validate_description` to a figure."""
    try:
        figure = found if isinstance(found, FigureModel) else found.figure()  # type: ignore[attr-defined]  # a recipe
    except PartRefused as refused:
        raise SpecError([_from_recipe(document, refused.cause)]) from None
    except ValidationError as error:
        # a recipe's facts can be well formed and still make an impossible figure
        raise SpecError([_from_recipe(document, error)]) from None
    except SpecError as error:
        # an override that the figure does not allow
        raise SpecError([_with_place(document, problem) for problem in error.problems]) from None
    except InvalidSchedule as refused:
        raise refused.with_places(document.places.value) from None
    figure._document = document
    return figure


def _with_place(document: Document, problem: Problem) -> Problem:
    """Add the location of the override or the field to a problem."""
    at = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", problem.path)
    way = (at[1], int(at[2])) if at and at[2] else (at[1],) if at else ()
    return replace(problem, place=document.places.value(way)) if way and problem.place is None else problem


def _model(document: Document, data: Any) -> type[Options]:
    if not isinstance(data, dict):
        message = "a spec is a mapping, such as `recipe: data-parallel`"
        raise SpecError([Problem(message, place=Place(document.name, 1, 1), hint="`tikzgen new RECIPE` writes one")])
    name = data.get("recipe")
    if name is None:
        if "panels" not in data:
            raise SpecError([_nothing_named(document, data)])
        return FigureModel
    if not isinstance(name, str) or name not in RECIPES:
        place = document.places.value(("recipe",))
        hint = RECIPES.unknown(str(name))
        raise SpecError([Problem(f"there is no recipe {quote(name)}", "recipe", place, hint)])
    if "panels" in data:
        hint = "leave one of the two out; `overrides` change what a recipe draws"
        message = "a spec names a recipe or lists panels, and this does both"
        raise SpecError([Problem(message, "panels", document.places.key(("panels",)), hint)])
    return RECIPES[name]


_PARTS = ("nodes", "flows", "groups", "lanes", "spans", "lifelines", "messages")
"""Fields that tell a kind of content, where one stands without a panel."""


def _nothing_named(document: Document, data: dict[Any, Any]) -> Problem:
    """A description that is neither a recipe's nor a figure's; perhaps the word for it is misspelt."""
    for kind in KINDS:
        if first := next((field for field in data if field in KINDS[kind].model_fields and field in _PARTS), ""):
            hint = f"write it in a panel: panels: [{{content: {{type: {kind}, {first}: …}}}}]"
            return Problem("has no panels", first, document.places.key((first,)), hint)
    for field in data:
        if hint := did_you_mean(field, ["recipe", "panels"]):
            return Problem("unknown field", str(field), document.places.key((field,)), hint)
    names = RECIPES.names()
    hint = f"recipe: {names[0]}, for one; the recipes are {', '.join(names)}"
    return Problem("names no recipe and has no panels", place=Place(document.name, 1, 1), hint=hint)


def _from_recipe(document: Document, error: Any) -> Problem:
    first = error.errors(include_url=False)[0]
    context = first.get("ctx", {})
    return Problem(first["msg"], place=document.origin, hint=context.get("hint", ""))
