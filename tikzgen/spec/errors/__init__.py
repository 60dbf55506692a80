"""Errors of a spec with their location, and the documentation of fields."""
