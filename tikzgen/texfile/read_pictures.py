r"""Reader of pictures and their statements: paths up to a semicolon, scopes, and `\foreach` loops."""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.code import Code, Environment
from tikzgen.texfile.options_and_coordinates import foreach_head, read_options, read_styles
from tikzgen.texfile.path_facts import StatementFacts, read_path
from tikzgen.texfile.source_facts import Collected, Loop, Option, SourcePicture, SourceScope, SourceStatement
from tikzgen.texfile.source_text import Error, TextSpan

PATH_COMMANDS = {
    "node",
    "coordinate",
    "draw",
    "path",
    "fill",
    "filldraw",
    "shade",
    "shadedraw",
    "pattern",
    "clip",
    "pic",
}
PATH_COMMANDS |= {"matrix", "graph", "useasboundingbox", "calendar", "datavisualization"}
_NEXT = pattern_of(r"\\([A-Za-z@]+)|\{")
_STOP = pattern_of(r"[;{}\[]")
_STOP_OR_NEXT = pattern_of(
    rf"[;{{}}\[]|^[^\S\n]*\\(?:{'|'.join(sorted(PATH_COMMANDS))})(?![A-Za-z@])", re.MULTILINE
)  # stops also at a statement at a line start
_NESTING_LIMIT = 50  # nested loops and environments; deeper ones are ignored
_PICTURES = ("tikzpicture", "tikzpicture*")


def read_pictures(code: Code, environments: tuple[Environment, ...], found: Collected) -> None:
    """Read every picture; `found` must contain the definitions."""
    bodies = [each for each in found.definitions if "tikz" in each.value]
    spans: list[tuple[TextSpan, TextSpan]] = [(e.span, e.body) for e in environments if e.name in _PICTURES]
    spans += _find_inline_pictures(code)
    open_pictures: list[int] = []
    for span, body in sorted(spans):
        given, start = _options_at(code, body.start)
        while open_pictures and found.pictures[open_pictures[-1]].span.end <= span.start:
            open_pictures.pop()
        macros = [each.name for each in bodies if each.value_span.start <= span.start < each.value_span.end]
        outer = open_pictures[-1] if open_pictures else None
        macro = macros[-1] if macros else None
        picture = SourcePicture(span, TextSpan(start, body.end), given, outer, macro)
        open_pictures.append(len(found.pictures))
        found.pictures.append(picture)
        found.settings.append(given)
        found.styles += read_styles(code, given, len(found.pictures) - 1)
    reader = _Reader(code, {each.span.start: each for each in environments}, found)
    for index, picture in enumerate(found.pictures):
        reader.picture = index
        reader.read_statements(picture.body, None, None)


_INLINE = pattern_of(r"\\tikz(?![A-Za-z@])")


def _find_inline_pictures(code: Code) -> list[tuple[TextSpan, TextSpan]]:
    r"""Return the pictures of `\tikz`: up to its brace or its semicolon."""
    found = []
    for command in _INLINE.finditer(code.mask):
        begin = at = code.skip(command.end())
        if code.read_character(at) == "[":
            at = code.skip(code.skip_group(at))
        if code.read_character(at) == "{":
            end = code.skip_group(at)
            body = TextSpan(at + 1, end - 1) if at == begin else TextSpan(begin, end)
        else:
            end = _find_semicolon_end(code, at, len(code.mask))
            body = TextSpan(begin, end)
        found.append((TextSpan(command.start(), end), body))
    return found


def _find_semicolon_end(code: Code, at: int, end: int, stop: re.Pattern[str] = _STOP) -> int:
    """Return the offset after the next semicolon outside groups.

    Without one, return the start of the next closing brace or other match of `stop`, else `end`.
    """
    while found := stop.search(code.mask, at, end):
        if found[0] == ";":
            return found.end()
        if found[0] not in ("{", "["):
            return found.end() - len(found[0].lstrip())
        at = code.skip_group(found.start())
    return end


def _options_at(code: Code, at: int) -> tuple[tuple[Option, ...], int]:
    """Return the options in brackets at an offset, and the offset after them."""
    start = code.skip(at)
    if code.read_character(start) != "[" or start not in code.closes:
        return (), at
    return read_options(code, *code.find_group_contents(start)), code.skip_group(start)


class _Reader:
    """Reader of the statements of each picture."""

    def __init__(self, code: Code, environments: dict[int, Environment], found: Collected) -> None:
        self.code, self.environments, self.found = code, environments, found
        self.picture = 0
        self.depth = 0

    def read_statements(self, span: TextSpan, scope: int | None, loop: int | None) -> None:
        """Read the statements of a span in a scope and a loop."""
        code, at = self.code, span.start
        if self.depth > _NESTING_LIMIT:
            return
        self.depth += 1
        while mark := _NEXT.search(code.mask, at, span.end):
            start, command = mark.start(), mark[1]
            if command is None:
                at = start + 1  # statements in a group are read as if they were outside
            elif command in PATH_COMMANDS:
                at = self._read_statement(command, start, mark.end(), span.end, scope, loop)
            elif command == "foreach":
                at = self._read_foreach(start, mark.end(), span.end, scope, loop)
            elif command == "begin" and start in self.environments:
                at = self._read_environment(self.environments[start], loop)
            elif command == "tikz":
                at = next((p.span.end for p in self.found.pictures if p.span.start == start), mark.end())
            elif command in ("def", "newcommand", "renewcommand", "tikzset", "pgfkeys"):
                brace = code.mask.find("{", mark.end(), span.end)
                at = code.skip_group(brace) if brace >= 0 else mark.end()
                if command.endswith("command") and code.read_character(following := code.skip(at)) in ("{", "["):
                    brace = code.mask.find("{", following, span.end)
                    at = code.skip_group(brace) if brace >= 0 else at
            else:
                self.found.others.append(TextSpan(start, mark.end()))
                at = mark.end()
        self.depth -= 1

    def _read_environment(self, inner: Environment, loop: int | None) -> int:
        if inner.name not in _PICTURES:  # nested pictures are read separately
            given, start = _options_at(self.code, inner.body.start)
            self.found.scopes.append(SourceScope(inner.name, inner.span, given, self.picture))
            self.found.settings.append(given)
            self.found.styles += read_styles(self.code, given, self.picture)
            self.read_statements(TextSpan(start, inner.body.end), len(self.found.scopes) - 1, loop)
        return inner.span.end

    def _read_statement(
        self, command: str, start: int, at: int, limit: int, scope: int | None, loop: int | None
    ) -> int:
        code, found = self.code, self.found
        end = _find_semicolon_end(code, at, limit, _STOP_OR_NEXT)
        ended = code.mask.startswith(";", end - 1)
        index = len(found.statements)
        drawn = StatementFacts(code, index, len(found.nodes))
        read_path(drawn, command, TextSpan(at, end - ended))
        if not ended:
            named = next((f" ({node.name})" for node in drawn.nodes if node.name), "")
            found.errors.append(Error(start, f"\\{command}{named} without its semicolon"))
        found.statements.append(
            SourceStatement(command, TextSpan(start, end), drawn.options, self.picture, scope, loop)
        )
        found.nodes += drawn.nodes
        found.references += drawn.references
        found.flows += drawn.flows
        if drawn.options:
            found.settings.append(drawn.options)
        return end

    def _read_foreach(self, start: int, at: int, limit: int, scope: int | None, loop: int | None) -> int:
        code = self.code
        head = foreach_head(code, at, limit)
        if head is None:
            return at
        variables, members, list_span, after = head
        begin = code.skip(after, limit)
        index = len(self.found.loops)
        braced = code.read_character(begin) == "{" and begin in code.closes
        body = code.find_group_contents(begin) if braced else TextSpan(begin, _find_semicolon_end(code, begin, limit))
        span = TextSpan(start, body.end + braced)
        self.found.loops.append(Loop(variables, members, span, list_span, body, self.picture, loop))
        self.read_statements(body, scope, index)
        return span.end
