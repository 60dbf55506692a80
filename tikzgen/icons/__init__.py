"""The icons: what there is, and how large each is. Their drawings are templates."""

from __future__ import annotations

from tikzgen.icons.catalogue import COLORS, Icon, discover, parse_header, wanted, with_plugins
from tikzgen.icons.folders import template_folder

__all__ = ["COLORS", "Icon", "discover", "parse_header", "template_folder", "wanted", "with_plugins"]
