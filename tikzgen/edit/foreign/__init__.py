"""Operations on figures that tikzgen did not write: replacements of spans of their source, and nothing else.

`session` does them, `known` finds the contract of a figure; this file imports neither, because `tikzgen show` asks for
the contract alone.
"""
