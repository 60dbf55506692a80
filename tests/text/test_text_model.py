"""`Text` and `Tex` as fields of a model: what is read, refused, written, and told to editors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from tikzgen import loads
from tikzgen.model.operations.parts_of_figures import renumber_text
from tikzgen.model.part import raw_tex_in
from tikzgen.spec.load_figure import validate_description
from tikzgen.spec.parse_text import parse
from tikzgen.text import Tex, Text, fill_number


class Label(BaseModel):
    text: Text = ""
    raw: Tex | None = None
    more: tuple[Text, ...] = ()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("GPU 1", "GPU 1"),
        ("a_b $x$ é 空闲\n", "a_b $x$ é 空闲\n"),
        ("", ""),
        (3, "3"),
        (-2.5, "-2.5"),
        (Tex(r"\textbf{x}"), Tex(r"\textbf{x}")),
        ({"tex": r"\textbf{x}"}, Tex(r"\textbf{x}")),
    ],
)
def test_what_is_read(given: Any, read: str) -> None:
    text = Label.model_validate({"text": given}).text
    assert text == read
    assert type(text) is type(read)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("a $ b", r"the dollar at character 3 is unpaired (write \$ for a dollar)"),
        ("{0} 🚀", '"🚀" (U+1F680 ROCKET) at character 5 cannot be set'),
        ({"tex": "50%"}, r"% at character 3 begins a comment (write \%)"),
        (Tex(r"\input x"), r"\input at character 1 is not a command that raw TeX may use"),
        (True, 'should be text, or raw TeX as {"tex": "..."}'),
        (None, 'expected text, found null ("" is an empty label)'),
        (["x"], 'should be text, or raw TeX as {"tex": "..."}'),
        ({"tex": 1}, 'should be raw TeX: {"tex": "..."}'),
        ({"tex": "x", "more": "y"}, 'should be raw TeX: {"tex": "..."}'),
        ({}, 'should be raw TeX: {"tex": "..."}'),
    ],
)
def test_what_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Label.model_validate({"text": given})
    (error,) = refused.value.errors()
    assert error["msg"].startswith(message)
    assert error["loc"] == ("text",)
    assert error["type"] == "text"


_IN_YAML = "panels: [{{content: {{type: topology, nodes: [{{id: a, label: {}}}]}}}}]"
_IN_JSON = '{{"panels": [{{"content": {{"type": "topology", "nodes": [{{"id": "a", "label": {}}}]}}}}]}}'
_SPELLINGS = [
    *((_IN_YAML, number) for number in ("1.10", "007", "0x10", "1e3", "+5", ".5", "3.", "12", "2.5")),
    *((_IN_JSON, number) for number in ("1.10", "1e3", "12", "2.5")),
]


@pytest.mark.parametrize(("form", "spelling"), _SPELLINGS)
def test_a_number_in_place_of_a_text_stands_as_it_is_spelt(form: str, spelling: str) -> None:
    (part,) = loads(form.format(spelling)).panels[0].content  # type: ignore[union-attr]
    assert part.nodes[0].label == spelling  # type: ignore[union-attr]


def test_a_field_for_raw_tex_takes_no_plain_text() -> None:
    assert Label.model_validate({"raw": {"tex": "x"}}).raw == Tex("x")
    with pytest.raises(ValidationError, match="should be raw TeX"):
        Label.model_validate({"raw": "x"})


def test_what_is_written_can_be_read_again() -> None:
    label = Label(text=Tex("$x$"), raw=Tex("y"), more=("a", Tex("b")))
    written = {"text": {"tex": "$x$"}, "raw": {"tex": "y"}, "more": ["a", {"tex": "b"}]}
    assert label.model_dump(mode="json") == written
    assert Label.model_validate_json(label.model_dump_json()) == label
    again = Label.model_validate(label.model_dump())
    assert again == label
    assert isinstance(again.text, Tex)
    assert isinstance(again.more[1], Tex)


def test_the_schema_agrees_with_what_is_read() -> None:
    schema = Label.model_json_schema()
    validator = Draft202012Validator(schema)
    Draft202012Validator.check_schema(schema)
    for good in ("x", 3, 2.5, {"tex": "x"}):
        assert validator.is_valid({"text": good})
    for bad in (None, [], {"tex": 1}, {"tex": "x", "more": 1}, {}):
        assert not validator.is_valid({"text": bad})
    assert schema["properties"]["raw"]["anyOf"][0]["properties"]["tex"]["type"] == "string"


def test_raw_tex_is_a_string_that_knows_what_it_is() -> None:
    tex = Tex(r"\alpha")
    assert repr(tex) == r"Tex('\\alpha')"
    assert str(tex) == r"\alpha"
    for twin in (copy.deepcopy(tex), pickle.loads(pickle.dumps(tex))):
        assert type(twin) is Tex
        assert twin == tex
    with pytest.raises(AttributeError):
        tex.colour = "red"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("description", "holds"),
    [
        ("recipe: data-parallel\n", False),
        ("recipe: data-parallel\ntitle: $x$ and \\input\n", False),
        ("recipe: data-parallel\ntitle: !tex x\n", True),
        ("recipe: data-parallel\ntitle: {tex: x}\n", True),
        ('{"recipe": "pipeline", "labels": {"device": {"tex": "{n}"}}}', True),
        ("recipe: parameter-server\nshards: [a, b, !tex c]\n", True),
        ("panels: [{content: {type: topology, nodes: [{kind: worker, id: a, label: !tex x}]}}]\n", True),
    ],
)
def test_raw_tex_is_found_in_data_and_in_figures(description: str, holds: bool) -> None:
    """Also in a description that was never made a figure, for a stranger's may be none."""
    for each in (parse(description).data, loads(description), validate_description(parse(description))[0]):
        assert any(True for _ in raw_tex_in(each)) is holds


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("$G_{n}$", "$G_{63}$"),
        ("$G_{n}^{\\mathrm{dev}}$ and {n}", "$G_{63}^{\\mathrm{dev}}$ and 63"),
        ("$x^{n}_{{n}}$", "$x^{63}_{63}$"),
        ("gpu_{n}", "gpu_63"),
        (r"\$_{n}", r"\$_63"),
        (Tex(r"\(G_{n}\)"), Tex(r"\(G_{63}\)")),
    ],
)
def test_an_index_keeps_its_digits_together(text: str, read: str) -> None:
    assert fill_number(text, 63) == read


def test_a_worker_that_is_added_has_its_digits_together() -> None:
    assert renumber_text("$G_9$", "w9", "w10") == "$G_{10}$"
