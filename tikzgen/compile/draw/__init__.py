"""Pictures of the files that tikzgen writes, without TeX: the emitted .tex in, SVG out.

What a file says that is not known here is refused with its line (`Unsupported`): a picture is exact, or there is none.
"""
