"""Checks of descriptions and .tex files: rules with codes, findings with locations, fixes."""
