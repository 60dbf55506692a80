"""Find the operations that express the manual edits of a figure.

Every hypothesis is a group of operations of the contract. A new drawing proves it: the drawing must have the properties
that the group explains, and must keep every unedited property. A wrong hypothesis costs a drawing, never content. An
edit that no operation expresses stays a manual edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pydantic import ValidationError

from tikzgen.base.errors import EditRefused, PartRefused, SpecError
from tikzgen.base.record import Record
from tikzgen.base.trust import allow_overlaps
from tikzgen.edit.lift.candidates import ROUNDS, STRUCTURE, Call, Candidate, Difference
from tikzgen.edit.lift.drawing_units import Drawing
from tikzgen.edit.lift.read_elements import Fact, Key
from tikzgen.edit.own_figure import Said, draw_rows
from tikzgen.edit.run_operation import run_operation
from tikzgen.model.operations import read_operation
from tikzgen.spec.embedded_spec import hash_lines, rows_of

_MOST_DRAWINGS_COUNT = 60  # drawings for one file
_MOST_LINES_COUNT = 100_000  # lines of all drawings together


class Lifted(Record):
    """A figure with the operations found in its file.

    `said` is the description with the operations. `first`, `hand` and `drawn` are the elements of the drawing
    before the manual edits, of the file, and of the drawing with the operations. `known` are the hashes of the lines
    that tikzgen wrote or an earlier lift explained.
    """

    said: Said
    calls: tuple[Call, ...]
    first: Drawing
    hand: Drawing
    drawn: Drawing
    known: frozenset[str]


class _Try(Record):
    """A description with some operations, and the elements of its drawing."""

    said: Said
    calls: tuple[Call, ...]
    drawn: Drawing


def lift(
    said: Said,
    first: Sequence[str],
    hand: Sequence[str],
    known: frozenset[str],
    *,
    onto: Said | None = None,
    within: Lifted | None = None,
    stated: Sequence[Call] = (),
) -> Lifted:
    """Return the operations that lead from `first`, the drawing of `said`, to the file `hand`.

    `known` are the hashes of unedited lines. With `onto`, the operations start from that description. With `within`,
    they explain only properties of that drawing. Both look for added, removed and renamed elements only: a value that
    the new description states differently is a conflict. `stated` are operations that the new description includes.
    """
    search = _Search(said, list(first), list(hand), known, within.drawn.as_facts if within else None)
    if onto is not None:
        search.rounds = STRUCTURE
        search.start = Drawing(draw_rows(onto), search.shared)
        search.best = _Try(onto, (), search.start)
    search.start_with(stated)
    return search.find_operations()


class _Search:
    def __init__(
        self,
        said: Said,
        first: list[str],
        hand: list[str],
        known: frozenset[str],
        within: frozenset[Fact] | None = None,
    ) -> None:
        self.known, self.within = known, within
        plain = Drawing(first), Drawing(hand)
        self.shared = plain[0].worn_by_several | plain[1].worn_by_several
        self.first, self.hand = (Drawing(each.rows, self.shared, each.facts) for each in plain)
        self.start = self.first
        self.rounds = ROUNDS
        self.best = _Try(said, (), self.first)
        self.drawings = 0
        self.most = max(4, min(_MOST_DRAWINGS_COUNT, _MOST_LINES_COUNT // max(len(first), 1)))
        self.touched = frozenset(
            key
            for unit in self.hand.units
            if not {*hash_lines(rows_of(unit.text))} <= known
            for key in (*unit.about, *(("parameter", each[1]) for each in unit.about if each[0] == "macro"))
        )

    def start_with(self, calls: Sequence[Call]) -> None:
        """Begin with operations that express edits of the file."""
        if calls:
            self.best = self._apply(calls) or self.best

    def find_operations(self) -> Lifted:
        """Try the rows of the table, round by round, until no row explains anything."""
        known: set[str] = set()
        progress = True
        while progress:
            progress = False
            for rows in self.rounds:
                found = Difference(self.first, self.hand, self.best.drawn, self.best.said, self.touched)
                found.come = {fact for fact in found.come if self._is_same_at_start(fact)}
                if self.within is not None:
                    found.come &= self.within
                    found.gone -= self.within
                if not found.come and not found.gone:
                    break
                candidates = [each for row in rows for each in row(found)]
                fresh = [each for each in _merge_candidates(candidates) if repr(each.variants) not in known]
                known |= {repr(each.variants) for each in fresh}
                progress |= self._accept(fresh)
        return Lifted(self.best.said, self.best.calls, self.first, self.hand, self.best.drawn, self.known)

    def _is_same_at_start(self, fact: Fact) -> bool:
        """Return whether the description that the search starts from has not changed the same field."""
        key, name, _ = fact
        return self.start.says.get(key, {}).get(name) == self.first.says.get(key, {}).get(name)

    def _accept(self, candidates: list[Candidate]) -> bool:
        """Accept the candidates that explain their properties: all of them, or else some of each half."""
        if not candidates or self.drawings >= self.most:
            return False
        for calls in _list_variants(candidates):
            made = self._apply(calls)
            if made is not None and self._explains(made, frozenset(chain(*(each.explains for each in candidates)))):
                self.best = made
                return True
        if len(candidates) == 1:
            return False
        middle = len(candidates) // 2
        return any([self._accept(candidates[:middle]), self._accept(candidates[middle:])])

    def _explains(self, made: _Try, facts: frozenset[Fact]) -> bool:
        """Return whether a drawing has these properties of the file and every unedited property."""
        hand, first, drawn = self.hand.as_facts, self.first.as_facts, made.drawn.as_facts
        if not all((fact in drawn) == (fact in hand) for fact in facts):
            return False
        if any(key[0] == "place" for key, _, _ in facts) and self._has_other_loops(made):
            return False
        lost = {fact for fact in (first & hand) & self.best.drawn.as_facts if fact not in drawn}
        return not any(_is_loss(fact) for fact in lost)

    def _has_other_loops(self, made: _Try) -> bool:
        """Return whether a drawing has another number of loops: single flows would replace a loop of the file."""
        return len(made.drawn.facts.loops) != len(self.best.drawn.facts.loops)

    def _apply(self, calls: Sequence[Call]) -> _Try | None:
        """Draw the best description with more operations; return None if an operation fails in every order."""
        with allow_overlaps():
            said = self._run_calls(calls)
        if said is None:
            return None
        if any(name == "set-span" for name, _ in calls):
            try:
                said = said.validate_again()
            except EditRefused:
                return None
        self.drawings += 1
        try:
            drawn = Drawing(draw_rows(said), self.shared)
        except (SpecError, ValidationError):  # spans that overlap, among others
            return None
        return _Try(said, (*self.best.calls, *calls), drawn)

    def _run_calls(self, calls: Sequence[Call]) -> Said | None:
        """Run operations in any order that is possible; return None without one."""
        said, waiting = self.best.said, list(calls)
        while waiting:  # an operation may depend on another one
            left = []
            for name, arguments in waiting:
                try:
                    said = run_operation(said, read_operation(name, arguments))
                except (EditRefused, PartRefused, ValidationError):
                    left.append((name, arguments))
            if len(left) == len(waiting):
                return None
            waiting = left
        return said


def _is_loss(fact: Fact) -> bool:
    """Return whether a missing property is a loss; macro names, styles and distances are derived."""
    key: Key = fact[0]
    return key[0] not in ("parameter", "style", "carried", "picture", "color", "place")


def _merge_candidates(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Merge candidates with the same operations."""
    found: dict[str, Candidate] = {}
    for each in candidates:
        known = found.get(repr(each.variants))
        facts = each.explains | known.explains if known else each.explains
        found[repr(each.variants)] = Candidate(each.variants, facts)
    return list(found.values())


def _list_variants(candidates: Sequence[Candidate]) -> list[list[Call]]:
    """Return the operations of the first variants, and of the last variants if they differ."""
    found = [[call for each in candidates for call in each.variants[at]] for at in (0, -1)]
    return found if found[0] != found[1] else found[:1]
