"""One rule a file; `tikzgen.lint.registry` finds them here."""
