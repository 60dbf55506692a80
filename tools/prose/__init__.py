"""Linter for the English of docs, messages and code."""
