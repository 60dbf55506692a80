"""Conversion of Pydantic's errors to problems with location, path and hint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tikzgen.base.errors import PartRefused, Place, Problem, SpecError, format_path
from tikzgen.base.record import Record
from tikzgen.model.part import Part, Refusals
from tikzgen.spec.document import Document, Path, Places
from tikzgen.spec.errors.error_messages import (
    as_list,
    describe_actual_value,
    expected_kind,
    join_with_or,
    message_and_hint,
    tag_field,
)
from tikzgen.spec.errors.locate_error import ErrorLocation, find

if TYPE_CHECKING:
    from pydantic import ValidationError


MAX_PROBLEMS = 10  # problems per error
"""Maximum number of problems in one error."""


class _Finding(Record):
    """Error of Pydantic with its location."""

    error: dict[str, Any]
    spot: ErrorLocation

    @property
    def loc(self) -> tuple[int | str, ...]:
        return tuple(self.error["loc"])


def explain(error: ValidationError, document: Document, model: Any) -> SpecError:
    """Return the error for `document`, which `model` (a model class or a union) rejected with `error`.

    Problems are in the order of the file, at most `MAX_PROBLEMS` of them. A validator that raises
    `PydanticCustomError` may add a "path" to its context, from its model to the field in question, and a "hint".
    """
    found = [_Finding(dict(raw), find(raw["loc"], model, document.data)) for raw in error.errors(include_url=False)]
    problems = sorted(_make_problems(_collapse_unions(found, 0), document), key=_order)
    # report problems of an aliased value once
    problems = list({(problem.place, problem.message): problem for problem in reversed(problems)}.values())[::-1]
    if len(problems) > MAX_PROBLEMS:
        problems[MAX_PROBLEMS:] = [Problem(f"… and {len(problems) - MAX_PROBLEMS} more")]
    return SpecError(problems)


def _order(problem: Problem) -> tuple[int, int, str, str]:
    place = problem.place
    return (place and place.line) or 0, (place and place.column) or 0, problem.path, problem.message


def _collapse_unions(found: Iterable[_Finding], level: int) -> list[_Finding]:
    """Keep the intended branch of each union in which several branches failed, by level of nesting."""
    kept: list[_Finding] = []
    unions: dict[tuple[int | str, ...], dict[int | str, list[_Finding]]] = {}
    for finding in found:
        if len(finding.spot.forks) <= level:
            kept.append(finding)
            continue
        fork = finding.spot.forks[level]
        unions.setdefault(finding.loc[:fork], {}).setdefault(finding.loc[fork], []).append(finding)
    for union, branches in unions.items():
        meant = [branch for branch in branches.values() if not _is_other_kind(branch, union)]
        if meant:
            kept += _collapse_unions(min(meant, key=_count_misfit), level + 1)
        else:
            kept.append(_none_fits([branch[0] for branch in branches.values()]))
    return kept


def _is_other_kind(branch: Sequence[_Finding], union: tuple[int | str, ...]) -> bool:
    """Return whether the value has another kind than the branch expects, such as a string for a list."""
    only = branch[0]
    return len(branch) == 1 and len(only.loc) == len(union) + 1 and expected_kind(only.error) is not None


def _count_misfit(branch: Iterable[_Finding]) -> int:
    """Return the misfit of a branch; a wrong literal, which often names the branch, counts three times."""
    return sum(3 if finding.error["type"] == "literal_error" else 1 for finding in branch)


def _none_fits(firsts: Sequence[_Finding]) -> _Finding:
    first = firsts[0]
    wanted = dict.fromkeys(expected_kind(finding.error) or "" for finding in firsts)
    if len(wanted) == 1:
        return first
    given, words = first.error["input"], join_with_or(wanted)
    context = {"hint": as_list(given, words)}
    message = f"should be {words}{describe_actual_value(given)}"
    return _Finding({**first.error, "type": "no_branch_fits", "msg": message, "ctx": context}, first.spot)


def _make_problems(found: Iterable[_Finding], document: Document) -> list[Problem]:
    problems, meant = [], set()
    for finding in found:
        error, path = finding.error, _to_blame(finding, document.data)
        message, hint = message_and_hint(error, finding.spot)
        at_key = error["type"] == "extra_forbidden" or error["loc"][-1:] == ("[key]",)
        place = document.places.locate_key(path) if at_key else document.places.locate_value(path)
        impossible = bool(error.get("ctx", {}).get("impossible"))
        problems.append(
            (error, path, Problem(_escape_line(message), format_path(path), place, _escape_line(hint), impossible))
        )
        if error["type"] == "extra_forbidden":
            meant.add((path[:-1], hint))
    # A misspelled field is also reported as missing: report it once.
    return [
        problem
        for error, path, problem in problems
        if error["type"] != "missing"
        or not any(where == path and hint.startswith(_ways_to(error["loc"][-1])) for where, hint in meant)
    ]


def _ways_to(field: object) -> tuple[str, ...]:
    """Return prefixes of hints that lead to a field."""
    return f'did you mean "{field}"?', f"write {field},"


def _to_blame(finding: _Finding, data: Any) -> Path:
    """Return the path of the field in question, as in the document."""
    context = finding.error.get("ctx", {})
    path = list(finding.spot.path)
    further = list(context.get("path", ()))
    if finding.error["type"] == "union_tag_invalid":
        further = [tag_field(finding.error)]
    if not further:
        return tuple(path)
    for step in path:
        data = data[step]
    for step in further:
        if isinstance(step, int) and isinstance(data, dict):
            continue  # a mapping in place of a list with one entry
        path.append(step)
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            data = None
    return tuple(path)


def _escape_line(text: str) -> str:
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def document_of_call(call: str, facts: Mapping[str, Any]) -> Document:
    """Return the arguments of a call as a description; messages name the call instead of a file."""
    return Document(f"<{call}>", dict(facts), Places("", Place(call)))


def explain_refusal(error: ValidationError, kind: type[Part], facts: Mapping[str, Any]) -> PartRefused:
    """Return the error for arguments that do not make a part."""
    return PartRefused(explain(error, document_of_call(kind.__name__, facts), kind).problems, error)


def speak_plainly() -> None:
    """Use the messages of this module, instead of Pydantic's, for invalid parts in Python code."""
    Refusals.told = explain_refusal
