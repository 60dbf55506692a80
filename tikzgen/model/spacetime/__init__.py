"""Spacetime."""
