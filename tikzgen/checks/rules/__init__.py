"""One rule a file; `tikzgen.checks.registry` finds them here."""
