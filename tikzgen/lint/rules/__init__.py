"""Rules that need no TeX, by subject; `tikzgen.lint.registry` finds them here."""
