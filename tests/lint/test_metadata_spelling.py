"""New values in metadata are spelled as the old text was: spaced, close, or in indented lines."""

from __future__ import annotations

import pytest
from conftest import at_once

from tikzgen.lint.inventory.metadata_text import _spelt_like

VALUE = {"a": [1, "é"], "b": 2}
SPELLED = [
    ("", '{"a": [1, "é"], "b": 2}'),
    ("7", '{"a": [1, "é"], "b": 2}'),
    ('{"x": 1, "y": 2}', '{"a": [1, "é"], "b": 2}'),
    ('{"x":1,"y":2}', '{"a":[1,"é"],"b":2}'),
    ('{"x": 1,"y": 2}', '{"a": [1,"é"],"b": 2}'),
    ('{"x": 1,\n"y": 2}', '{"a": [1,"é"],"b": 2}'),
    ('{\n  "x": 1\n}', '{\n  "a": [\n    1,\n    "é"\n  ],\n  "b": 2\n}'),
    ('{\n    "x": 1\n  }', '{\n    "a": [\n      1,\n      "é"\n    ],\n    "b": 2\n  }'),
    ('{\r\n\t"x": 1\r\n}', '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t"é"\r\n\t],\r\n\t"b": 2\r\n}'),
]


@at_once
@pytest.mark.parametrize(("like", "text"), SPELLED)
def test_a_value_is_spelled_like_another(like: str, text: str) -> None:
    assert _spelt_like(VALUE, like) == text
