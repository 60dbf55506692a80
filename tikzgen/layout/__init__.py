"""Layout: from a figure to a scene with the positions of all items, in symbolic lengths.

The functions are loaded at first use, because reading a spec needs only `layout/topology/shapes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.layout.lay_out_figure import choose_form as choose_form
    from tikzgen.layout.lay_out_figure import layout as layout
else:
    __getattr__ = lazy_names(__name__, {"lay_out_figure": "choose_form layout"})
