"""Layout: from a figure to a scene with the positions of all items, in symbolic lengths.

The functions are loaded at first use, because reading a spec needs only `layout/topology/shapes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.layout.constants import CONSTANTS as CONSTANTS
    from tikzgen.layout.contract_words import list_first_names as list_first_names
    from tikzgen.layout.lay_out_figure import choose_form as choose_form
    from tikzgen.layout.lay_out_figure import layout as layout
    from tikzgen.layout.layout_kinds import LayoutKind as LayoutKind
    from tikzgen.layout.layout_kinds import kind_of as kind_of
    from tikzgen.layout.page.title_and_legend import title_size as title_size
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "constants": "CONSTANTS",
            "contract_words": "list_first_names",
            "lay_out_figure": "choose_form layout",
            "layout_kinds": "LayoutKind kind_of",
            "page.title_and_legend": "title_size",
        },
    )
