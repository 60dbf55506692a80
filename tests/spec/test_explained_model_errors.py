"""Every wrong description gets lines that say where, what and the way out: one section a case.

A section of `tests/cases/spec/errors.txt` is YAML whose first comments say what happens to it: `# model: NAME` (a name
of `MODELS`; without it the section is only parsed), `# set: path=value` for an override, and
`# error: LINE:COLUMN: ...` for each line of the message.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures.goldens import sections_of
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from tikzgen.base.errors import SpecError
from tikzgen.spec.document import Document
from tikzgen.spec.errors.error_places import explain
from tikzgen.spec.parse_text import parse
from tikzgen.spec.settings.set_values import apply

CASES = sections_of(ROOT / "tests" / "cases" / "spec" / "errors.txt")

Id = Annotated[str, Field(pattern="^[a-z][a-z0-9]*$", description="A name: lower-case letters and digits.")]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Worker(Part):
    kind: Literal["worker"] = "worker"
    id: Id
    label: str = ""
    cores: int = Field(default=1, ge=1, le=64)
    lane: Id | list[Id] = "main"


class Server(Part):
    kind: Literal["server"] = "server"
    id: Id
    worker: Id | None = None  # named like a tag, to try the walk through `loc`


class Crowd(Part):
    count: int = Field(ge=1)
    show: int | None = None


class Axis(Part):
    ticks: float | Literal["auto"] = "auto"
    title: str = Field(default="time", min_length=2, max_length=5)


Count = Annotated[
    Crowd,
    BeforeValidator(
        lambda value: {"count": value} if isinstance(value, int) else value, json_schema_input_type=int | Crowd
    ),
]


class Fleet(Part):
    title: str = ""
    palette: Literal["light", "dark"] = "light"
    crowd: Count = Crowd(count=1)
    machines: Annotated[
        list[Annotated[Worker | Server, Field(discriminator="kind")]],
        BeforeValidator(lambda value: value if isinstance(value, list) else [value]),
    ] = Field(min_length=1, max_length=12)
    axis: Axis | list[Axis] | None = None
    sizes: dict[Literal["small", "large"], float] = Field(default_factory=dict)
    pair: tuple[int, Id] = (1, "a")
    debug: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        seen: dict[str, int] = {}
        for index, machine in enumerate(self.machines):
            if machine.id in seen:
                context = {"name": machine.id, "path": ("machines", index, "id"), "hint": "every id names one machine"}
                raise PydanticCustomError("tikzgen", 'the id "{name}" is used twice', context)
            seen[machine.id] = index
        if self.palette == "dark" and self.debug:
            raise ValueError("There is no dark debug figure")
        return self


class Shape(Part):
    sides: int
    side: float


class Disc(Part):
    radius: float
    label: str = ""


class Drawing(Part):
    shapes: list[Shape | Disc]


MODELS: dict[str, type[BaseModel]] = {"fleet": Fleet, "drawing": Drawing}


def refusal(document: Document, model: type[BaseModel]) -> SpecError:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(document.data)
    return explain(caught.value, document, model)


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    text = CASES[case]
    header = [
        line[2:].partition(": ") for line in text.splitlines() if line.startswith(("# model:", "# set:", "# error:"))
    ]
    facts: dict[str, list[str]] = {}
    for name, _, fact in header:
        facts.setdefault(name, []).append(fact)
    try:
        document = apply(parse(text, "spec.yaml"), facts.get("set", []))
        error = refusal(document, MODELS[facts["model"][0]])
    except SpecError as refused:
        error = refused
    assert str(error).replace("spec.yaml:", "").splitlines() == facts["error"]


def test_a_union_of_models_may_be_the_whole() -> None:
    from pydantic import TypeAdapter

    document = parse("machines: []\ntitel: x\n", "s.yaml")
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Fleet | Drawing).validate_python(document.data)
    lines = str(explain(caught.value, document, Fleet | Drawing)).splitlines()
    assert lines == [
        "s.yaml:1:11: machines: needs at least one entry",
        's.yaml:2:1: titel: unknown field (did you mean "title"?)',
    ]


FIELDS = [name for model in (Fleet, Worker, Server, Axis, Crowd) for name in model.model_fields]
NAMES = st.sampled_from([*FIELDS, "lable", "worker", "Crowd", "small", "[key]", "a b", "str", "list[Axis]"])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["worker", "server", "auto", "light", "drak", "small", "main", "1", "", "\n", "\u202e"]),
    st.text(max_size=50),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=25
)
MACHINES = st.fixed_dictionaries({"kind": st.sampled_from(["worker", "server", "sever"])}, optional={"id": LEAVES})
SPECS = st.dictionaries(NAMES, VALUES, max_size=8).flatmap(
    lambda data: st.one_of(VALUES, st.lists(MACHINES, max_size=4), MACHINES).map(
        lambda found: {**data, "machines": found}
    )
)


@pytest.mark.slow
@given(SPECS)
@settings(deadline=None)
def test_every_refusal_is_told_in_short_lines_with_places(data: dict[str, Any]) -> None:
    from tikzgen.spec.document import Branch, Places

    document = Document("s.yaml", data, Places("s.yaml", Branch((1, 1), {}, {})))
    try:
        Fleet.model_validate(data)
    except ValidationError as error:
        told = explain(error, document, Fleet)
        assert 1 <= len(told.problems) <= 11
        assert all(line.isprintable() for line in str(told).split("\n"))
        assert len(str(told).split("\n")) == len(told.problems)
        assert all(problem.place is not None for problem in told.problems[:10])
        assert not any(problem.message.startswith("input should") for problem in told.problems), str(told)
