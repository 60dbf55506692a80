"""Formats of built figures: the table, the base class and one module per built-in format."""
