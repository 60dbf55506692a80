r"""A figure that comes up on slides, as a document with a page for each: every one of them plays Beamer's overlay."""

from __future__ import annotations

from tikzgen.base.patterns import pattern_of

_SLIDE = pattern_of(r"\bfrom slide=(\d+)")
_CLASS = r"\documentclass[border=0pt]{standalone}"
_BEGIN, _END = r"\begin{document}", r"\end{document}"
_PICTURE = r"\begin{tikzpicture}"


def slides_of(source: str) -> int:
    """How many slides a .tex has; 1 where all of it is there at once."""
    body = source.partition(_PICTURE)[2].partition(_END)[0]
    return max((int(slide) for slide in _SLIDE.findall(body)), default=1)


def paged(source: str, only: int = 0) -> str:
    """The same with a page for each slide, or for one, where it is a figure of ours with several; else as it is.

    The first page's lines are those of the figure.
    """
    count = slides_of(source)
    if count < 2 or not source.startswith(_CLASS):
        return source
    from tikzgen.tikz.environment import fill

    head, _, rest = source.partition(_BEGIN)
    body, _, tail = rest.partition(_END)
    pages = [only] if only else range(1, count + 1)
    return fill("slide_pages.tex.j2", head=head.removeprefix(_CLASS), body=body, tail=tail, pages=pages)
