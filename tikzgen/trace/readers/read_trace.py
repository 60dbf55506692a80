"""Read a file of measured times, in the format that its contents have."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable

from tikzgen.base.errors import FileRefused, describe_os_error, quote
from tikzgen.base.record import replace
from tikzgen.trace.readers.trace_formats import PROFILE_HINT, TRACE_FORMATS, TraceFile, find_format
from tikzgen.trace.readers.trace_places import Place, spell_location
from tikzgen.trace.run_model import RankTrace


def read_trace(
    place: Place, *, strict: bool = False, stated: str = "", told: Callable[[float], None] | None = None
) -> list[RankTrace]:
    """Return the ranks in a file; most files hold one. The `stated` format or writer overrules the contents.

    A truncated file is read up to its end, with a warning; with `strict` it is an error. `told` receives the share of
    the file that was read. Raise `FileRefused` if the file is not a trace, or cannot be read.
    """
    file = TraceFile(place, told, stated)
    try:
        name = find_format(file)
        ranks = TRACE_FORMATS[name].read_ranks(file)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        why = describe_os_error(error) if isinstance(error, OSError) else "it breaks off"
        raise FileRefused(f"{spell_location(place)}: cannot be read: {why}") from None
    if not ranks:
        raise FileRefused(f"{spell_location(place)}: holds no events", hint=PROFILE_HINT)
    if stated and not any(len(rank.events) or rank.annotations or rank.spans for rank in ranks):
        hint = "leave out the format: the contents state it"
        raise FileRefused(f"{spell_location(place)}: contains nothing in the format {quote(stated)}", hint=hint)
    for rank in ranks:
        if strict and rank.cut_at is not None:
            hint = "without --strict it is read so far"
            raise FileRefused(f"{spell_location(place)}: breaks off at byte {rank.cut_at}", hint=hint)
    facts = {"package": TRACE_FORMATS.package_of(name), "file": file.name}
    return [replace(rank, title=rank.title or TRACE_FORMATS[name].phrase, **facts) for rank in ranks]
