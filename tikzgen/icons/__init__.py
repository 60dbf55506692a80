"""The icons: what there is, and how large each is. Their drawings are templates."""

from __future__ import annotations

from tikzgen.icons.catalogue import COLORS, Icon, discover, parse_header, wanted, with_plugins

__all__ = ["COLORS", "Icon", "discover", "parse_header", "wanted", "with_plugins"]
