"""Font metrics, and how large text and formulas come out."""
