"""Positions of a topology as lengths."""
