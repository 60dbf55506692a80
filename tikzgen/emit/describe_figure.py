"""Description of a figure in sentences: its subject, then its panels, in as much detail as fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tikzgen.base.extensions import load_address
from tikzgen.base.plain_words import count_of, list_names
from tikzgen.base.record import replace
from tikzgen.emit.fit_sentences import DESCRIPTION_CHARS, fit_sentences, join_sentences, shorten_text
from tikzgen.model.about import About
from tikzgen.model.figure_options import Options
from tikzgen.model.sentences import Known, Sentence
from tikzgen.text.spoken_labels import label_to_unicode

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel, Recipe
    from tikzgen.model.panel_parts import Panel


Describe: TypeAlias = Callable[[Any, "FigureModel", Known], Iterator[Sentence]]


def _describe_subject(recipe: Recipe | None) -> str:
    """Return the summary of a recipe and its derivations; empty for a figure without a recipe."""
    done = recipe.list_derivations() if recipe else []
    return (recipe.summary() if recipe else "") + (f" ({'; '.join(done)})" if done else "")


_TITLE_CHARS = 160  # characters
_LANGUAGE = "en"  # language of sentences about a figure's parts
_PARTS_CHARS = 200  # characters for the parts after a long description of the author


def make_about(figure: FigureModel) -> About:
    """Return title and description of a figure, from its author (`meta`) and from its parts.

    The result depends on the figure alone.

    >>> from tikzgen import recipes
    >>> make_about(recipes.data_parallel(workers=2)).description.partition(". ")[0]
    'Data-parallel training: 2 workers and a parameter server'
    """
    origin = figure.origin  # read once: it compares all parts of the figure with the recipe's output
    origin = None if origin is not None and origin.changed_parts else origin
    language = figure.language or ""
    told_in = "" if figure.meta.description.strip() or _is_ours(language) else _LANGUAGE
    return About(_title_of(figure, origin), _describe(figure, origin), language, told_in)


def _title_of(figure: FigureModel, origin: Recipe | None) -> str:
    """Return the author's name for the figure, else its title, only caption, subject, or id."""
    caption = figure.panels[0].caption if len(figure.panels) == 1 else ""
    named = (
        figure.meta.name
        or label_to_unicode(figure.title)
        or label_to_unicode(caption)
        or (origin.summary() if origin else "")
    )
    return shorten_text(" ".join(named.split()) or _spell_identifier(figure.id), _TITLE_CHARS)


def _spell_identifier(identifier: str) -> str:
    return "" if identifier == Options.model_fields["id"].default else identifier.replace("-", " ")


def _describe(figure: FigureModel, origin: Recipe | None) -> str:
    """Return the author's description and sentences about the parts.

    If they would be in two languages, return the author's description alone.
    """
    claim = " ".join(figure.meta.description.split())
    if claim and not _is_ours(figure.language):
        return claim
    subject = _describe_subject(origin)
    known = _measure_panels(origin, subject)
    captions = [label_to_unicode(panel.caption) for panel in figure.panels]
    # A caption with a percentage states the share of idle time.
    panels = [
        list(_describe_panel(panel, figure, known.get(panel.id, Known(subject=subject)), told="%" in caption))
        for panel, caption in zip(figure.panels, captions, strict=True)
    ]
    room = max(DESCRIPTION_CHARS - len(claim) - 1, _PARTS_CHARS) if claim else DESCRIPTION_CHARS
    parts = fit_sentences(
        lambda detail: [*_describe_panels(subject, panels, captions, detail), *_describe_links(figure, detail)], room
    )
    return " ".join(filter(None, (join_sentences([claim]), parts)))


def _is_ours(language: str | None) -> bool:
    """Return whether sentences of tikzgen are in the figure's language."""
    return (language or "").partition("-")[0].lower() in ("", _LANGUAGE)


def _measure_panels(origin: Recipe | None, subject: str) -> dict[str, Known]:
    """Return the known measures of each panel whose schedule was computed."""
    found = {plan.panel: plan.metrics for plan in origin.compute_plans()} if origin is not None else {}
    return {
        panel: Known(each.makespan, each.bubble_over_total if each.busy else None, subject)
        for panel, each in found.items()
    }


def _describe_panel(panel: Panel, figure: FigureModel, known: Known, *, told: bool) -> Iterator[Sentence]:
    """Yield the sentences of a panel; if `told`, its caption states the share of idle time."""
    for content in panel.content:
        describe: Describe = load_address(content.sentences_address)
        yield from describe(content, figure, replace(known, idle=None) if told else known)


def _describe_panels(
    subject: str, panels: Sequence[Sequence[Sentence]], captions: Sequence[str], detail: int
) -> Iterator[str]:
    yield subject
    if len(panels) == 1:
        if captions[0] and (detail or not subject):
            yield captions[0]
        yield from (one.text for one in panels[0] if one.rank <= detail)
        return
    told = [[one.inside for one in panel if one.rank < detail] for panel in panels]
    alike = [text for text in told[0] if all(text in other for other in told[1:])]
    named = [caption or f"Panel {place}" for place, caption in enumerate(captions, 1)]
    if detail == 0:
        yield f"{count_of(len(panels), 'panel')}: {list_names(named, 12)}"
    else:
        yield count_of(len(panels), "panel") + (f", each: {'; '.join(alike)}" if alike else "")
    for name, texts in zip(named, told, strict=True) if detail else ():
        own = [text for text in texts if text not in alike]
        yield f"{name}: {'; '.join(own)}" if own else name


def _describe_links(figure: FigureModel, detail: int) -> Iterator[str]:
    if figure.links and detail > 1:
        yield "Dotted links join corresponding elements of different parts"
