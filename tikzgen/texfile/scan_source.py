"""All contents of a TeX source, from one scan."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from tikzgen.base.errors import Place
from tikzgen.base.record import Record, WithCache, replace
from tikzgen.texfile.code import Code, group
from tikzgen.texfile.read_definitions import color_literals, color_uses, parameter_block, read_definitions
from tikzgen.texfile.read_pictures import read_pictures
from tikzgen.texfile.source_facts import (
    Collected,
    Color,
    ColorLiteral,
    ColorUse,
    Definition,
    Inclusion,
    LoadedPackage,
    Loop,
    Option,
    ParameterBlock,
    Reference,
    SourceFlow,
    SourceNode,
    SourcePicture,
    SourceScope,
    SourceStatement,
    SourceStyle,
)
from tikzgen.texfile.source_text import Error, Lines, TextSpan
from tikzgen.texfile.tokens import TexToken, find_marks, mask_non_code


class Facts(WithCache, Record):
    r"""Contents of a TeX source, each item with its span; invalid items are included.

    Lists are in the order of the file; contents of pictures are grouped by picture. Indices (`Statement.picture`,
    `Flow.labels`) refer to the tuples here. `uses` maps the name of a macro, with backslash, to the spans of its uses
    and definitions. `others` are the commands between paths that do not begin a path.
    """

    text: str
    marks: tuple[TexToken, ...]
    code: Code
    errors: tuple[Error, ...]
    loaded: tuple[LoadedPackage, ...]
    definitions: tuple[Definition, ...]
    parameters: ParameterBlock | None
    colors: tuple[Color, ...]
    color_uses: tuple[ColorUse, ...]
    color_literals: tuple[ColorLiteral, ...]
    styles: tuple[SourceStyle, ...]
    pictures: tuple[SourcePicture, ...]
    scopes: tuple[SourceScope, ...]
    loops: tuple[Loop, ...]
    statements: tuple[SourceStatement, ...]
    nodes: tuple[SourceNode, ...]
    references: tuple[Reference, ...]
    flows: tuple[SourceFlow, ...]
    inclusions: tuple[Inclusion, ...]
    others: tuple[TextSpan, ...]

    @cached_property
    def lines(self) -> Lines:
        """Line starts of the source."""
        return Lines(self.text)

    def place_of(self, at: int, file: str = "") -> Place:
        """Return the line and column of an offset."""
        return self.lines.place_of(at, file)

    def find_line_and_column(self, at: int) -> tuple[int, int]:
        """Return the line and the column of an offset as numbers."""
        place = self.place_of(at)
        return place.line or 0, place.column or 0

    @cached_property
    def uses(self) -> dict[str, tuple[TextSpan, ...]]:
        """Spans of each macro by name."""
        found: dict[str, list[TextSpan]] = {}
        for kind, start, end in self.marks:
            if kind == "word":
                found.setdefault(self.text[start:end], []).append(TextSpan(start, end))
        return {name: tuple(spans) for name, spans in found.items()}

    @cached_property
    def shelters(self) -> tuple[TextSpan, ...]:
        """Spans with local definitions: pictures, and the bodies of macros."""
        return (*(picture.span for picture in self.pictures), *(each.value_span for each in self.definitions))

    def find_whole_span(self, statement: int) -> TextSpan:
        """Return the span of a statement, or of the outermost loop around it."""
        span, loop = self.statements[statement].span, self.statements[statement].loop
        while loop is not None:
            span, loop = self.loops[loop].span, self.loops[loop].parent
        return span

    def is_sheltered(self, at: int) -> bool:
        """Return whether an offset is in a picture or the body of a macro."""
        return any(start <= at < end for start, end in self.shelters)

    @property
    def document_class(self) -> LoadedPackage | None:
        """Document class; None for a file without one, which other files include."""
        return next((each for each in self.loaded if each.command == "documentclass"), None)

    @property
    def packages(self) -> tuple[str, ...]:
        """Names of the loaded packages."""
        return tuple(each.name for each in self.loaded if each.command in ("usepackage", "RequirePackage"))

    @property
    def libraries(self) -> tuple[str, ...]:
        """Names of the loaded TikZ and pgf libraries."""
        return tuple(each.name for each in self.loaded if each.command.endswith("library"))

    def find_definition(self, name: str) -> Definition | None:
        """Return the first definition of a macro, by its name with the backslash."""
        return next((each for each in self.definitions if each.name == name), None)

    def find_style(self, name: str) -> SourceStyle | None:
        """Return the first declaration of a style."""
        return next((each for each in self.styles if each.name == name and not each.extends), None)


def scan(text: str) -> Facts:
    """Read a source. Invalid TeX becomes an error with its offset; the function always succeeds."""
    tokens, errors = find_marks(text)
    groups = group(text, tokens)
    read = Code(text, mask_non_code(text, tokens), groups.closes)
    found = Collected()
    read_definitions(read, tokens, found)
    read_pictures(read, groups.environments, found)
    names = {style.name for style in found.styles}
    flows = tuple(_with_style(flow, found.statements[flow.statement], names) for flow in found.flows)
    references = [*found.references, *_in_lists(read, found.loops, found.references)]
    lists = [*found.settings, *(style.options for style in found.styles)]
    lists += [flow.options for flow in flows if flow.options]
    lists += [node.options for node in found.nodes if node.options and node.inline]
    literals = tuple(color_literals(read))
    uses = {
        use.span: use for use in color_uses(read, lists, found.styles, frozenset(color.name for color in found.colors))
    }
    for literal in literals:  # red in rgb,255:red,10 is not a color
        uses = {span: use for span, use in uses.items() if not literal.span.start <= span.start < literal.span.end}
    return Facts(
        text=text,
        marks=tuple(tokens),
        code=read,
        errors=tuple(sorted([*errors, *groups.errors, *found.errors], key=lambda error: error.at)),
        loaded=tuple(found.loaded),
        definitions=tuple(found.definitions),
        parameters=parameter_block(text, tokens, found.definitions),
        colors=tuple(found.colors),
        color_uses=tuple(uses[span] for span in sorted(uses)),
        color_literals=literals,
        styles=tuple(sorted(found.styles, key=lambda style: style.span)),
        pictures=tuple(found.pictures),
        scopes=tuple(found.scopes),
        loops=tuple(found.loops),
        statements=tuple(found.statements),
        nodes=tuple(found.nodes),
        references=tuple(sorted(references, key=lambda each: each.span)),
        flows=flows,
        inclusions=tuple(found.inclusions),
        others=tuple(found.others),
    )


def _with_style(flow: SourceFlow, statement: SourceStatement, names: set[str]) -> SourceFlow:
    """Return the flow with its style.

    For an `edge`, its own style precedes the style of the statement; for other operators, it follows it.
    """
    given: tuple[Option, ...] = (*statement.options, *flow.options)
    if flow.operator == "edge":
        given = (*flow.options, *statement.options)
    style = next((option.key for option in given if option.key in names), "")
    return replace(flow, style=style) if style else flow


_VARIABLE = re.compile(r"\\[A-Za-z@]+$")


def _in_lists(read: Code, loops: list[Loop], references: list[Reference]) -> list[Reference]:
    """Return the names in the list of a loop whose variable refers to a node."""
    found = []
    ordered = sorted(references, key=lambda each: each.span)
    starts = [reference.span.start for reference in ordered]
    for loop in loops:
        inside = ordered[bisect_left(starts, loop.body.start) : bisect_left(starts, loop.body.end)]
        inner = {reference.name for reference in inside}
        for index, variable in enumerate(loop.variables):
            if variable not in inner or not _VARIABLE.match(variable):
                continue
            for member in loop.members:
                span = member.parts[index] if index < len(member.parts) else member.parts[-1]
                if member.text != "...":
                    found.append(Reference(span.extract_from(read.text), "", span, "list", None))
    return found
