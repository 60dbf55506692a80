"""The two types of label text, and their notation in specs and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias, TypeVar, get_args

from tikzgen.base.patterns import pattern_of
from tikzgen.base.spelt_numbers import spell_number
from tikzgen.base.trust import expected_commands, is_trusted
from tikzgen.text.escape_characters import TextRefused, load_character_table
from tikzgen.text.text_to_tex import typeset_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.fields import FieldInfo
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema, PydanticCustomError


_T = TypeVar("_T", bound=str)
_FORMULA = pattern_of(r"(?<!\\)\$.*?(?<!\\)\$")
_TEX_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"tex": {"type": "string", "description": "TeX source, passed on unchanged."}},
    "required": ["tex"],
    "additionalProperties": False,
}


class Tex(str):
    r"""Raw TeX, used unchanged: `Tex(r"\textbf{ps}")`; in YAML `!tex` or `{tex: ...}`.

    It may use the commands that labels need. `allow` adds commands that the caller knows: `Tex(r"\qty{3}",
    [r"\qty"])`.
    """

    __slots__ = ("allowed", "field")
    allowed: frozenset[str]
    field: tuple[str | int, ...]

    def __new__(cls, source: str = "", allow: Iterable[str] = (), field: tuple[str | int, ...] = ()) -> Self:
        made = super().__new__(cls, source)
        made.allowed = frozenset(word.removeprefix("\\") for word in allow)
        made.field = field
        return made

    def __repr__(self) -> str:
        allow = [f"\\{word}" for word in sorted(self.allowed)]
        return f"Tex({str(self)!r}, {allow!r})" if allow else f"Tex({str(self)!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _make_label_schema(_read_tex)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return dict(_TEX_SCHEMA)


class FieldText(str):
    """Plain label that records the `field` of the recipe that sets it; derived strings do not."""

    __slots__ = ("field",)
    field: tuple[str | int, ...]

    def __new__(cls, text: str = "", field: tuple[str | int, ...] = ()) -> Self:
        made = super().__new__(cls, text)
        made.field = field
        return made


def with_field(text: Tex | str, field: tuple[str | int, ...]) -> Tex | str:
    """Return a copy of the label that records its field."""
    return Tex(text, text.allowed, field) if isinstance(text, Tex) else FieldText(text, field)


def fill_placeholders(text: Tex | str, **values: object) -> Tex | str:
    r"""Replace each `{name}` in a label by its value, with braces in a subscript if needed.

    >>> fill_placeholders("GPU {n}", n=3), fill_placeholders(Tex(r"\textbf{G}{n}"), n=3)
    ('GPU 3', Tex('\\textbf{G}3'))
    >>> fill_placeholders("$G_{n}$ of {m}", n=63, m=64)
    '$G_{63}$ of 64'
    """
    made = str(text)
    for name, value in values.items():
        field, spelled = f"{{{name}}}", str(value)
        if len(spelled) > 1:
            made = _with_braces(made, field, raw=isinstance(text, Tex))
        made = made.replace(field, spelled)
    if made == text:
        return text
    return Tex(made, text.allowed) if isinstance(text, Tex) else made


def _with_braces(text: str, field: str, *, raw: bool) -> str:
    """Add braces around a placeholder that is an index in a formula, for values of several characters."""

    def add_braces(formula: str) -> str:
        return formula.replace(f"_{field}", f"_{{{field}}}").replace(f"^{field}", f"^{{{field}}}")

    return add_braces(text) if raw else _FORMULA.sub(lambda found: add_braces(found[0]), text)


_TEX_COMMAND = pattern_of(r"\\(?:[A-Za-z]+(?=\{)|\\)")


def find_tex_command(text: str) -> str:
    r"""Return the first TeX command outside formulas, such as `\textbf` before a brace or `\\`; empty without one.

    A plain label shows such a command as characters.
    """
    found = None if isinstance(text, Tex) or "\\" not in text else _TEX_COMMAND.search(_FORMULA.sub("", text))
    return found[0] if found else ""


def fill_number(text: Tex | str, number: int) -> Tex | str:
    """Replace each `{n}` in a label by a number."""
    return fill_placeholders(text, n=number)


def _spell_label(text: str) -> str | dict[str, str]:
    return {"tex": str(text)} if isinstance(text, Tex) else text


def _make_label_schema(read: Callable[[Any], Tex | str]) -> CoreSchema:
    """Return the schema with which models read and write a label."""
    from pydantic_core import core_schema  # imported late: drawing a .tex needs no models

    spelled = core_schema.plain_serializer_function_ser_schema(_spell_label)
    return core_schema.no_info_plain_validator_function(read, serialization=spelled)


def _make_refusal(reason: str) -> PydanticCustomError:
    from pydantic_core import PydanticCustomError

    return PydanticCustomError("text", "{reason}", {"reason": reason})


def _read_raw_tex(value: Any) -> Tex:
    if isinstance(value, Tex):
        return (
            Tex(value, value.allowed | expected_commands(), value.field)
            if expected_commands() and is_trusted()
            else value
        )
    if isinstance(value, dict) and value.keys() == {"tex"} and isinstance(value["tex"], str):
        return Tex(value["tex"], expected_commands() if is_trusted() else ())
    raise _make_refusal('should be raw TeX: {"tex": "..."}')


def _read_tex(value: Any) -> Tex:
    return _check_text(_read_raw_tex(value))


def _read_text(value: Any) -> Tex | str:
    return _check_text(_parse_plain_text(value))


def _parse_plain_text(value: Any) -> Tex | str:
    if isinstance(value, Tex | dict):
        return _read_raw_tex(value)
    if isinstance(value, str):
        return value if isinstance(value, FieldText) else str(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return spell_number(value)
    if value is None:
        raise _make_refusal('expected text, found null ("" is an empty label)')
    raise _make_refusal('should be text, or raw TeX as {"tex": "..."}')


def _read_said(value: Any) -> Tex | str:
    text = _read_text(value)
    if not text.strip():
        raise _make_refusal("is empty: add text, or omit the field")
    return text


def _read_numbered(value: Any) -> Tex | str:
    text = _parse_plain_text(value)
    _check_text(fill_number(text, 1))  # `{n}` itself need not be valid
    return text


def _check_text(text: _T) -> _T:
    try:
        typeset_label(text)
    except TextRefused as refused:
        raise _make_refusal(str(refused)) from None
    return text


class _TextSchema:
    """Pydantic annotation that reads and writes `Text`, `Said` and `Numbered`."""

    def __init__(self, read: Callable[[Any], Tex | str], *, said: bool = False) -> None:
        self.read = read
        self.said = said

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _make_label_schema(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {
            "anyOf": [
                {"type": "string", **({"minLength": 1} if self.said else {})},
                {"type": "number"},
                dict(_TEX_SCHEMA),
            ]
        }


Text: TypeAlias = Annotated[Tex | str, _TextSchema(_read_text)]
"""Label text: tikzgen escapes a plain `str`, but not a `Tex`, and reads a number as text."""
Said: TypeAlias = Annotated[Tex | str, _TextSchema(_read_said, said=True)]
"""Label text that is not blank."""
Numbered: TypeAlias = Annotated[Tex | str, _TextSchema(_read_numbered)]
"""Label text in which `{n}` is a placeholder for a number (`tikzgen.text.fill_number` fills it in)."""


def is_text(kind: Any) -> bool:
    """Return whether a type is `Text`, `Said` or `Numbered`, with any other annotations."""
    return any(isinstance(note, _TextSchema) for note in getattr(kind, "__metadata__", ()))


def holds_text(field: FieldInfo) -> bool:
    """Return whether a field contains labels: one, a list or a mapping."""
    return _made_of_text(Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation)


def _made_of_text(kind: Any) -> bool:
    return is_text(kind) or any(map(_made_of_text, get_args(kind)))


def stack_texts(*texts: Tex | str) -> Tex | str:
    r"""Join the nonempty labels with line breaks: raw TeX if any of them is, else plain text.

    >>> stack_texts("push (P)", "", Tex(r"$\nabla$"))
    Tex('push (P)\\\\$\\nabla$')
    """
    found = [text for text in texts if text]
    if len(found) == 1:
        return found[0]
    if not any(isinstance(text, Tex) for text in found):
        return "\n".join(found)
    lines = [text if isinstance(text, Tex) else _as_raw(text) for text in found]
    # TeX would read a bracket or a star as an argument of the line break
    joined = r"\\".join("{}" * (place > 0 and line[:1] in ("[", "*")) + line for place, line in enumerate(lines))
    return Tex(joined, {word for text in found if isinstance(text, Tex) for word in text.allowed})


def _as_raw(text: str) -> str:
    r"""Convert a plain label to raw TeX that passes the check, which accepts a © but not its \ooalign."""
    source = typeset_label(text).source
    for char, entry in load_character_table()[0].items():
        if r"\ooalign" in entry.source:
            source = source.replace(entry.source, char)
    return source
