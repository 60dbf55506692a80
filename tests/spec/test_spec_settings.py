"""Overrides: `--set path=value`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen.base.errors import SpecError
from tikzgen.spec.document import Document
from tikzgen.spec.parse_text import parse
from tikzgen.spec.settings.set_values import apply
from tikzgen.text import Tex

TEXT = """\
workers: 3
labels: {server: PS}
panels:
- caption: a
- caption: b
steps: []
note:
"""


@pytest.fixture
def document() -> Document:
    return parse(TEXT, "s.yaml")


@pytest.mark.parametrize(
    ("given", "path", "value"),
    [
        (["workers=4"], ["workers"], 4),
        (["workers = 4"], ["workers"], 4),
        (["workers={count: 64, show: 3}"], ["workers"], {"count": 64, "show": 3}),
        (["workers={count: 64}", "workers.count=5", "workers.show=2"], ["workers"], {"count": 5, "show": 2}),
        (["labels.title=Hello"], ["labels"], {"server": "PS", "title": "Hello"}),
        (["labels.server=a: [b] # c = d"], ["labels", "server"], "a: [b] # c = d"),
        (["labels.server="], ["labels", "server"], ""),
        (["labels.server=null"], ["labels", "server"], None),
        (["labels.server=no"], ["labels", "server"], "no"),
        (["labels.server='5'"], ["labels", "server"], "5"),
        ([r'labels.server="a\nb"'], ["labels", "server"], "a\nb"),
        ([r"labels.server=$\nabla$"], ["labels", "server"], r"$\nabla$"),
        (["panels[1].caption=x"], ["panels"], [{"caption": "a"}, {"caption": "x"}]),
        (["panels[0]={}"], ["panels", 0], {}),
        (["steps=[1, [2.5, x]]", "steps[1][0]=1/3"], ["steps"], [1, ["1/3", "x"]]),
        (["note.deep.er=true"], ["note"], {"deep": {"er": True}}),
        (["new.field=1"], ["new"], {"field": 1}),
        (["meta-data.a_b=1e3"], ["meta-data", "a_b"], 1000.0),
        (["workers=1", "workers=2"], ["workers"], 2),
        ([], ["workers"], 3),
    ],
    ids=str,
)
def test_settings(document: Document, given: list[str], path: list[Any], value: Any) -> None:
    found: Any = apply(document, given).data
    for step in path:
        found = found[step]
    assert found == value
    assert document == parse(TEXT, "s.yaml"), "the document given must stay as it is"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(r"!tex \alpha", r"\alpha"), (r"!tex {\bf x}", r"{\bf x}"), (r"!tex '\alpha'", r"\alpha"), ("!tex", "")],
)
def test_tex(document: Document, value: str, wanted: str) -> None:
    found = apply(document, [f"labels.server={value}"]).data["labels"]["server"]
    assert (type(found), found) == (Tex, wanted)


def test_the_place_of_what_is_set_is_the_setting(document: Document) -> None:
    places = apply(document, ["labels.title=x", "panels[1]={caption: [y]}"]).places
    assert (
        str(places.locate_value(("labels", "title")))
        == str(places.locate_key(("labels", "title")))
        == "--set labels.title"
    )
    assert str(places.locate_value(("panels", 1, "caption", 0))) == "--set panels[1]"
    assert str(places.locate_key(("panels", 1, "caption"))) == "--set panels[1]"
    assert str(places.locate_value(("labels", "server"))) == "s.yaml:2:18"
    assert str(places.locate_key(("labels",))) == "s.yaml:2:1"
    assert str(places.locate_value(("panels", 0, "caption"))) == "s.yaml:4:12"


def test_an_alias_is_set_where_it_stands_only() -> None:
    document = parse("a: &a {b: 1}\nc: *a\n")
    assert apply(document, ["c.b=2"]).data == {"a": {"b": 1}, "c": {"b": 2}}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("workers", "--set workers: a value is missing (write --set field=value)"),
        ("=3", '--set: "" is not a path to a field (a path is labels.title or panels[0].caption)'),
        ("a..b=3", '--set: "a..b" is not a path to a field (a path is labels.title or panels[0].caption)'),
        ("[0]=3", '--set: "[0]" is not a path to a field (a path is labels.title or panels[0].caption)'),
        ("a[x]=3", '--set: "a[x]" is not a path to a field (a path is labels.title or panels[0].caption)'),
        ("a\nb=3", '--set: "a\\nb" is not a path to a field (a path is labels.title or panels[0].caption)'),
        (
            "panel[0].x=3",
            "--set panel[0].x: no field panel (the existing ones are workers, labels, panels, steps, note)",
        ),
        ("labels.a[0]=3", "--set labels.a[0]: no field labels.a (the existing ones are server)"),
        ("panels[2].x=3", "--set panels[2].x: panels has no entry 2 (it has 2, from 0)"),
        ("steps[0]=3", "--set steps[0]: steps has no entry 0 (it is empty)"),
        ("panels.x=3", '--set panels.x: panels is a list, with no field "x" (its entries are panels[0] and so on)'),
        ("labels[0]=3", "--set labels[0]: labels is a mapping, with no entry 0 (its fields are server)"),
        ("workers.show=3", "--set workers.show: workers is one value, with nothing inside (set it as a whole)"),
        ("title=[draft", '--set title: expected "," or "]" (quote a string that begins with a bracket or a quote)'),
        (
            "title=[draft] x",
            "--set title: nothing more can stand here (quote a string that begins with a bracket or a quote)",
        ),
        ("size=.inf", "--set size: a number must be finite (quote it to make it a string)"),
        ("title=a\x07", "--set title:1:2: the character U+0007 is not allowed (remove it)"),
        ("title=\udce9", "--set title:1:1: the character U+DCE9 is not allowed (remove it)"),
    ],
)
def test_what_cannot_be_set(document: Document, setting: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        apply(document, [setting])
    assert str(caught.value) == message


def test_an_endless_path_is_refused(document: Document) -> None:
    with pytest.raises(SpecError, match="is not a path to a field"):
        apply(document, [".".join("a" * 100_000) + "=1"])


NAMES = st.sampled_from(["workers", "labels", "server", "panels", "caption", "steps", "note", "x", "$schema"])
STEPS = st.lists(NAMES.map("{}".format) | st.integers(0, 3).map("[{}]".format), min_size=1, max_size=4)
PATHS = STEPS.map(lambda steps: ".".join(steps).replace(".[", "["))
VALUES = st.text(max_size=12) | st.recursive(
    st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner)
).map(lambda value: json.dumps(value, ensure_ascii=False))


@given(st.lists(st.tuples(PATHS, VALUES).map("=".join) | st.text(max_size=20), max_size=3))
@settings(deadline=None)
def test_any_setting_is_put_in_or_refused_in_one_line(given: list[str]) -> None:
    try:
        found = apply(parse(TEXT, "s.yaml"), given)
    except SpecError as error:
        assert len(error.problems) == 1
        assert str(error).isprintable(), ascii(str(error))
    else:
        assert isinstance(found.data, dict)
