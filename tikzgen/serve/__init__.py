"""Figures in a browser, for agents, and in pages of other programs."""
