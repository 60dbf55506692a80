"""Characters of TeX's fonts in Unicode, so that labels in a drawing can be searched and copied."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.text.metrics import RuleBox, Sign, is_cjk_font, width_of_sign

_OT1 = dict(enumerate((*"ΓΔΘΛΞΠΣΥΦΨΩ", "ff", "fi", "fl", "ffi", "ffl", *"ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ")))
_LETTERS = dict(enumerate("ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ"))
_LETTERS |= {0x3A: ".", 0x3B: ",", 0x3D: "/", 0x40: "∂", 0x60: "ℓ"}
_SIGN_CODES = """00− 01· 02× 03∗ 06± 0f• 14≤ 15≥ 18∼ 19≈ 20← 21→ 22↑ 23↓ 24↔ 28⇐ 29⇒
30′ 31∞ 32∈ 38∀ 39∃ 5b∪ 5c∩ 66{ 67} 68⟨ 69⟩ 6a| 6b‖ 6e\\ 70√ 72∇"""
_SIGNS = {int(pair[:2], 16): pair[2] for pair in _SIGN_CODES.split()}
_LARGE_OPERATORS = {0x50: "∑", 0x58: "∑", 0x51: "∏", 0x59: "∏", 0x52: "∫", 0x5A: "∫"}
_DASHES = {0x7B: "–", 0x7C: "—", 0x5C: "“", 0x22: "”"}
_GAP = 0.12  # of the size: a gap as wide as this is a space


def text_of_ink(ink: Iterable[tuple[float, float, Sign | RuleBox]]) -> str:
    """Return the text that characters show, with the spaces between them."""
    found: list[str] = []
    last: tuple[float, float] | None = None
    for x, _, part in sorted(
        (item for item in ink if isinstance(item[2], Sign)), key=lambda item: (-round(item[1]), item[0])
    ):
        assert isinstance(part, Sign)
        if last is not None and not -_GAP * part.size < x - last[0] - last[1] < _GAP * part.size:
            found.append(" ")
        found.append(_spell_letter(part))
        last = (x, part.size * width_of_sign(part.font, part.char))
    return "".join(found)


def _spell_letter(sign: Sign) -> str:
    code = ord(sign.char)
    if is_cjk_font(sign.font):
        return sign.char
    if sign.font.startswith(("cmsy", "cmbsy")):
        return _SIGNS.get(code, sign.char if sign.char.isupper() else "")
    if sign.font.startswith("cmmi"):
        return _LETTERS.get(code, sign.char)
    if sign.font.startswith(("cmex", "msam")):
        return _LARGE_OPERATORS.get(code, "")
    return _OT1.get(code) or ("tt" not in sign.font and _DASHES.get(code)) or sign.char
