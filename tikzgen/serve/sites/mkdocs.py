"""The plugin `tikzgen` for MkDocs: fenced blocks of the language `tikzgen` become pictures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record, replace
from tikzgen.serve.sites.pictured import make_pictures

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})[ \t]*(?P<words>[^`\n]*)")
_FOLDER = "assets/tikzgen"


class FencedBlock(Record):
    """A fenced block of the language `tikzgen`: its settings, its text, its indent, and its first line."""

    settings: tuple[str, ...]
    text: str
    indent: str
    line: int


class TikzgenConfig(Config):  # type: ignore[no-untyped-call]
    """Options in mkdocs.yml: `dark: true` adds pictures for dark pages, in the form for Material."""

    dark = config_options.Type(bool, default=False)


class TikzgenPlugin(BasePlugin[TikzgenConfig]):  # type: ignore[no-untyped-call]
    """MkDocs plugin; words after the language of a block are overrides, such as `width=8.4`."""

    def on_page_markdown(self, markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Return the page with images in place of its blocks; raise `PluginError` if drawing fails."""
        place = page.file.src_uri
        above = page.file.content_string.rpartition(markdown)[0].count("\n")  # lines of the front matter
        try:
            return "".join(
                part if isinstance(part, str) else self._add_images(part, place, above, config, files)
                for part in split_page(markdown)
            )
        except TikzgenError as error:
            said = str(error) if str(error).startswith(place) else f"{place}: {error}"
            raise PluginError(f"tikzgen: {said}") from None

    def _add_images(self, block: FencedBlock, place: str, above: int, config: MkDocsConfig, files: Files) -> str:
        """Return Markdown that shows the pictures of a block, and add the pictures to the site's files."""
        line = above + block.line + 1
        dark = bool(self.config["dark"])
        found = make_pictures(block.text, file=place, line=line, settings=block.settings, dark=dark)
        said = re.sub(r"([\\\[\]`*_<])", r"\\\1", " ".join(found[0].alt.split()))
        images = []
        for shown, mark in zip(found, ["#only-light", "#only-dark"] if dark else [""], strict=True):
            uri = f"{_FOLDER}/{shown.name}.svg"
            if files.get_file_from_path(uri) is None:
                files.append(File.generated(config, uri, content=shown.svg))
            images.append(f"![{said}]({posixpath.relpath(uri, posixpath.dirname(place) or '.')}{mark})")
        return f"{block.indent}{''.join(images)}\n"


def split_page(text: str) -> Iterator[str | FencedBlock]:
    """Yield the lines of a page and its tikzgen blocks; a block inside another fence is text.

    Raise `TikzgenError` for a block without an end.
    """
    marks, block = "", None
    inside: list[str] = []
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        fence = _FENCE.fullmatch(line.rstrip())
        if not marks:
            if fence:
                marks, words = fence["marks"], fence["words"].split()
                if words[:1] == ["tikzgen"]:
                    block, inside = FencedBlock(tuple(words[1:]), "", fence["indent"], number), []
                    continue
            yield line
        elif fence and not fence["words"] and fence["marks"].startswith(marks):
            yield replace(block, text="".join(inside)) if block else line
            marks, block = "", None
        elif block:
            inside.append(line.removeprefix(block.indent))
        else:
            yield line
    if block:
        raise TikzgenError(f"the block that begins in line {block.line} of the text does not end")
