"""Read a TeX font metric file: sizes of the characters, kerns, ligatures and the font's parameters."""

from __future__ import annotations

import struct

from tikzgen.base.record import Record

__all__ = ["Tfm", "parse"]

_UNIT = 1 << 20  # a fix_word counts in 2^-20 of the design size
_STOP = 128  # a lig/kern step with a skip byte this large is the last one
_LIGATURE_TAG, _LIST_TAG, _EXTENSIBLE_TAG = 1, 2, 3


class Tfm(Record):
    """One font; every length is a fraction of the size that the font is used at."""

    widths: dict[int, float]
    heights: dict[int, float]
    depths: dict[int, float]
    italics: dict[int, float]
    kerns: dict[tuple[int, int], float]
    ligatures: dict[tuple[int, int], int]
    larger: dict[int, int]  # a delimiter's next larger form
    extensible: dict[int, tuple[int, ...]]  # a delimiter that grows without end: top, middle, bottom, repeated piece
    parameters: tuple[float, ...]


def parse(data: bytes) -> Tfm:
    """Parse the bytes of a .tfm file (The TeXbook's companion, *TeX: The Program*, part 30)."""
    lf, lh, bc, ec, nw, nh, nd, ni, nl, nk, ne, np = struct.unpack(">12H", data[:24])
    if lf * 4 != len(data):
        raise ValueError("not a TFM file: the length in its header is not its own")
    words = [data[at : at + 4] for at in range(24, len(data), 4)]

    def take(count: int) -> list[bytes]:
        nonlocal words
        taken, words = words[:count], words[count:]
        return taken

    take(lh)
    infos = take(ec - bc + 1)
    widths, heights, depths, italics = (_fixed(take(count)) for count in (nw, nh, nd, ni))
    steps, kerns, recipes, parameters = take(nl), _fixed(take(nk)), take(ne), _fixed(take(np))

    chars = {bc + index: info for index, info in enumerate(infos) if info[0]}
    pairs: dict[tuple[int, int], float] = {}
    ligatures: dict[tuple[int, int], int] = {}
    for code, info in chars.items():
        if info[2] % 4 == _LIGATURE_TAG:
            for following, operation, remainder in _program(steps, info[3]):
                key = (code, following)
                if key in pairs or key in ligatures:
                    continue
                if operation >= _STOP:
                    pairs[key] = kerns[256 * (operation - _STOP) + remainder]
                elif operation == 0:
                    ligatures[key] = remainder
    return Tfm(
        widths={code: widths[info[0]] for code, info in chars.items()},
        heights={code: heights[info[1] >> 4] for code, info in chars.items()},
        depths={code: depths[info[1] & 15] for code, info in chars.items()},
        italics={code: italics[info[2] >> 2] for code, info in chars.items()},
        kerns=pairs,
        ligatures=ligatures,
        larger={code: info[3] for code, info in chars.items() if info[2] % 4 == _LIST_TAG},
        extensible={code: tuple(recipes[info[3]]) for code, info in chars.items() if info[2] % 4 == _EXTENSIBLE_TAG},
        parameters=tuple(parameters),
    )


def _fixed(words: list[bytes]) -> list[float]:
    return [struct.unpack(">i", word)[0] / _UNIT for word in words]


def _program(steps: list[bytes], start: int) -> list[tuple[int, int, int]]:
    """Return the lig/kern steps (next character, operation, remainder) that begin at `start`."""
    skip, _, operation, remainder = steps[start]
    if skip > _STOP:  # a long program begins with a jump
        start = 256 * operation + remainder
    found = []
    while True:
        skip, following, operation, remainder = steps[start]
        if skip <= _STOP:
            found.append((following, operation, remainder))
        if skip >= _STOP:
            return found
        start += skip + 1
