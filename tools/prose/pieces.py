"""Pieces of prose in pages, modules and templates: paragraphs, table cells, docstrings, comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

MESSAGE_CALLS = frozenset(
    {
        *("fail", "refuse", "tell", "complain", "warn", "rule", "echo", "check_distinct", "broken_dependency"),
        *("option_error", "Broken", "Problem", "Unsupported", "UsageError", "BadParameter", "PydanticCustomError"),
        *("EditRefused", "FileRefused", "SpecError", "TikzgenError"),
    }
)
HELP_CALLS = frozenset({"option", "trust_option", "Option", "argument", "command", "group"})
MESSAGE_VARIABLES = frozenset({"message", "hint"})
_LEAD_IN = re.compile(r"(which|whose|who|and|or|but|nor|so that)\b")
_OPEN_END = re.compile(r"(,|;|\b(and|or|which|that|whose|but))$")
_PRAGMA = re.compile(r"(noqa|type:|fmt:|pragma|pylint|mypy|-\*-|--|==)")
_TEMPLATE_COMMENT = re.compile(r"<#-?((?s:.+?))-?#>|(?<![\\\\<])% ([A-Za-z#].*)|(?m:^|\s)# ([A-Za-z].*)")
_CODE_IN_STRING = re.compile(r"\(\?|\\[A-Za-z]+\{|\\d|\[\^|^\s*[<{]|\n\s*\\")


class Piece(NamedTuple):
    """A run of prose.

    `room` is the kind of text: readme, docs, reference, changelog, help, messages, fields, docstrings or comments.
    `kind` is its part: paragraph, item, cell, heading, message, help, summary, body, field or comment.
    """

    path: str
    line: int
    room: str
    kind: str
    text: str


def strip_markup(text: str) -> str:
    """Return text without link targets, images, URLs and emphasis; code and formulas become `x`."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"``.+?``|`[^`]*`", "`x`", text)
    text = re.sub(r"https?://\S+", "URL", text)
    text = re.sub(r"\$[^$\n]{1,60}\$", "`x`", text)
    return re.sub(r"\*\*|__", "", text)


def count_words(text: str) -> int:
    """Return the number of words."""
    return len(re.findall(r"[A-Za-z`][\w'`-]*", text))


def room_of_page(path: str) -> str:
    """Return the room of a Markdown page."""
    if path == "README.md":
        return "readme"
    if path.startswith("docs/reference/"):
        return "reference"
    return "changelog" if path.endswith("CHANGELOG.md") else "docs"


def find_pieces(path: str, text: str) -> Iterator[Piece]:
    """Yield the prose of a file: a Markdown page, a Python module, or a template."""
    if path.endswith(".py"):
        yield from _python_pieces(path, text)
    elif path.endswith(".md"):
        yield from _page_pieces(path, text, room_of_page(path))
    else:
        yield from _template_pieces(path, text)


def _template_pieces(path: str, text: str) -> Iterator[Piece]:
    """Yield the comments of a template, and the comments in its output: figures (TeX) or specs (YAML)."""
    for comment in _TEMPLATE_COMMENT.finditer(text):
        words = next(filter(None, comment.groups())).strip()
        yield Piece(path, text.count("\n", 0, comment.start()) + 1, "comments", "comment", strip_markup(words))


def _page_pieces(path: str, text: str, room: str) -> Iterator[Piece]:
    """Yield the prose of a page. In code blocks, this is comments of YAML, shell and TOML."""
    fence = language = ""
    block: list[str] = []
    start, kind = 0, "paragraph"

    def end_block() -> Iterator[Piece]:
        if block:
            yield Piece(path, start, room, kind, strip_markup(" ".join(block)))
            block.clear()

    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
            elif language in {"yaml", "yml", "sh", "toml"} and (comment := re.search(r"(?:^|\s)#\s+(.*)$", line)):
                yield Piece(path, number, room, "comment", strip_markup(comment[1]))
        elif opened := re.match(r"\s*(`{3,}|:{3,})\s*\{?(\w*)", line):
            yield from end_block()
            if opened[1][0] == "`":
                fence, language = opened[1], opened[2]
        elif "prose: allow" in line or re.match(r"\s*(<!--|:\w+:)", line):
            continue
        elif not bare:
            yield from end_block()
        elif heading := re.match(r"#+\s+(.*)$", line):
            yield from end_block()
            yield Piece(path, number, room, "heading", strip_markup(heading[1]))
        elif bare.startswith("|"):
            yield from end_block()
            for cell in re.split(r"(?<!\\)\|", bare.strip("|")):
                if re.search(r"[A-Za-z]{2}", cell):
                    yield Piece(path, number, room, "cell", strip_markup(cell.strip()))
        elif item := re.match(r"\s*(?:[-*]|\d+\.)\s+(.*)$", line):
            yield from end_block()
            start, kind = number, "item"
            block.append(item[1])
        else:
            if not block:
                start, kind = number, "paragraph"
            block.append(bare)
    yield from end_block()


def _literal(node: ast.AST | None) -> str | None:
    """Return the text of a string literal or f-string, with {} for each value; None for any other node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def _literals_in(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of the literals that an expression may return."""
    stack = [node]
    while stack:
        part = stack.pop()
        text = _literal(part)
        if text is not None:
            yield getattr(part, "lineno", 0), text
        elif isinstance(part, ast.IfExp):
            stack += [part.body, part.orelse]
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            stack += [part.left, part.right]
        elif isinstance(part, ast.BoolOp):
            stack += part.values


def _called(node: ast.AST) -> str:
    """Return the last name of a called function; empty for any other node."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _python_pieces(path: str, source: str) -> Iterator[Piece]:
    """Yield docstrings, field docs, help, messages and comments of a module."""
    nodes = list(ast.walk(ast.parse(source)))
    raised = {id(call) for node in nodes if isinstance(node, ast.Raise) for call in ast.walk(node)}
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstring_pieces(path, node)
        if isinstance(node, ast.ClassDef | ast.Module):
            for before, after in pairwise(node.body):
                text = _literal(after.value) if isinstance(after, ast.Expr) else None
                if text and isinstance(before, ast.Assign | ast.AnnAssign):
                    yield Piece(path, after.lineno, "fields", "field", strip_markup(text))
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if _literal(key) == "help" and (text := _literal(value)):
                    yield Piece(path, value.lineno, "help", "help", strip_markup(text))
        if isinstance(node, ast.Call):
            yield from _help_pieces(path, node)
            if id(node) in raised or _called(node) in MESSAGE_CALLS:
                yield from _message_pieces(path, [*node.args, *(keyword.value for keyword in node.keywords)])
        elif isinstance(node, ast.Assign) and any(
            getattr(target, "id", "") in MESSAGE_VARIABLES for target in node.targets
        ):
            yield from _message_pieces(path, [node.value])
    yield from _comment_pieces(path, source)


def _docstring_pieces(path: str, node: ast.AST) -> Iterator[Piece]:
    body = getattr(node, "body", [])
    first = body[0] if body else None
    if not (isinstance(first, ast.Expr) and (text := _literal(first.value))):
        return
    text = re.sub(r"\n\s*>>>.*?(?=\n\s*\n|\Z)", "", text, flags=re.DOTALL)
    is_help = any(_called(each) in {"command", "group"} for each in getattr(node, "decorator_list", ()))
    room, kind = ("help", "help-summary") if is_help else ("docstrings", "summary")
    head, _, rest = text.strip().partition("\n\n")
    yield Piece(path, first.lineno, room, kind, strip_markup(head))
    for chunk in rest.split("\n\n"):
        if chunk.strip() and "\b" not in chunk and not re.match(r"\s*[├└│]", chunk):
            yield Piece(path, first.lineno, room, "body", strip_markup(chunk.strip()))


def _help_pieces(path: str, call: ast.Call) -> Iterator[Piece]:
    for keyword in call.keywords:
        text = _literal(keyword.value)
        if text and keyword.arg in {"help", "short_help"}:
            yield Piece(path, keyword.value.lineno, "help", "help", strip_markup(text))
        elif text and keyword.arg == "description":
            yield Piece(path, keyword.value.lineno, "fields", "field", strip_markup(text))
    for argument in call.args if _called(call) in HELP_CALLS else ():
        text = _literal(argument)
        if text and not text.startswith("-") and count_words(text) >= 3:
            yield Piece(path, argument.lineno, "help", "help", strip_markup(text))


def _message_pieces(path: str, values: list[ast.expr]) -> Iterator[Piece]:
    for value in values:
        for line, text in _literals_in(value):
            if count_words(text) >= 3 and not _CODE_IN_STRING.search(text):
                yield Piece(path, line, "messages", "message", strip_markup(text))


def _comment_pieces(path: str, source: str) -> Iterator[Piece]:
    """Yield comments; lines of a block are one piece.

    The kind is `comment`, with `-open` for an open end and `-mid` for a begin in mid-sentence.
    """
    block: list[tuple[int, int, str]] = []

    def end_block() -> Iterator[Piece]:
        if block:
            text = " ".join(line for _, _, line in block)
            kind = "comment" + "-open" * bool(_OPEN_END.search(text)) + "-mid" * bool(_LEAD_IN.match(text))
            yield Piece(path, block[0][0], "comments", kind, strip_markup(text))
            block.clear()

    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string.lstrip("#!: ").strip()
        row, column = token.start
        is_alone = not token.line[:column].strip()
        if not text or _PRAGMA.match(text):
            continue
        if not (block and is_alone and block[-1][:2] == (row - 1, column)):
            yield from end_block()
        block.append((row, column if is_alone else -1, text))
    yield from end_block()
