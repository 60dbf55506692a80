"""The scene: items with positions, styles, macros and legend entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.layout.scene.items import name_fill_style as name_fill_style
    from tikzgen.layout.scene.items import name_phase_style as name_phase_style
    from tikzgen.layout.scene.name_macros import RESERVED_NAMES as RESERVED_NAMES
    from tikzgen.layout.scene.name_macros import collect as collect
    from tikzgen.layout.scene.number_words import spell_identifier as spell_identifier
    from tikzgen.layout.scene.scene import Parameter as Parameter
    from tikzgen.layout.scene.scene import Scene as Scene
    from tikzgen.layout.scene.tikz_styles_used import STYLE_NAMES as STYLE_NAMES
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "items": "name_fill_style name_phase_style",
            "name_macros": "RESERVED_NAMES collect",
            "number_words": "spell_identifier",
            "scene": "Parameter Scene",
            "tikz_styles_used": "STYLE_NAMES",
        },
    )
