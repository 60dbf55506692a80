"""Formats that figures are built as: the table, the base class and one module for each built-in format."""
