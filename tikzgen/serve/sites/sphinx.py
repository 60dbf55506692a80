"""The directive `tikzgen` for Sphinx: `extensions = ["tikzgen.sites.sphinx"]`; in MyST it is a fence, ```{tikzgen}."""

from __future__ import annotations

from contextlib import suppress
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxDirective

from tikzgen.api import load
from tikzgen.base.errors import TikzgenError
from tikzgen.base.version_and_cache_folder import VERSION
from tikzgen.compile.draw import Unsupported
from tikzgen.serve.sites.pictured import FigureInPage, make_figure_in_page, make_pictures

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class FigureRefused(SphinxError):
    """Error for a figure in a page that cannot be drawn; it stops the build."""

    category = "tikzgen"


class TikzgenDirective(SphinxDirective):
    """Figure of the spec in its content, or of a named file: a spec, or a .tex with its spec inside."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "alt": directives.unchanged,
        "caption": directives.unchanged,
        "align": lambda value: directives.choice(value, ("left", "center", "right")),
        "width": directives.length_or_percentage_or_unitless,
        "class": directives.class_option,
        "name": directives.unchanged,
        "set": directives.unchanged,
        "dark": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the images, in a figure if there is a caption; raise `FigureRefused` if drawing fails."""
        try:
            found = self._make_pictures()
        except TikzgenError as error:
            said, (file, line) = str(error), self.get_source_info()
            raise FigureRefused(said if said.startswith(str(file)) else f"{file}:{line}: {said}") from None
        classes = [[], []] if len(found) == 1 else [["only-light"], ["only-dark"]]
        images = [self._make_image_node(each, own) for each, own in zip(found, classes, strict=False)]
        whole: nodes.Element = images[0]
        if "caption" in self.options or len(images) > 1:
            whole = nodes.figure("", *images, align=self.options.get("align", "default"))
        if "caption" in self.options:
            inline, messages = self.parse_inline(self.options["caption"], lineno=self.lineno)
            whole += [nodes.caption("", "", *inline), *messages]
        elif "align" in self.options and len(images) == 1:
            whole["align"] = self.options["align"]
        self.set_source_info(whole)
        self.add_name(whole)
        return [whole]

    def _make_pictures(self) -> list[FigureInPage]:
        settings = self.options.get("set", "").split()
        dark = "dark" in self.options or self.config.tikzgen_dark
        if bool(self.arguments) == bool(self.content):
            raise TikzgenError("give a spec or the name of a file, not both")
        if self.content:
            line = self.content_offset + 1
            if type(self.state).__module__.startswith("myst_parser"):
                line += self.lineno  # MyST counts from the directive on
            text, file = "\n".join(self.content), str(self.get_source_info()[0])
            return make_pictures(text, file=file, line=line, settings=settings, dark=dark)
        relative, full = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        wanted = [settings, [*settings, "palette=dark"]] if dark else [settings]
        return [make_figure_in_page(load(full, settings=each)) for each in wanted]

    def _make_image_node(self, shown: FigureInPage, classes: list[str]) -> nodes.image:
        """Return an image with files for all builders, of which each uses its own format."""
        folder = Path(self.env.doctreedir) / "tikzgen"
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / shown.name
        place.with_suffix(".svg").write_bytes(shown.svg)
        with suppress(Unsupported):  # without a PDF if it needs TeX; HTML uses the SVG
            place.with_suffix(".pdf").write_bytes(shown.draw_pdf())
        uri = f"/{Path(relpath(place, self.env.srcdir)).as_posix()}.*"
        own = {"width": self.options["width"]} if "width" in self.options else {}
        known = ["tikzgen", *classes, *self.options.get("class", [])]
        return nodes.image("", uri=uri, alt=self.options.get("alt", shown.alt), classes=known, **own)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive; Sphinx calls this function."""
    app.add_directive("tikzgen", TikzgenDirective)
    app.add_config_value("tikzgen_dark", False, "env", types=frozenset({bool}))
    return {"version": VERSION, "parallel_read_safe": True, "parallel_write_safe": True}
