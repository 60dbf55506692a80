"""Readers of diagrams in other languages: Mermaid, D2 and DOT become the data of a spec."""
