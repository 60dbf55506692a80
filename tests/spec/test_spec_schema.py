"""The JSON Schema: valid itself, documented throughout, and of one mind with the models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from conftest import some
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tikzgen.model.looks.icons import discover_icons
from tikzgen.recipe.recipe_names import NAMES, RECIPES
from tikzgen.spec.schema import facts_by_field, json_schema, schema_text, spec_schema_text


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Worker(Part):
    """A processor."""

    kind: Literal["worker"] = "worker"
    """Tells a worker from a server."""
    id: Annotated[str, Field(pattern="^[a-z]+$", description="Letters only.")]
    """The node's name."""


class Server(Part):
    """A parameter server."""

    kind: Literal["server"] = "server"
    """Tells a server from a worker."""


class Drawing(Part):
    """A drawing of machines."""

    machines: list[Annotated[Worker | Server, Field(discriminator="kind")]]
    """From left to right."""
    title: str | None = None
    """Above
    the machines."""


class Ring(Part):
    """A ring of workers."""

    recipe: Literal["ring"] = "ring"
    """Names the recipe."""
    workers: int = Field(default=3, ge=1)
    """How many."""


SCHEMA = json_schema(Ring, Drawing, name="toy", extending=False)


def documents() -> Iterator[tuple[dict[str, Any], bool]]:
    yield {"recipe": "ring"}, True
    yield {"recipe": "ring", "workers": 4, "$schema": "toy.schema.json"}, True
    yield {"recipe": "ring", "workers": 0}, False
    yield {"recipe": "ring", "worker": 4}, False
    yield {"recipe": "rung"}, False
    yield {"workers": 4}, False
    yield {"machines": []}, True
    yield {"machines": [{"kind": "worker", "id": "a"}, {"kind": "server"}], "title": None}, True
    yield {"machines": [{"id": "a"}]}, False
    yield {"machines": [{"kind": "server", "$schema": "x"}]}, False
    yield {}, False


@pytest.mark.parametrize(("document", "valid"), list(documents()), ids=str)
def test_the_schema_and_the_models_agree(document: dict[str, Any], valid: bool) -> None:
    assert Draft202012Validator(SCHEMA).is_valid(document) == valid
    data = {name: value for name, value in document.items() if name != "$schema"}
    model = Ring if "recipe" in data else Drawing
    try:
        model.model_validate(data)
    except ValidationError:
        assert not valid
    else:
        assert valid


def test_descriptions_are_the_strings_after_the_fields() -> None:
    definitions = SCHEMA["$defs"]
    assert definitions["Worker"]["description"] == "A processor."
    assert definitions["Worker"]["properties"]["kind"]["description"] == "Tells a worker from a server."
    assert definitions["Worker"]["properties"]["id"]["description"] == "The node's name. Letters only."
    assert definitions["Drawing"]["properties"]["title"]["description"] == "Above\nthe machines."


def test_one_model_alone_does_not_need_its_name() -> None:
    validator = Draft202012Validator(json_schema(Ring, name="ring", extending=False))
    assert validator.is_valid({"workers": 4})
    assert not validator.is_valid({"recipe": "rung"})


def test_the_heading() -> None:
    schema = json.loads(schema_text(Ring, name="ring", title="A ring", extending=False))
    assert list(schema) == ["$schema", "$id", "title", "$ref", "$defs"]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["$id"], schema["title"]) == ("urn:tikzgen:ring", "A ring")
    assert schema_text(Ring, name="ring", title="A ring", extending=False).endswith("}\n")


def properties(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property anywhere in a schema."""
    if isinstance(schema, dict):
        for name, part in schema.get("properties", {}).items():
            yield f"{path}.{name}", part
        for name, part in schema.items():
            yield from properties(part, f"{path}.{name}")
    elif isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from properties(part, f"{path}[{index}]")


@pytest.mark.parametrize("recipe", some(["data-parallel", None, *sorted({*NAMES} - {"data-parallel"})], 99))
def test_the_schemas_of_specs_are_valid_and_documented(recipe: str | None) -> None:
    text = spec_schema_text(recipe)
    schema = json.loads(text)
    Draft202012Validator.check_schema(schema)
    assert [path for path, part in properties(schema) if not part.get("description")] == []
    assert [path for path, part in properties(schema) if "title" in part] == []


def test_editors_are_offered_what_fields_may_name() -> None:
    definitions = json.loads(spec_schema_text())["$defs"]
    offered = {
        (model, field): definitions[model]["properties"][field]["examples"]
        for model, field in (("Node", "icon"), ("Span", "phase"), ("Flow", "kind"), ("Message", "kind"))
    }
    assert list(offered["Node", "icon"]) == list(discover_icons())
    assert {"forward", "backward", "update"} <= set(offered["Span", "phase"])
    assert "gradient" in offered["Flow", "kind"]
    assert "message" in offered["Message", "kind"]
    width = definitions["Figure"]["properties"]["width"]["anyOf"][0]["examples"]
    assert {"ieee-column", "aaai-text", "eccv-text", "sosp-column", "thesis-text"} <= set(width)
    assert not [name for name, part in properties(definitions) if "examples" in part and "const" in part]


SHORT = [
    ("width", "length"),
    ("id", "text"),
    ("workers", "int or mapping"),
    ("fetch", "time"),
    ("palette", "choice"),
    ("overrides", "list"),
]


@pytest.mark.parametrize(("field", "short"), SHORT)
def test_a_type_is_short_in_a_list_of_fields(field: str, short: str) -> None:
    assert facts_by_field(RECIPES["parameter-server"])[field].short_type == short
