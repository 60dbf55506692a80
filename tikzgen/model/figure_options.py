"""Options of recipes and figures: colors, width, type, spacing, slides, metadata, measured labels.

The files `tikzgen-style.yaml` and `tikzgen.toml` of a paper can set some of them for all of its figures.
"""

from contextlib import nullcontext
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, ModelWrapValidatorHandler, StringConstraints, model_validator

from tikzgen.base.defaults import FONT_SIZE_PT
from tikzgen.base.trust import expect_commands
from tikzgen.model.looks.palettes import ColorBy, PaletteName
from tikzgen.model.looks.spacing import Spacing
from tikzgen.model.looks.style import Style
from tikzgen.model.looks.widths import Height, Width
from tikzgen.model.part import Language, Part, Words, empty, fail
from tikzgen.model.slides import AnySlides
from tikzgen.text import Text

LARGEST_LENGTH_PT = 16383
"""pt: TeX's largest dimension."""


class Measured(Part):
    """The size of a label as TeX sets it, in pt; `tikzgen render --measure` writes these entries."""

    text: Text
    """The text: a formula, raw TeX, or one with Chinese characters."""
    size: float = Field(gt=0, le=100)
    """The size of its type in pt."""
    family: Literal["sans", "serif", "inherit"] = "sans"
    """The figure's type family."""
    bold: bool = False
    """Whether it is set in bold type."""
    width: float = Field(ge=0, le=LARGEST_LENGTH_PT)
    """Of its longest line."""
    height: float = Field(ge=0, le=LARGEST_LENGTH_PT)
    """Above the baseline of its first line."""
    depth: float = Field(ge=0, le=LARGEST_LENGTH_PT)
    """Below that baseline, down to the end of its last line."""


_Word = Annotated[Words, Field(min_length=1)]
Command = Annotated[
    str,
    StringConstraints(pattern=r"^\\[A-Za-z]+$", max_length=60),
    Field(description="A command of TeX: a backslash and letters."),
]


class Font(Part):
    """The font family and size of the figure's labels."""

    family: Literal["sans", "serif", "inherit"] = "sans"
    """The paper's sans or serif fonts, or whatever is current where the figure stands."""
    size: Literal[6, 7, 8, 9, 10] = FONT_SIZE_PT
    """The labels' size in pt in a 10 pt paper; a narrow width may reduce it down to 6."""
    fixed: bool | None = None
    """Whether sizes stay as they are in pt; else they follow the paper's own, as \\footnotesize does. Null fixes them
    for a venue whose \\footnotesize is larger than 8 pt: neurips, iclr, icml, acl."""


class Meta(Part):
    """The figure's metadata, written to the file next to it."""

    name: Words = Field(default="", max_length=200)
    """A name for people; the title where empty."""
    description: Words = Field(default="", max_length=2000)
    """What the figure shows or claims, in one line of plain text, in the figure's language. The alternative text is
    this, then the parts of the figure in English; only this if `language` is another language."""
    domain: list[_Word] = Field(default=["ml", "systems"], min_length=1)
    """Fields that it belongs to."""
    tags: list[_Word] = Field(default_factory=empty)
    """Search keywords."""
    venue: list[_Word] = Field(default_factory=empty)
    """Conferences whose widths it suits."""
    author: Words = Field(default="unknown", min_length=1)
    """Who made the figure."""
    license: Words = Field(default="NOASSERTION", min_length=1)
    """An SPDX identifier."""


class RawTex(Part):
    """Additional commands that the figure's raw TeX may use."""

    allow: list[Command] = Field(default_factory=empty, max_length=100)
    """Commands by name, such as `\\qty`. They count only for who trusts the description: with --trust."""


Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
"""A kebab-case identifier."""


def _or_bool(schema: dict[str, Any]) -> None:
    schema["anyOf"].append({"type": "boolean"})


Title: TypeAlias = Annotated[Text, Field(json_schema_extra=_or_bool)]
"""Text above a figure; `Options` read what is no text."""

_HouseStyle = Annotated[
    Style, BeforeValidator(lambda value: value, json_schema_input_type=Style | Literal["default", "plain", "vivid"])
]


class Options(Part):
    """Options that recipes and figures share."""

    id: Slug = "figure"
    """A kebab-case identifier for the metadata."""
    title: Title = ""
    """Text above the figure; true takes its name, that of its metadata or its recipe, and so do slides, which have no
    caption, unless it is false."""
    language: Language | None = None
    """The language of the figure's texts, as BCP 47 has it: en, zh-Hans, fr. PDF, SVG and the page of `tikzgen watch`
    tell it to who reads aloud. Null says nothing."""
    palette: PaletteName = "light"
    """For white paper, or for dark slides."""
    width: Width | None = None
    """The figure's width; null takes the natural one."""
    height: Height | None = None
    """The figure's height at most: lanes and rows come closer for it. Null takes the natural one, and it is said where
    that is more than a page's text, 23 cm."""
    font: Font = Field(default_factory=Font)
    """Type family and size."""
    spacing: Spacing = Field(default_factory=Spacing)
    """Distances; null ones are computed."""
    style: _HouseStyle = Field(default_factory=Style)
    """A house style; `default`, `plain` or `vivid` for one that ships. Without it, that of `tikzgen-style.yaml` is
    taken, which is looked for in the spec's folder and above."""
    color_by: ColorBy = "phase"
    """What the hues of timelines' cells stand for; phases keep their lightness. A microbatch, layer, bucket or chunk is
    the number in a cell: four hues take turns."""
    slides: AnySlides = None
    """How it comes up step by step: `time`, `microbatch`, `flows`, `panels`, or more exactly; null shows all at once.
    Steps are overlays in Beamer, pages of the PDF, and numbered SVG and PNG."""
    meta: Meta = Field(default_factory=Meta)
    """For the metadata file."""
    measured: list[Measured] = Field(default_factory=empty, max_length=20_000)
    """True sizes of texts that font metrics only bound, as `tikzgen render --measure` writes them."""
    raw_tex: RawTex = Field(default_factory=RawTex, alias="tex")
    """What raw TeX (`!tex`) may say besides the commands that labels need."""

    heading: ClassVar[str] = ""
    """What it is called where its metadata have no name."""

    def stated_fields(self) -> frozenset[str]:
        """Return "title" if slides have an empty title, because slides without this field get a title."""
        return frozenset({"title"} if self.slides and not self.title else ())

    def plans(self) -> tuple[Any, ...]:
        """Return the schedules that it computes, one per panel; empty if it computes no times."""
        return ()

    @model_validator(mode="wrap")
    @classmethod
    def _allow_commands(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Read the labels with the TeX commands that the description allows."""
        if isinstance(data, dict) and "raw_tex" in data:  # fields of another figure: `tex` is a method there
            data = {"tex" if name == "raw_tex" else name: value for name, value in data.items()}
        data = cls._with_title(data) if isinstance(data, dict) else data
        said = data.get("tex") if isinstance(data, dict) else None
        words = said.get("allow") if isinstance(said, dict) else getattr(said, "allow", None)
        with (
            expect_commands(word for word in words if isinstance(word, str))
            if isinstance(words, list)
            else nullcontext()
        ):
            return handler(data)

    @classmethod
    def _with_title(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Return the description with its name for a title, if one is requested."""
        title, meta = data.get("title"), data.get("meta")
        if title is None and "title" not in data:
            title = data.get("slides") not in (None, "none") or None
        if not isinstance(title, bool):
            return data
        name = (meta.get("name") if isinstance(meta, dict) else getattr(meta, "name", "")) or cls.heading
        if data.get("title") is True and not name:
            fail("it has no name to show", "title", hint="write it: title: My figure")
        return {**data, "title": name if title else ""}


class HouseFile(Style):
    """A house style file: a style, and defaults of options that figures do not set."""

    font: Font | None = None
    """Type family and size."""
    language: Language | None = None
    """The language of the figures' texts."""
    palette: PaletteName | None = None
    """For white paper, or for dark slides."""
    spacing: Spacing | None = None
    """Distances; null ones are computed."""
    first: Literal[0, 1] | None = None
    """The number of the first lane, in figures of recipes that count."""
    width: Width | None = None
    """The figures' width."""
    height: Height | None = None
    """The figures' height at most."""
    labels: dict[str, Any] = Field(default_factory=dict)
    """Texts of recipes that have them: `{lane: "rank {n}"}`."""


class PaperConfig(Part):
    """Settings in `tikzgen.toml`, or in `[tool.tikzgen]` of a pyproject.toml."""

    width: Width | None = None
    """The figures' width."""
    height: Height | None = None
    """The figures' height at most."""
    palette: PaletteName | None = None
    """For white paper, or for dark slides."""
    style: str | None = None
    """A house style: `default`, `plain`, `vivid` or `none`, or a file, as seen from the configuration's folder."""
    language: Language | None = None
    """The language of the figures' texts."""
    font: Font | None = None
    """Type family and size."""
    spacing: Spacing | None = None
    """Distances; null ones are computed."""
    engine: Literal["pdflatex", "xelatex", "lualatex", "tectonic", "none"] | None = None
    """What sets figures; none draws them without TeX."""
