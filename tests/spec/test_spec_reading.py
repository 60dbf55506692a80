"""YAML and JSON in: the values, their places, the limits; and no input that ends in anything but a `SpecError`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from conftest import EXAMPLES, at_once, scaled, some
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen import loads
from tikzgen.base.errors import SpecError
from tikzgen.base.spelt_numbers import SpeltFloat, SpeltInteger
from tikzgen.recipe.recipe_names import NAMES, NEEDS
from tikzgen.spec import yaml
from tikzgen.spec.document import MAX_ANCHOR_COUNT, MAX_DEPTH_LEVELS, MAX_NODES, Branch, Document
from tikzgen.spec.parse_text import parse
from tikzgen.spec.source import decode
from tikzgen.spec.spec_text import make_starter_spec
from tikzgen.spec.yaml import build_yaml, parse_scalar
from tikzgen.text import Tex

VALUES: list[tuple[str, Any]] = [
    ("no", "no"),
    ("on", "on"),
    ("y", "y"),
    ("Yes", "Yes"),
    ("true", True),
    ("FALSE", False),
    ("tRUE", "tRUE"),
    ("null", None),
    ("~", None),
    ("", None),
    ("3", 3),
    ("-3", -3),
    ("+3", 3),
    ("012", 12),
    ("0o17", 15),
    ("0x1F", 31),
    ("1_000", "1_000"),
    ("2.8", 2.8),
    (".5", 0.5),
    ("3.", 3.0),
    ("1e3", 1000.0),
    ("-1.5E-2", -0.015),
    ("1/3", "1/3"),
    ("1.2.3", "1.2.3"),
    ("2024-01-01", "2024-01-01"),
    ("12:30", "12:30"),
    ("-x", "-x"),
    ("+x", "+x"),
    (".", "."),
    ("٣", "٣"),
    ("=", "="),
    ("'3'", "3"),
    ('"true"', "true"),
    (r"'$\nabla\theta$'", r"$\nabla\theta$"),
    (r"$\nabla\theta$", r"$\nabla\theta$"),
    (r'"$\\nabla$ and\nmore"', "$\\nabla$ and\nmore"),
    (r'"5\\$\n6\\$"', "5\\$\n6\\$"),
    ("|\n  a\n  b", "a\nb\n"),
    (">-\n  a\n  b", "a b"),
    ("[a, {b: 1}, []]", ["a", {"b": 1}, []]),
    ("{<<: {b: 1, c: 2}, b: 3}", {"b": 3, "c": 2}),
    ("{<<: [{b: 1}, {b: 2, c: 2}]}", {"b": 1, "c": 2}),
    ('{"<<": x}', {"<<": "x"}),
    ("[&x {b: 1}, *x, &x 2, *x]", [{"b": 1}, {"b": 1}, 2, 2]),
    ("{1: a, true: b, ~: c}", {"1": "a", "true": "b", "~": "c"}),
    ("a # comment", "a"),
    ("a#b", "a#b"),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text or "nothing" for text, _ in VALUES])
def test_values(text: str, value: Any) -> None:
    found = parse(f"value: {text}\n").data["value"]
    kind = {SpeltInteger: int, SpeltFloat: float}.get(type(found), type(found))
    assert (found, kind) == (value, type(value))


def test_tex_is_a_tag() -> None:
    data = parse("a: !tex '\\textbf{x}'\nb: [!tex \\alpha, !tex '']\nc: !tex |\n  x\n").data
    assert data == {"a": r"\textbf{x}", "b": [r"\alpha", ""], "c": "x\n"}
    assert all(isinstance(text, Tex) for text in (data["a"], *data["b"], data["c"]))


def test_the_editors_key_is_ignored() -> None:
    for text in ('{"$schema": "x", "a": 1}', "$schema: x\na: 1", "{$schema: x, a: 1}"):
        assert parse(text).data == {"a": 1}
    assert parse("a: {$schema: x}").data == {"a": {"$schema": "x"}}


@pytest.mark.parametrize("name", ["s.json", "s.yaml", "-"])
def test_json_is_read_under_any_name(name: str) -> None:
    text = '\t{"a":\t[1, -2.5e1, true, null, "\\u00e9\\n\\"\\\\", {}, []],\r\n\t"b"\t: {"c": "d"}\t}\n'
    document = parse(text, name)
    assert document.data == {"a": [1, -25.0, True, None, 'é\n"\\', {}, []], "b": {"c": "d"}}
    assert str(document.places.locate_value(("b", "c"))) == f"{name}:2:14"
    assert str(document.places.locate_key(("b", "c"))) == f"{name}:2:9"


def test_a_yaml_flow_mapping_may_begin_like_json() -> None:
    assert parse('{"a": 1, b: no, }').data == {"a": 1, "b": "no"}


JSON_REFUSED = [
    ('{"a": 1,}', "1:9: expected a name in double quotes (remove the comma before it)"),
    ('{"a": [1,]}', "1:10: expected a value (remove the comma before it)"),
    ('{"a": 1 "b": 2}', '1:9: expected "," or "}" (there is "b")'),
    ('{"a" 1}', '1:6: expected ":" (there is "1")'),
    ("{'a': 1}", '1:2: expected a name in double quotes or "}" (put names and strings in double quotes)'),
    ('{"a": yes}', "1:7: expected a value (put names and strings in double quotes)"),
    ('{"a": NaN}', "1:7: expected a value (put names and strings in double quotes)"),
    ('{"a": "b\n"}', "1:7: expected a value (a string ends on its first line)"),
    ('{"a": [}', '1:8: expected a value or "]" (there is "}")'),
    ('{"a": 01}', '1:8: expected "," or "}" (there is "1")'),
    ('// no\n{"a": 1}', "1:1: expected a value (JSON has no comments; a .yaml file may have them)"),
    ('{"a": 1', '1:8: expected "," or "}" (the file ends too early)'),
    ('{"a": 1}\n{}', '2:1: nothing more can stand here (there is "{")'),
    ("", "1:1: expected a value (the file ends too early)"),
    ('{"a": "\\q"}', "1:7: a: a backslash is not allowed here (for TeX write two backslashes)"),
    (
        '{"a": "$\\beta$"}',
        '1:9: a: "\\b" in double quotes is a control character or a special space (for TeX write "\\\\beta")',
    ),
    ('{"a": "\\ud800"}', "1:7: a: an escape here gives U+D800, which is not allowed"),
    ('{"a": 1e999}', "1:7: a: 1e999 is too large for a number (put it in double quotes to make it a string)"),
    ('{"a": {"b": 1,\n "b": 2}}', "2:2: a.b: duplicate field (first used at s.json:1:8)"),
    ("[1]", "1:1: a spec is a mapping, such as `recipe: data-parallel` (`tikzgen new RECIPE` writes one)"),
    ("null", "1:1: the spec is empty (`tikzgen new RECIPE` writes one)"),
]


@pytest.mark.parametrize(("text", "message"), JSON_REFUSED)
def test_json_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse(text, "s.json")
    assert str(caught.value) == f"s.json:{message}"


MANY = 20_000


@pytest.mark.parametrize(
    "text",
    some(
        [
            "[" * MANY,
            "a: [" * MANY,
            "{a: " * MANY,
            "a:\n" + "- " * MANY,
            '{"a": ' * MANY,
            "? " * MANY,
            '{"a":' + "[" * MANY,
        ],
        every=2,
    ),
    ids=["brackets", "mixed", "braces", "hyphens", "json", "keys", "json-list"],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse(text)
    assert len(str(caught.value)) < 200


def nested(depth: int) -> str:
    return "a: " + "[" * (depth - 1) + "]" * (depth - 1)


def test_nesting_ends_at_the_limit() -> None:
    parse(nested(MAX_DEPTH_LEVELS))
    with pytest.raises(SpecError, match=f"nested more than {MAX_DEPTH_LEVELS} levels deep"):
        parse(nested(MAX_DEPTH_LEVELS + 1))


@pytest.mark.parametrize("levels", [6, 30, 500])
def test_an_alias_bomb_is_refused_in_one_walk(levels: int) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    with pytest.raises(SpecError, match=f"more than {MAX_NODES} values"):
        parse("\n".join(lines))


@pytest.mark.slow
def test_a_merge_bomb_is_refused_in_one_walk() -> None:
    base = "base: &base {" + ", ".join(f"k{n}: {n}" for n in range(1000)) + "}\nlist:\n"
    with pytest.raises(SpecError, match=f"more than {MAX_NODES} values"):
        parse(base + "- {<<: *base}\n" * 1000)


@pytest.mark.slow
def test_many_values_are_refused() -> None:
    with pytest.raises(SpecError, match=f"more than {MAX_NODES} values"):
        parse('{"a": [' + ",".join("1" * (MAX_NODES + 1)) + "]}")


@pytest.mark.parametrize(
    ("what", "line"),
    some(
        [("aliases", "- *x\n"), ("anchors", "- &a{} [x]\n"), ("anchors", "- &a x\n"), ("anchors", "- &a{} x\n")],
        every=2,
    ),
)
def test_anchors_and_aliases_end_at_a_limit_with_their_line(what: str, line: str) -> None:
    def text(many: int) -> str:
        return "base: &x y\nlist:\n" + "".join(line.format(number) for number in range(many))

    last = MAX_ANCHOR_COUNT if what == "aliases" else MAX_ANCHOR_COUNT - 1
    parse(text(last))
    with pytest.raises(
        SpecError, match=rf":{last + 3}:3: list\[{last}\]: more than {MAX_ANCHOR_COUNT} {what} \("
    ) as caught:
        parse(text(3 * MAX_ANCHOR_COUNT))
    assert len(caught.value.problems) == 1


def test_aliases_share_and_point_to_what_they_repeat() -> None:
    document = parse("a: &a\n  b: [1]\nc: *a\nd: {<<: *a}\n", "s.yaml")
    places = document.places
    assert document.data["a"] is document.data["c"]
    assert [str(places.locate_value(path)) for path in [("c",), ("c", "b"), ("c", "b", 0), ("d", "b", 0)]] == [
        "s.yaml:3:4",
        "s.yaml:2:6",
        "s.yaml:2:7",
        "s.yaml:2:7",
    ]
    assert str(places.locate_key(("d", "b"))) == "s.yaml:2:3"


def test_what_is_absent_has_the_place_of_what_is_around_it() -> None:
    places = parse("a:\n  b: [x]\n", "s.yaml").places
    assert [
        str(places.locate_value(path)) for path in [(), ("z",), ("a", "z", 3), ("a", "b", 7), ("a", "b", 0, "q")]
    ] == [
        "s.yaml:1:1",
        "s.yaml:1:1",
        "s.yaml:2:3",
        "s.yaml:2:6",
        "s.yaml:2:7",
    ]
    assert [str(places.locate_key(path)) for path in [(), ("a", "z"), ("a", "b", 0)]] == [
        "s.yaml:1:1",
        "s.yaml:2:3",
        "s.yaml:2:7",
    ]


# Any data, written in any style, with the place of every key and value noted by the writer.

CHARS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp"), exclude_characters="\ufeff")
TEXTS = st.text(CHARS, max_size=12)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6, width=32), TEXTS)
DATA: st.SearchStrategy[Any] = st.dictionaries(
    TEXTS.filter(bool),
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS.filter(bool), inner, max_size=4),
        max_leaves=20,
    ),
    min_size=1,
    max_size=5,
).filter(lambda data: "$schema" not in data)


class Writer:
    """Writes data as YAML and notes where everything begins."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose
        self.text = ""
        self.values: dict[tuple[Any, ...], tuple[int, int]] = {}
        self.keys: dict[tuple[Any, ...], tuple[int, int]] = {}

    def here(self) -> tuple[int, int]:
        return self.text.count("\n") + 1, len(self.text) - self.text.rfind("\n")

    def scalar(self, value: Any) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        if re.fullmatch("[A-Za-z][A-Za-z0-9-]*", value) and parse_scalar(value) == value and self.choose(2):
            return value
        return json.dumps(value, ensure_ascii=False) if self.choose(2) else "'" + value.replace("'", "''") + "'"

    def write(self, value: Any, path: tuple[Any, ...], indent: int | None) -> None:
        """Write at the end of the text: a scalar, or a collection in flow style, or in block style at `indent`."""
        if not isinstance(value, (dict, list)) or not value:
            self.values[path] = self.here()
            self.text += self.scalar(value)
            return
        items = value.items() if isinstance(value, dict) else enumerate(value)
        if indent is None:
            self.values[path] = self.here()
            self.text += "{" if isinstance(value, dict) else "["
            for step, part in items:
                self.name(value, step, path, ": ")
                self.write(part, (*path, step), None)
                self.text += ", " if self.choose(2) else " ,\n" + " " * 40
            self.text += "}" if isinstance(value, dict) else "]"
            return
        for step, part in items:
            self.text += ("\n" if self.text else "") + " " * indent
            self.values.setdefault(path, self.here())
            self.name(value, step, path, ":")
            self.text += "" if isinstance(value, dict) else "-"
            if isinstance(part, (dict, list)) and part and self.choose(3):
                self.text += " # a comment" if self.choose(2) else ""
                self.write(part, (*path, step), indent + 1 + self.choose(3))
            else:
                self.text += " "
                self.write(part, (*path, step), None)

    def name(self, value: Any, step: Any, path: tuple[Any, ...], colon: str) -> None:
        if isinstance(value, dict):
            self.keys[*path, step] = self.here()
            self.text += self.scalar(step) + colon


@given(DATA, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_every_value_and_key_has_its_place(data: dict[str, Any], random: Any) -> None:
    writer = Writer(random.randrange)
    writer.write(data, (), 0)
    document = parse(writer.text, "s.yaml")
    assert document.data == data
    for path, mark in writer.values.items():
        place = document.places.locate_value(path)
        assert (place.line, place.column) == mark, (path, writer.text)
    for path, mark in writer.keys.items():
        place = document.places.locate_key(path)
        assert (place.line, place.column) == mark, (path, writer.text)


@given(DATA, st.sampled_from([None, 1, "\t"]), st.booleans())
@settings(deadline=None)
def test_json_reads_as_json_and_as_yaml(data: dict[str, Any], indent: Any, escaped: bool) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=escaped)
    assert parse(text, "s.json").data == data
    assert parse(text, "s.yaml").data == data


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**8), max_value=10**8))
@settings(deadline=None)
def test_decimals_stay_exact_through_their_shortest_form(number: Any) -> None:
    value = parse_scalar(f"{number:f}")
    assert isinstance(value, (int, float))
    assert Fraction(str(value)) == Fraction(f"{number:f}")


BITS = r"""
a|b: |- |[|]|{|}|, |: |"|'|\|&a |*a|!tex |!|!!str |!<|>|%YAML 1.2|%TAG ! a|---|...|#|? |<<: |1|0x|1e3|.|~|$|\n|\x
\U99999999|%|@|`|=|-|+|é|😀|$schema: |//"""
SPACES = ["|", "|\n", "\n", "\n  ", "\n    ", " ", "\t", "\r", "\x85", "\u2028", "\ufeff"]
SNIPPETS = st.lists(st.sampled_from([*re.split(r"[|\n]", BITS), *SPACES]), max_size=30).map("".join)


def read_or_refuse(read: Callable[[], Document]) -> None:
    try:
        document = read()
    except SpecError as error:
        assert len(error.problems) == 1
        assert str(error).isprintable(), ascii(str(error))
        place = error.problems[0].place
        assert place is not None
        assert place.line is not None
    else:
        assert isinstance(document.data, dict)


@given(SNIPPETS | st.text(), st.sampled_from(["s.yaml", "s.json"]))
@settings(max_examples=scaled(5000), deadline=None)
def test_any_text_is_read_or_refused_in_one_line(text: str, name: str) -> None:
    read_or_refuse(lambda: parse(text, name))


@given(st.binary() | SNIPPETS.map(str.encode))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused_in_one_line(data: bytes) -> None:
    read_or_refuse(lambda: parse(decode(data, "s.yaml"), "s.yaml"))


IN_TWO_PARSERS = [
    "# first\n\na: &x [1]\nb: *x\n",
    "a: 1\na: 2\n",
    "a: 'x\nb: y'\n",
    'a: "1\nb: 2"\nc: 3\n',
    "a: {\nb: 1}\n",
    "a: |\n  t\n# c\nb: 1\n",
    "a: |\n  t\n# c\n  u\nb: 1\n",
    "a: 1\n...\nb: 2\n",
    "a: 1\n---\nb: 2\n",
    "- a: 1\nb: 2\n",
    "a:\n- 1\n- 2\nb: {c: !tex $x$}\nd:\n",
    'a: 1\nb: "$\\theta$"\n',
    "b:\n  c: 1\n d: 2\n",
    "a: 1\nb: !tag 2\nc: [\n",
    "a: plain\n  text\nb: 1",
    "a: 1\r\nb: 2\n",
    "a: |\n \n   t\nb: 1\n",
    "a: |# b\n",
    "a: |- #\n \n   t\n",
    "a: |- \n \n   t\n",
    'a: ["x":, "y"]\n',
    "a: !tex &x 1\nb: *x\n",
    "a: !tex  &x 1\nb: *x\n",
    "a: !&!b 1\n",
    "&a: 1\n",
    *(path.read_text("utf-8") for path in EXAMPLES),
]


def _read_by(parser: str, text: str) -> object:
    """Read with one of the two parsers: the data and the places of all values, or the error.

    The parsers see a missing value at different places: behind its colon, or at the next token.
    """
    with pytest.MonkeyPatch.context() as patch:
        if parser == "Python":
            patch.setattr(yaml, "_PYTHON_ONLY", re.compile(""))
        try:
            data, tree = build_yaml(text, "a").find_root()
        except SpecError as error:
            return str(error)
    return data, _places_of_values(data, tree)


def _places_of_values(data: object, tree: object) -> object:
    if not isinstance(tree, Branch):
        return None if data is None else tree
    parts = data.items() if isinstance(data, dict) else enumerate(data)
    return tree.mark, tree.keys, [_places_of_values(part, tree.children[name]) for name, part in parts]


@at_once
@pytest.mark.parametrize("text", IN_TWO_PARSERS)
def test_both_parsers_read_the_same(text: str) -> None:
    assert _read_by("libyaml", text) == _read_by("Python", text)


_INSERTED = [*"  \n\n:-,[]{}#&*!|>'\"%@`?\\\t~.0\u00e9\u4e2d\u2028\x85"]
_INSERTED += ["- ", ": ", "\n  ", "---\n", "!tex ", "<<: ", "|\n", "&x "]


@settings(max_examples=scaled(20_000))
@given(st.sampled_from(IN_TWO_PARSERS), st.lists(st.tuples(st.integers(0), st.sampled_from(_INSERTED)), max_size=3))
def test_both_parsers_read_the_same_of_damaged_text(text: str, inserted: list[tuple[int, str]]) -> None:
    for place, characters in inserted:
        place %= len(text) + 1
        text = text[:place] + characters + text[place:]
    assert _read_by("libyaml", text) == _read_by("Python", text)


def test_the_starter_spec_of_every_recipe_is_read() -> None:
    """A label was written with its name in Python, `copy_`, which a spec refuses."""
    assert [name for name in NAMES if name not in NEEDS and loads(make_starter_spec(name)).origin is None] == []
