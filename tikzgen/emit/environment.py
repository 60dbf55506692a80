"""The Jinja environment: strict, with delimiters that TeX does not use; a sandbox for user templates."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import cache_from_source
from pathlib import Path
from traceback import walk_tb
from typing import Any

from jinja2 import (
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateRuntimeError,
    TemplateSyntaxError,
)
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tikzgen.base.cache import cache_key
from tikzgen.base.child import limit_error, working_at
from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record, list_record_fields
from tikzgen.base.version_and_cache_folder import cache_folder, template_folder
from tikzgen.layout import CONSTANTS, title_size
from tikzgen.layout.scene import name_phase_style
from tikzgen.layout.symbolic_lengths import Length, number

_CACHE_LIMIT = 1_000_000


def _estimate_growth_factor(value: Any) -> int:
    """Return the factor by which a value enlarges a product: a length, or the value of an integer."""
    if isinstance(value, (str, bytes, list, tuple)):
        return max(len(value), 1)
    return (
        abs(value)
        if isinstance(value, int) and abs(value) < _CACHE_LIMIT
        else _CACHE_LIMIT
        if isinstance(value, int)
        else 1
    )


class _AtOnce(Context):
    """A context that calls functions directly, without Jinja's check for `pass_context`.

    No function of the built-in templates uses it.
    """

    def call(__self, __obj: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:  # noqa: N805 (as Jinja has it)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return __obj(*args, **kwargs)


class _Globals(Environment):
    """An environment that passes globals to templates as a plain mapping, which is fast to copy."""

    context_class = _AtOnce

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


class Sandbox(_Globals, ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with fast access to fields of records and to macros, which need no check."""

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Raise `SecurityError` for products and powers that would take too much time or memory."""
        if operator == "**" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            raise SecurityError("powers are for numbers")
        if operator == "**" and isinstance(left, int) and left.bit_length() * abs(right) > _CACHE_LIMIT:
            raise SecurityError("a number grows too large")
        if operator == "*" and _estimate_growth_factor(left) * _estimate_growth_factor(right) >= _CACHE_LIMIT:
            raise SecurityError("a product grows too large")
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Record) and attribute in list_record_fields(type(obj)):
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 (as Jinja has it)
        if type(__obj) is not Macro:
            return super().call(__context, __obj, *args, **kwargs)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return __obj(*args, **kwargs)


class _Bytecode(FileSystemBytecodeCache):
    """A bytecode cache that ignores files that it cannot read or write; templates are then compiled again."""

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # pickle and marshal raise various errors for a damaged file
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def bytecode_cache(*facts: str) -> FileSystemBytecodeCache | None:
    """Return the cache of templates compiled with these parameters; None without a writable folder.

    Its folder is Python's bytecode folder next to the templates, or else the user's cache.
    """
    kept = cache_key(str(sys.implementation.cache_tag), *facts)[:16]
    for folder in _bytecode_folders():
        with suppress(OSError):
            (folder / kept).mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(folder / kept, os.W_OK):
                return _Bytecode(str(folder / kept), "%s")
    return None


def _bytecode_folders() -> Iterator[Path]:
    if not sys.dont_write_bytecode:
        yield Path(cache_from_source(str(template_folder() / "templates.py"))).parent
    if (base := cache_folder()) is not None:
        yield base / "templates"


# Commands for these sizes in LaTeX's 10 pt classes, which have no command for 6 pt. Other classes have other sizes.
_COMMANDS = {
    6: r"\fontsize{6}{7}\selectfont",
    7: r"\scriptsize",
    8: r"\footnotesize",
    9: r"\small",
    10: r"\normalsize",
    12: r"\large",
}
_TITLES = {6: r"\footnotesize", 7: r"\small", 8: r"\normalsize", 9: r"\normalsize", 10: r"\large"}
# The same sizes with line distances, equal in every paper.
_SIZE_ARGUMENTS = {6: "{6}{7}", 7: "{7}{8}", 8: "{8}{9.5}", 9: "{9}{11}", 10: "{10}{12}", 12: "{12}{14}"}
_FAMILIES = {"sans": r"\sffamily", "serif": r"\rmfamily", "inherit": ""}
_ARROWS = {"forward": "->", "backward": "<-", "both": "<->", "none": "-"}


def _spell_coordinate(x: Length, y: Length) -> str:
    """Return a coordinate; sums are in braces, so that TeX does not misread commas and operators."""
    return f"({_add_braces(x)},{_add_braces(y)})"


def _add_braces(length: Length) -> str:
    text = str(length)
    return text if _is_one_term(length) or not length.terms else f"{{{text}}}"


def _spell_dimension(length: Length) -> str:
    r"""Return a dimension: `-0.15cm`, `0.4*\colsep cm`, `{(0.4*\colsep+0.1)*1cm}`."""
    if not length.terms:
        return f"{number(length.constant)}cm"
    return f"{length} cm" if _is_one_term(length) else f"{{({length})*1cm}}"


def _is_one_term(length: Length) -> bool:
    """Return whether a length is a multiple of one parameter."""
    return len(length.terms) == 1 and isinstance(length.terms[0][0], str) and abs(length.constant) < 5e-4


def _size_command(size: float | str, fixed: bool) -> str:
    """Return the command for a size in pt: the paper's own, or the size itself if `fixed`."""
    whole = int(float(size))
    return rf"\fontsize{_SIZE_ARGUMENTS[whole]}\selectfont" if fixed else _COMMANDS[whole]


def _title_font(size: float, fixed: bool) -> str:
    """Return the font of a title above labels of this size."""
    return (_size_command(title_size(size), fixed) if fixed else _TITLES[int(size)]) + r"\bfseries"


_HELPERS: dict[str, Callable[..., str]] = {
    "corner": _spell_coordinate,
    "cm": _spell_dimension,
    "number": number,
    "font": lambda family, size, fixed=False: _FAMILIES[family] + _size_command(size, fixed),
    "sized": _size_command,
    "title_font": _title_font,
    "arrows": lambda direction: _ARROWS[direction],
    "shade": name_phase_style,
    "icon_file": lambda name: f"icons/{name}.tex.j2",
}

_SYNTAX: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "autoescape": False,  # the output is TeX; labels are escaped by type in tikzgen.text
    "optimized": False,  # templates have no constant expressions; the search takes a third of compiling
}


@lru_cache(maxsize=8)
def make_environment(folders: Sequence[Path] = ()) -> Environment:
    """Return the environment for the templates in `folders`, then the built-in ones.

    If there are `folders`, it is a sandbox.
    """
    kind = Sandbox if folders else _Globals
    found = kind(
        loader=FileSystemLoader([*map(str, folders), str(template_folder())]),
        bytecode_cache=bytecode_cache(repr(_SYNTAX), kind.__name__),
        undefined=StrictUndefined,
        auto_reload=False,
        **_SYNTAX,
    )
    known: dict[str, Any] = {**_HELPERS, **CONSTANTS}
    found.globals.update(known)
    return found


def fill(template: str, folders: Sequence[Path] = (), **facts: Any) -> str:
    """Render a template; raise `TikzgenError` with file and line for an error in a user's template."""
    try:
        if not folders:
            return _render_template(make_environment(), template, facts)
        return _fill_own(template, folders, facts)
    except TemplateSyntaxError as error:
        raise TikzgenError(f"{error.filename or error.name}:{error.lineno}: {error.message}") from None
    except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise TikzgenError(f"{_find_template_line(error) or template}: {error}") from None


def _render_template(environment: Environment, template: str, facts: dict[str, Any]) -> str:
    macros = Macros(environment, facts)
    return environment.get_template(template).render(**facts, spelt=macros.spell_item, spelt_by=macros.spelt_by)


class Macros:
    """Macros that elements name, as `timeline.bar`; a template is loaded at the first use of its macros."""

    def __init__(self, environment: Environment, facts: Mapping[str, Any]) -> None:
        self._environment = environment
        self._facts = {**facts, "spelt": self.spell_item, "spelt_by": self.spelt_by}
        self._known: dict[str, Callable[..., str]] = {}

    def spell_item(self, element: Any, *more: Any) -> str:
        """Return the TikZ of an item, from the macro that it names."""
        return self.spelt_by(element.spelling, element, *more)

    def spelt_by(self, spelling: str, *facts: Any) -> str:
        """Return the TikZ of a macro with these arguments."""
        macro = self._known.get(spelling)
        if macro is None:
            template, _, name = spelling.partition(".")
            module = self._environment.get_template(f"{template}.tex.j2").make_module(self._facts)
            macro = self._known[spelling] = _check_macro(getattr(module, name, None), spelling)
        return macro(*facts)


def _check_macro(found: Any, spelling: str) -> Callable[..., str]:
    """Return a macro of a template module; reject its other attributes, because it may be untrusted."""
    if not isinstance(found, Macro):
        raise TemplateRuntimeError(f"unknown macro {spelling}")
    return found


def _fill_own(template: str, folders: Sequence[Path], facts: dict[str, Any]) -> str:
    """Render a user's template, which may use up stack or memory; errors name the template."""
    file = next((str(file) for folder in folders if (file := folder / template).is_file()), template)
    with working_at(file):
        try:
            return _render_template(make_environment(tuple(folders)), template, facts)
        except RecursionError as error:
            raise TikzgenError(f"{_find_template_line(error) or file}: calls or includes itself without end") from None
        except MemoryError as error:
            raise limit_error(error, _find_template_line(error) or file) from None


def _find_template_line(error: Exception) -> str:
    """Return the innermost template line of an error; Jinja names stack frames after templates."""
    lines = [f"{frame.f_code.co_filename}:{line}" for frame, line in walk_tb(error.__traceback__)]
    return next((line for line in reversed(lines) if ".j2:" in line), "")
