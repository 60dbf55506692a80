"""The forms that a figure may take, for a width that does not allow the usual one."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.model.figure import Figure

__all__ = ["forms"]


def forms(figure: Figure) -> Iterator[Figure]:
    """The figure itself, then narrower ones: those of its recipe, and those whose panels stand in columns."""
    for form in _told(figure):
        yield form
        stacked = [
            panel.model_copy(update={"arrange": "column"})
            if panel.arrange == "auto" and len(panel.content) > 1
            else panel
            for panel in form.panels
        ]
        if stacked != form.panels:
            yield form.model_copy(update={"panels": stacked})


def _told(figure: Figure) -> Iterator[Figure]:
    yield figure
    origin = figure.origin
    for facts in origin.narrower() if origin is not None else ():
        form = facts.expand()
        # it is the same figure to whoever asks: the description in its file is as it was
        form._origin, form._said, form._document = origin, form.model_copy(), figure._document
        yield form
