"""Reader of one path: its coordinates, the nodes on it, and the nodes that it joins."""

from __future__ import annotations

from dataclasses import dataclass, field

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import replace
from tikzgen.texfile.code import Code
from tikzgen.texfile.options_and_coordinates import (
    foreach_head,
    in_coordinate,
    in_options,
    is_whole,
    read_coordinate,
    read_options,
)
from tikzgen.texfile.source_facts import Option, Reference, SourceCoordinate, SourceFlow, SourceNode
from tikzgen.texfile.source_text import TextSpan

# The prefix skips whitespace, numbers and commas.
_PIECE = pattern_of(r"[^-|.\[({A-Za-z\\]*+(--|\|-|-\||\.\.|[A-Za-z]+|\\[A-Za-z@]+|(?s:.))")
_JOINING = {"--", "|-", "-|", "to", "..", "edge", "bend"}
_SIZED_OPERATIONS = {"circle", "ellipse", "arc", "plot", "sin", "cos", "parabola", "grid"}
_NUMBERS = pattern_of(r"\([-+.,:\d \t]*\)")
_NODES = {"node", "coordinate", "pic"}
_PART = pattern_of(r"\s*(?:(?P<options>\[)|(?P<name>\()|(?P<at>at\b)|(?P<text>\{)|(?P<loop>\\?foreach\b))")


_FILLED_RUN = pattern_of(r"\\fill\[([^\]]+)\] ?\((\d+),(\d+)\) ?rectangle ?\+\((\d+),1\);")


def read_filled_run(code: str) -> tuple[str, range, int] | None:
    r"""Return options, columns and row of a filled rectangle that is one row high; None for other code.

    >>> read_filled_run(r"\fill[owner 0] (2,1) rectangle +(3,1);")
    ('owner 0', range(2, 5), 1)
    """
    found = _FILLED_RUN.fullmatch(code)
    if found is None:
        return None
    start = int(found[2])
    return found[1], range(start, start + int(found[4])), int(found[3])


@dataclass
class StatementFacts:
    """Contents of a statement during reading; `statement` is its index, `first` the index of its first node."""

    code: Code
    statement: int
    first: int
    options: tuple[Option, ...] = ()
    nodes: list[SourceNode] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    flows: list[SourceFlow] = field(default_factory=list)


def read_path(drawn: StatementFacts, command: str, span: TextSpan) -> None:
    r"""Read a statement from the end of its command to its semicolon."""
    at = span.start
    if command in ("node", "coordinate", "pic", "matrix"):
        at = _read_node(drawn, command, at, span.end, inline=False)
        drawn.options = drawn.nodes[-1].options
    _Pen(drawn).follow(TextSpan(at, span.end))


class _Pen:
    """Reader that follows a path from point to point."""

    def __init__(self, drawn: StatementFacts) -> None:
        self.drawn = drawn
        self.last: Reference | None = None
        self.operator = ""
        self.passed = ""  # word whose parenthesis is not a point: a circle's radius, a control point
        self.options: tuple[Option, ...] = ()
        self.labels: list[int] = []
        self.is_at_corner = False  # between the ends of a flow

    def follow(self, span: TextSpan) -> None:
        """Read the pieces of a path."""
        code, at = self.drawn.code, span.start
        while at < span.end:
            piece = _PIECE.match(code.mask, at, span.end)
            if piece is None:
                return
            word, at = piece[1], piece.start(1)
            if word == "[":
                at = self._read_bracket(at)
                continue
            if word == "(":
                at = self._read_point(at, span.end)
            elif word == "{":
                at = code.skip_group(at)
                continue
            elif word in _NODES:
                at = self._label(word, at, piece.end(), span.end)
            elif word == "foreach" or word == "\\foreach":
                at = self._read_foreach(piece.end(), span.end)
            else:
                if word in _JOINING:
                    self._join(word, at)
                elif word in ("controls", "and") or word in _SIZED_OPERATIONS:
                    self.passed = word
                at = piece.end()

    def _read_bracket(self, at: int) -> int:
        drawn, code = self.drawn, self.drawn.code
        if at not in code.closes:
            return at + 1
        given = read_options(code, *code.find_group_contents(at))
        drawn.references += in_options(code, given, drawn.statement)
        if self.operator:
            self.options += given
        else:
            drawn.options += given
        return code.skip_group(at)

    def _join(self, word: str, at: int) -> None:
        if word == ".." and self.operator == "..":  # the second pair of dots of one curve
            self.passed = ""
            return
        self.operator, self.options, self.passed = word, (), ""

    def _read_point(self, at: int, limit: int) -> int:
        drawn, code = self.drawn, self.drawn.code
        if numbers := _NUMBERS.match(code.mask, at, limit):  # fast path for most points of an icon
            if self.passed:
                self.passed = ""
            elif self.operator:
                self.is_at_corner, self.operator = True, ""
            else:
                self._begin(None)
            return numbers.end()
        end = code.after_parenthesis(at, limit)
        span = TextSpan(at + 1, max(end - 1, at + 1))
        found = list(in_coordinate(code, span, drawn.statement))
        if self.passed in _SIZED_OPERATIONS:
            self.passed = ""
            return end
        drawn.references += found
        if self.passed:
            self.passed = ""
            return end
        named = found[0] if found and is_whole(code, span, found[0]) else None
        if not self.operator:
            self._begin(named)
        elif named is None:
            self.is_at_corner = True
        else:
            if self.last is not None:
                whole = TextSpan(self.last.span.start, named.span.end)
                ends = self.last, named
                labels = tuple(self.labels)
                drawn.flows.append(SourceFlow(*ends, self.operator, self.options, labels, whole, drawn.statement))
            self._begin(self.last if self.operator == "edge" else named)
        self.operator = ""
        return end

    def _begin(self, start: Reference | None) -> None:
        """Begin a flow at a point."""
        self.last, self.labels, self.is_at_corner = start, [], False

    def _label(self, word: str, start: int, at: int, limit: int) -> int:
        drawn = self.drawn
        end = _read_node(drawn, word, at, limit, inline=True, start=start)
        index = drawn.first + len(drawn.nodes) - 1
        if self.operator or self.is_at_corner:
            self.labels.append(index)
        elif drawn.flows:
            last = drawn.flows[-1]
            drawn.flows[-1] = replace(last, labels=(*last.labels, index))
        return end

    def _read_foreach(self, at: int, limit: int) -> int:
        r"""Read `foreach \x in {…} {…}` on a path: its body continues the path."""
        code = self.drawn.code
        head = foreach_head(code, at, limit)
        if head is None:
            return at
        begin = code.skip(head[3], limit)
        return begin + 1 if code.read_character(begin) == "{" else begin


def _read_node(drawn: StatementFacts, kind: str, at: int, limit: int, *, inline: bool, start: int | None = None) -> int:
    """Read a node from the end of its keyword; options, name and position precede the text in any order."""
    code = drawn.code
    begin = at if start is None else start
    given: tuple[Option, ...] = ()
    name: TextSpan | None = None
    place: SourceCoordinate | None = None
    text: TextSpan | None = None
    while part := _PART.match(code.mask, at, limit):
        kind_of_part, opening = part.lastgroup, part.end() - 1
        if kind_of_part == "options":
            if opening not in code.closes:
                break
            given += read_options(code, *code.find_group_contents(opening))
            at = code.skip_group(opening)
        elif kind_of_part == "name":
            if name is not None:
                break
            end = code.after_parenthesis(opening, limit)
            name, at = code.trim(opening + 1, end - 1), end
        elif kind_of_part == "at":
            opening = code.skip(part.end(), limit)
            if code.read_character(opening) != "(":
                at = part.end()
                continue
            end = code.after_parenthesis(opening, limit)
            place = read_coordinate(code, opening, end)
            drawn.references += in_coordinate(code, place.span, drawn.statement)
            at = end
        elif kind_of_part == "text":
            if kind != "coordinate":
                text = code.find_group_contents(opening)
                at = code.skip_group(opening)
            break
        else:
            head = foreach_head(code, part.end(), limit)
            if head is None:
                break
            at = head[3]
    drawn.references += in_options(code, given, drawn.statement)
    named = name or _named_by_option(code, given)
    spelt = named.extract_from(code.text) if named else None
    words = text.extract_from(code.text) if text else None
    node = SourceNode(kind, spelt, named, place, given, words, text, TextSpan(begin, at), drawn.statement, inline)
    drawn.nodes.append(node)
    return at


def _named_by_option(code: Code, given: tuple[Option, ...]) -> TextSpan | None:
    named = next((option.value_span for option in given if option.key == "name" and option.value_span), None)
    return code.trim_span(*named) if named else None
