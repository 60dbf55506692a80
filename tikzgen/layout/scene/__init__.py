"""The scene: items with positions, styles, macros and legend entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.layout.scene.items import shade as shade
    from tikzgen.layout.scene.name_macros import collect as collect
    from tikzgen.layout.scene.number_words import wordy as wordy
    from tikzgen.layout.scene.scene import Parameter as Parameter
    from tikzgen.layout.scene.scene import Scene as Scene
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "items": "shade",
            "name_macros": "collect",
            "number_words": "wordy",
            "scene": "Parameter Scene",
        },
    )
