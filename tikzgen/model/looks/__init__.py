"""Style of a figure: palettes, colors, icons, widths, spacing, phases and flow kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.model.looks.icons import Icon as Icon
    from tikzgen.model.looks.icons import discover_icons as discover_icons
    from tikzgen.model.looks.icons import icons_of_figure as icons_of_figure
    from tikzgen.model.looks.icons import scale_icon as scale_icon
    from tikzgen.model.looks.icons import with_plugins as with_plugins
    from tikzgen.model.looks.owner_fills import MOST_OWNERS_COUNT as MOST_OWNERS_COUNT
    from tikzgen.model.looks.owner_fills import OWNER_HATCHES as OWNER_HATCHES
    from tikzgen.model.looks.owner_fills import owner_look as owner_look
    from tikzgen.model.looks.palettes import HUES as HUES
    from tikzgen.model.looks.palettes import PALETTES as PALETTES
    from tikzgen.model.looks.palettes import Color as Color
    from tikzgen.model.looks.palettes import ColorBy as ColorBy
    from tikzgen.model.looks.palettes import Hue as Hue
    from tikzgen.model.looks.palettes import OwnColor as OwnColor
    from tikzgen.model.looks.palettes import own_color as own_color
    from tikzgen.model.looks.palettes import read_color as read_color
    from tikzgen.model.looks.phase_and_flow_looks import BUILT_IN_PHASES as BUILT_IN_PHASES
    from tikzgen.model.looks.phase_and_flow_looks import FLOW_KINDS as FLOW_KINDS
    from tikzgen.model.looks.phase_and_flow_looks import HATCHES as HATCHES
    from tikzgen.model.looks.phase_and_flow_looks import PHASES as PHASES
    from tikzgen.model.looks.phase_and_flow_looks import FlowKind as FlowKind
    from tikzgen.model.looks.phase_and_flow_looks import Hatch as Hatch
    from tikzgen.model.looks.phase_and_flow_looks import Phase as Phase
    from tikzgen.model.looks.spacing import SPACING as SPACING
    from tikzgen.model.looks.spacing import Spacing as Spacing
    from tikzgen.model.looks.style import Style as Style
    from tikzgen.model.looks.venues import VENUES as VENUES
    from tikzgen.model.looks.widths import TEXT_WIDE as TEXT_WIDE
    from tikzgen.model.looks.widths import WIDEST as WIDEST
    from tikzgen.model.looks.widths import has_large_type as has_large_type
    from tikzgen.model.looks.widths import height_of_venue as height_of_venue
    from tikzgen.model.looks.widths import list_widths as list_widths
    from tikzgen.model.looks.widths import read_width as read_width
    from tikzgen.model.looks.widths import type_of_venue as type_of_venue
    from tikzgen.model.looks.widths import venue_of as venue_of
    from tikzgen.model.looks.widths import width_in_cm as width_in_cm
    from tikzgen.model.looks.words import translate_word as translate_word
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "icons": "Icon discover_icons icons_of_figure scale_icon with_plugins",
            "owner_fills": "MOST_OWNERS_COUNT OWNER_HATCHES owner_look",
            "palettes": "Color ColorBy HUES Hue OwnColor PALETTES own_color read_color",
            "phase_and_flow_looks": "BUILT_IN_PHASES FLOW_KINDS FlowKind HATCHES Hatch PHASES Phase",
            "spacing": "SPACING Spacing",
            "style": "Style",
            "venues": "VENUES",
            "widths": "TEXT_WIDE WIDEST has_large_type height_of_venue list_widths read_width type_of_venue venue_of "
            "width_in_cm",
            "words": "translate_word",
        },
    )
