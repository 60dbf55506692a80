"""Python API: the `Figure` class with its methods, and functions that create or read figures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from tikzgen.base.cache import Cache
from tikzgen.base.defaults import PNG_DPI
from tikzgen.base.errors import LatexError, PartRefused, TikzgenError
from tikzgen.base.record import as_dict
from tikzgen.compile.build_figures import build_file
from tikzgen.compile.diagnosis import blamed_figure
from tikzgen.compile.draw import Unsupported, make_mimebundle
from tikzgen.compile.formats.format_table import FORMATS, is_built
from tikzgen.compile.formats_without_tex import drawn_slides, drawn_svg
from tikzgen.compile.make_formats import Settings, open_workshop
from tikzgen.compile.paper import Bundle, make_bundle
from tikzgen.compile.sandbox import cell_for
from tikzgen.compile.tex import configured_engine
from tikzgen.compile.true_text_sizes import with_true_sizes
from tikzgen.edit.find_words import find_words
from tikzgen.edit.open_figure import Editing, merge_into
from tikzgen.emit.describe_figure import make_about
from tikzgen.emit.figure_files import Rendered, keep_layout_of, spelt_metadata, write_figure
from tikzgen.emit.refuse_overwriting import IN_PYTHON
from tikzgen.emit.render_figure import make_description
from tikzgen.emit.render_figure import render as render_figure
from tikzgen.layout import choose_form
from tikzgen.lint.check_figure import broken_rules, broken_written
from tikzgen.lint.inventory import Metadata
from tikzgen.lint.measures import metrics
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.lint.read_valid import read_figure
from tikzgen.lint.written_tex import read_written
from tikzgen.model import figure as model
from tikzgen.model.join_figures import join_below, join_side_by_side
from tikzgen.recipe.recipe_names import recipe
from tikzgen.spec import load_figure as loading
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.spec.errors.error_places import document_of_call, explain
from tikzgen.spec.settings.config_file import Config, config_of

if TYPE_CHECKING:
    from tikzgen.lint.measures import Report
    from tikzgen.lint.registry import Finding


class RenderedFigure(Rendered):
    """Text and metadata of a figure, displayed as an image in a notebook."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return make_mimebundle(self.tex)


def render(figure: model.FigureModel, folders: Sequence[Path] = ()) -> RenderedFigure:
    """Render a figure as standalone TikZ with metadata; templates in `folders` override tikzgen's.

    Raise `SpecError` for a part that cannot be drawn. The output is identical on every machine.
    """
    made = render_figure(figure, folders)
    return RenderedFigure(**as_dict(made))


class Figure(model.FigureModel):
    """Figure with its contents and its methods."""

    @classmethod
    def of(cls, figure: model.FigureModel) -> Figure:
        """Convert a figure model to a `Figure`."""
        own = cls.model_construct(_fields_set=figure.model_fields_set, **figure.__dict__)
        own._origin, own._said, own._document = figure._origin, figure._said, figure._document
        return own.keep_layout(figure.layout_record)

    @property
    def description(self) -> str:
        """Description of the figure in plain text: `meta.description`, or else generated from its parts.

        It is part of the metadata, and of built PDF, PNG and SVG files.
        """
        return make_about(choose_form(self)).description

    def tex(self) -> str:
        """Return the figure as standalone TikZ, identical for equal figures on every machine."""
        return render(self).tex

    def metadata(self) -> dict[str, Any]:
        """Return the metadata with the edit contract, as in `fig.meta.json`."""
        return render(self).metadata

    def __str__(self) -> str:
        return self.tex()

    def __repr__(self) -> str:
        return f"<Figure {self.id}: {', '.join(panel.id for panel in self.panels)}>"

    def __or__(self, other: model.FigureModel) -> Figure:
        """Join the panels of both figures, with the other figure on the right."""
        return Figure.of(join_side_by_side(self, other)) if isinstance(other, model.FigureModel) else NotImplemented

    def __truediv__(self, other: model.FigureModel) -> Figure:
        """Join the panels of both figures, with the other figure below."""
        return Figure.of(join_below(self, other)) if isinstance(other, model.FigureModel) else NotImplemented

    def save(
        self,
        path: str | Path,
        *,
        force: bool = False,
        merge: bool | Literal["ours", "theirs"] = False,
        anew: bool = False,
    ) -> Path:
        """Write the format of the suffix: build .pdf, .png or .svg, or write .tex with its `.meta.json`.

        Nodes keep the layers and the order that they have in an existing .tex, unless `anew`. Raise `FileRefused`
        for a .tex with manual edits, unless `force` overwrites it or `merge` keeps the edits. If both sides changed the
        same, "ours" uses the changes of this figure, "theirs" the manual edits, and True raises `MergeConflict`.
        """
        target = Path(path)
        if force and merge:
            raise TikzgenError("force overwrites manual edits, and merge keeps them: give one")
        if is_built(target):
            return self.build(target)
        copy = self.model_copy()
        figure = copy.keep_layout(None) if anew else keep_layout_of(target, copy)
        if merge and target.exists():
            merge_into(target, figure, None if merge is True else merge)
            return target
        rendered = render(figure)
        write_figure(target, rendered.tex, rendered.metadata, force=force, ways=IN_PYTHON)
        return target

    def edit(self, operation: str, /, *values: Any, **arguments: Any) -> Figure:
        """Return the figure after an operation of `tikzgen edit`: `fig.edit("add-worker", label="Edge")`.

        Raise `EditRefused` with the reason and an accepted alternative.
        """
        editing = Editing(Path(f"{self.id}.tex"), self.tex().encode()).apply(operation, *values, **arguments)
        return loads(extract_spec(editing.text()) or "", name=f"<{self.id}>")

    def check(self) -> tuple[Finding, ...]:
        """Return the findings of `tikzgen check` in the schedules, in the .tex and in the figure drawn without TeX."""
        rendered, name = render(self), f"{self.id}.tex"
        said = self._document or document_of_call(self.id, make_description(self))
        beside = Metadata.parse_file(name, spelt_metadata(rendered.metadata).encode())
        return (
            *broken_rules(self.origin or self, said, figure=lambda: self, packages=True),
            *broken_written(read_written(name, rendered.tex.encode(), beside, rendered.distances), packages=True),
            *judge_figure(name, rendered.tex, None, Cache(None)).findings,
        )

    def metrics(self) -> Report:
        """Return exact measures of each timeline: makespan, busy time, bubbles and others.

        Raise `TikzgenError` for a figure without timelines.
        """
        return metrics(self)

    def measure(self, *engines: str, trust: bool = False) -> Figure:
        """Return the figure with sizes of formulas, raw TeX and Chinese labels as measured by these engines.

        The default is all installed engines. Raw TeX is set in a sandbox, unless `trust`. Raise `SpecError` for a
        label that TeX cannot set, `FileRefused` if no sandbox is available.
        """
        return Figure.of(with_true_sizes(self, engines=engines, trust=trust))

    def build(
        self,
        path: str | Path,
        *,
        engine: str | None = None,
        dpi: int = PNG_DPI,
        transparent: bool = False,
        trust: bool = False,
    ) -> Path:
        """Compile to `path`, a .pdf, .png or .svg.

        The default `engine` is the one configured for the folder of the spec, else pdflatex, or tectonic if only that
        is installed. SVG needs no TeX, nor does PNG if no engine is installed, nor PDF with the engine "none". `dpi`
        applies to PNG; PNG and SVG have a white background unless `transparent`. Raw TeX is compiled in a sandbox,
        unless `trust`.

        Raise `LatexError` if it does not compile, `LatexMissing` with the installation command, `FileRefused` if raw
        TeX requires a sandbox but cannot use one.
        """
        looks: dict[str, Any] = {"dpi": dpi, "transparent": transparent}
        source = self.tex()
        engine = engine or configured_engine(config_of(self._document.name) if self._document else Config())
        try:
            return build_file(source, Path(path), find_words, engine=engine, found=False, trust=trust, **looks)
        except LatexError as error:
            raise blamed_figure(error, source, self) from None

    def svg(self, *, transparent: bool = False) -> str:
        """Return the figure as SVG, drawn without TeX; raise `Unsupported` if a part needs TeX."""
        source = self.tex()
        return drawn_svg(source, find_words(source), transparent=transparent).decode("utf-8")

    def svg_slides(self, *, transparent: bool = False) -> dict[str, str]:
        """Return the SVG of each slide by number, and as `steps` one SVG with all slides, drawn without TeX.

        Raise `Unsupported` if a part needs TeX.
        """
        source = self.tex()
        slides = drawn_slides(source, find_words(source), transparent=transparent)
        return {name: svg.decode("utf-8") for name, svg in slides.items()}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return the figure for a notebook, as SVG, or as PNG if it needs TeX.

        If neither is possible, return its source with the reason.
        """
        source = self.tex()
        shown, reason = _make_mime_bundle(source)
        return {**shown, "text/plain": reason + source}


def load(path: str | Path, *, settings: Sequence[str] = (), trust: bool = False) -> Figure:
    """Read a spec, the spec embedded in a figure, or a PyTorch schedule CSV, and return its figure.

    `path` may be `-` for standard input. `settings` are overrides such as `workers=4` or `labels.server=PS`. With
    `trust`, the description may allow its raw TeX more commands (`tex: {allow: […]}`). Raise `SpecError` with one line
    per problem and its location.
    """
    return Figure.of(loading.load(path, settings=settings, trust=trust))


def loads(text: str, *, name: str = "<string>", settings: Sequence[str] = (), trust: bool = False) -> Figure:
    """Return the figure of a spec given as text; messages use `name`; `trust` is as in `load`."""
    return Figure.of(loading.load_from_text(text, name=name, settings=settings, trust=trust))


def make_figure(name: str, facts: Mapping[str, Any], call: str = "") -> Figure:
    """Return the figure of the recipe `name`; messages name the `call`."""
    said = document_of_call(call or name, {"recipe": name, **facts})
    try:
        found, said = loading.read_call(said, recipe(name))
    except ValidationError as error:
        raise PartRefused(explain(error, said, recipe(name)).problems, error) from None
    return Figure.of(loading.expand_recipe(found, said))


def bundle(
    figures: Sequence[str | Path] | Mapping[str, model.FigureModel],
    output: str | Path,
    *,
    pdf: bool = False,
    strip: bool = False,
    engine: str = "pdflatex",
    force: bool = False,
    allow_invalid: bool = False,
    trust: bool = False,
    measure: bool = False,
) -> Bundle:
    r"""Write figures, `figures-preamble.tex` and a README.txt to the folder `output`, or to a .zip of that name.

    Args:
        figures: Paths of specs and .tex files, or figures by name. A spec is rendered with the options recorded in the
            .tex in its folder.
        pdf: Whether to build PDFs as well, in a subfolder `pdf`, for `\includegraphics`.
        strip: Whether to remove comments, including embedded specs; the pages do not change.
        engine: Engine that builds the PDFs.
        force: Whether to overwrite files that no bundle wrote.
        allow_invalid: Whether to accept schedules that break rules.
        trust: Whether to compile raw TeX, and .tex files that tikzgen did not write, without a sandbox.
        measure: Whether TeX measures the formulas and raw TeX of specs first; .tex files are not changed.

    Raises:
        FileRefused: If a file exists that no bundle wrote, or that was edited since.
        SpecError: If preambles of figures conflict, or figures are not documents.
        LatexError: If figures do not compile or cannot be measured; one line per figure.

    >>> from tikzgen import bundle, recipes
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = bundle({"training": recipes.data_parallel()}, f"{folder}/figures.zip")
    >>> sorted(made.files)
    ['README.txt', 'figures-preamble.tex', 'training.tex']
    """
    options: dict[str, Any] = {"pdf": pdf, "strip": strip, "force": force, "allow_invalid": allow_invalid}
    settings = Settings(find_words, engine=engine)
    return make_bundle(figures, output, read_figure, settings, **options, trust=trust, measure=measure)


def _make_mime_bundle(source: str) -> tuple[dict[str, str], str]:
    """Return an image by its media type, or nothing and the reason as a TeX comment. Never raise."""
    try:
        with suppress(Unsupported):
            return {FORMATS["svg"].media_type: drawn_svg(source, find_words(source)).decode("utf-8")}, ""
        cell = partial(cell_for, source, "the figure", found=False)
        made = open_workshop(("png",), Settings(find_words, time_limit=20)).make_product(source, cell=cell)
        return {FORMATS["png"].media_type: b64encode(made.files["png"]).decode("ascii")}, ""
    except TikzgenError as error:
        return {}, f"% no picture: {' '.join(str(error).split())}\n"
    except Exception:
        return {}, ""
