"""Files of one run: which rank each is of, and whether they belong together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, wait
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tikzgen.base.child import limit_error, working_at
from tikzgen.base.errors import FileRefused, TikzgenError, shorten_for_message
from tikzgen.base.record import replace
from tikzgen.trace.readers.read_trace import read_trace
from tikzgen.trace.readers.trace_formats import find_stated_format
from tikzgen.trace.readers.trace_places import Place, base_name, is_url, spell_location
from tikzgen.trace.run_model import RankTrace, TraceRun
from tikzgen.trace.trace_steps import repeated_steps

_NUMBERED = re.compile(r"(?:rank|worker|device|gpu)[-_. ]?(\d{1,6})(?!\d)", re.IGNORECASE)
_NAMED_LIMIT = 5  # steps that a message names
_NEWS = 0.2  # seconds
_HINT = "say which file is of which rank: source: {{0: {first}, 1: …}}"

Told: TypeAlias = Callable[[float, int], None]
"""Receives the number of read files and of all files: 1.5 of 4 if half of the second is read."""


def read_run(
    files: Mapping[int, Place] | Sequence[Place],
    *,
    strict: bool = False,
    stated: str = "",
    executor: Executor | None = None,
    refused: Callable[[FileRefused], None] | None = None,
    told: Told | None = None,
) -> TraceRun:
    """Return the ranks of a run: the keys of `files`, else as stated by contents, names or order.

    The `stated` format or writer overrules the contents. `executor` reads several files simultaneously. `refused`
    receives the errors of unreadable files; without it the first error is raised. `told` receives the progress.

    Raises:
        FileRefused: a file is not a trace.
        TikzgenError: two files are from one rank, or from different runs.

    >>> read_run([])
    Traceback (most recent call last):
    tikzgen.base.errors.TikzgenError: no traces (name files, or a folder of files)
    """
    if not files:
        raise TikzgenError("no traces", hint="name files, or a folder of files")
    given = dict(files) if isinstance(files, Mapping) else dict(enumerate(files))
    found: list[RankTrace] = []
    errors: list[FileRefused] = []
    if stated:
        find_stated_format(stated)
    read = partial(_read_or_refusal, strict=strict, stated=stated)
    every = _each([*given.values()], executor, read, told or _ignore_progress)
    for position, ((number, place), ranks) in enumerate(zip(given.items(), every, strict=True)):
        if isinstance(ranks, FileRefused):
            errors.append(ranks)
        elif isinstance(files, Mapping):
            found += [replace(each, number=number, place=position) for each in ranks]
        else:
            found += [replace(_numbered_by_folder(each, place), place=position) for each in ranks]
    if errors and (refused is None or not found):
        raise errors[0]
    if refused:
        for error in errors:
            refused(error)
    return join_ranks(found)


def _ignore_progress(files: float, of: int) -> None:
    """Ignore progress."""


def _each(
    places: Sequence[Place],
    executor: Executor | None,
    read: Callable[..., list[RankTrace] | FileRefused],
    told: Told,
) -> Iterator[list[RankTrace] | FileRefused]:
    """Yield the ranks or the error of each file, in order."""
    of = len(places)
    if executor is None:
        for before, place in enumerate(places):

            def heard(share: float, before: int = before) -> None:
                told(before + share, of)

            yield read(place, told=heard)
        return
    futures = [executor.submit(read, _for_others(place)) for place in places]
    for place, future in zip(places, futures, strict=True):
        with working_at(spell_location(place), anew=True):
            while wait([future], timeout=_NEWS).not_done:
                told(sum(each.done() for each in futures), of)
        try:
            yield future.result()
        except Exception as error:  # the executor's own, of which each has others
            why = shorten_for_message(f"{type(error).__name__}: {error}".rstrip(": "))
            hint = "it may have needed too much memory; -j 1 reads it here"
            yield FileRefused(f"{spell_location(place)}: what read it has failed: {why}", hint=hint)


def _for_others(place: Place) -> Place:
    """Return the path for processes with another working directory."""
    return place if is_url(place) else Path(place).absolute()


def _read_or_refusal(
    place: Place, *, strict: bool, stated: str, told: Callable[[float], None] | None = None
) -> list[RankTrace] | FileRefused:
    with working_at(spell_location(place), anew=True):
        try:
            return read_trace(place, strict=strict, stated=stated, told=told)
        except FileRefused as error:
            return error
        except (MemoryError, RecursionError) as error:
            return FileRefused(limit_error(error, spell_location(place)).message)


def join_ranks(found: Sequence[RankTrace]) -> TraceRun:
    """Join ranks into a run."""
    numbered, warnings = _number_ranks(found)
    ranks: dict[int, RankTrace] = {}
    for each in numbered:
        number = each.number or 0
        if number in ranks:
            message = f"rank {number} is in two files, {ranks[number].source} and {each.source}"
            raise TikzgenError(message, hint=_HINT.format(first=each.source))
        ranks[number] = each
    worlds = {each.world: each for each in ranks.values() if each.world is not None}
    if len(worlds) > 1:
        (one, first), (other, second), *_ = sorted(worlds.items())
        message = f"{first.source} is of a run of {one} ranks and {second.source} of one of {other}"
        raise TikzgenError(message, hint="name the files of one run")
    world = max([*worlds, max(ranks) + 1] if worlds else [max(ranks) + 1])
    said = [warning for each in ranks.values() for warning in (*each.warnings, *_warn_of_steps(each))]
    return TraceRun(dict(sorted(ranks.items())), world, (*dict.fromkeys(said), *warnings))


def _warn_of_steps(rank: RankTrace) -> Iterator[str]:
    numbers = repeated_steps(rank)
    if numbers:
        named = ", ".join(map(str, numbers[:_NAMED_LIMIT])) + (", …" if len(numbers) > _NAMED_LIMIT else "")
        yield f"{rank.source}: steps {named} are left out: several steps have the same number (a window selects one)"


def _number_ranks(found: Sequence[RankTrace]) -> tuple[list[RankTrace], list[str]]:
    """Number the ranks: by their files, by their names, or in the given order."""
    if all(each.number is not None for each in found):
        return list(found), []
    if len(found) == 1:
        return [replace(found[0], number=_by_name(found[0].source) or 0)], []
    names = [each.number if each.number is not None else _by_name(each.source) for each in found]
    known = any(each.number is not None for each in found)
    if None not in names and (known or len(set(names)) == len(names)):
        return [replace(each, number=number) for each, number in zip(found, names, strict=True)], []
    if known:
        unknown = next(each for each, number in zip(found, names, strict=True) if number is None)
        message = f"{unknown.source} does not say of which rank it is, and others do"
        raise TikzgenError(message, hint=_HINT.format(first=found[0].source))
    told = "the files do not say which ranks they are of: they are numbered in the order in which they are given"
    return [replace(each, number=number) for number, each in enumerate(found)], [told]


def _numbered_by_folder(rank: RankTrace, place: Place) -> RankTrace:
    """The rank with the number of its folder, where neither the file nor its name has one: `rank3/trace.json`."""
    if rank.number is None and _by_name(rank.source) is None:
        return replace(rank, number=_by_name(base_name(spell_location(place).removesuffix(rank.source))))
    return rank


def _by_name(source: str) -> int | None:
    """The last number of a rank in a name: `host3/rank-12.json, device 1` is device 1's."""
    found = _NUMBERED.findall(source)
    return int(found[-1]) if found else None


def shared_base(run: TraceRun) -> TraceRun:
    """Shift all timestamps to the earliest known base.

    Raise `TikzgenError` if a truncated file has lost its base and cannot be aligned with other ranks.
    """
    ranks = run.ranks.values()
    if len(run.ranks) > 1:
        lost = [each for each in ranks if not each.absolute and each.cut_at is not None]
        if lost:
            message = f"{lost[0].source} breaks off before the base of its stamps: it cannot stand beside other ranks"
            raise TikzgenError(message, hint=f"draw it alone, or leave rank {lost[0].number} out")
    base = min((each.base for each in ranks if each.absolute), default=0)
    moved = {
        number: replace(each.shift_clock(each.base - base if each.absolute else 0), base=base)
        for number, each in run.ranks.items()
    }
    return replace(run, ranks=moved)
