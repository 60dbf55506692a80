"""What TeX really set: every node, path and text of a figure with its place on the page, and rules that look at it."""

from __future__ import annotations

from tikzgen.probe.page_data import Line, Node, Page, Painted, Picture
from tikzgen.probe.probing import Probed, probe

__all__ = ["Line", "Node", "Page", "Painted", "Picture", "Probed", "probe"]
