"""Options of recipes and figures: colors, width, type, spacing, slides, metadata, measured labels.

The files `tikzgen-style.yaml` and `tikzgen.toml` of a paper can set some of them for all of its figures.
"""

from contextlib import nullcontext
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, ModelWrapValidatorHandler, StringConstraints, model_validator

from tikzgen.base.trust import expect_commands
from tikzgen.model.looks.palettes import ColorBy, PaletteName
from tikzgen.model.looks.spacing import Spacing
from tikzgen.model.looks.style import Style
from tikzgen.model.looks.widths import Height, Width, height_of_venue, type_of_venue
from tikzgen.model.part import Language, Part, Words, fail, make_empty_list
from tikzgen.model.slides import AnySlides
from tikzgen.text import Text

LARGEST_LENGTH_PT = 16383
"""pt: TeX's largest dimension."""


class Measured(Part):
    """The size of a label as TeX sets it, in pt; `tikzgen render --measure` writes these entries."""

    text: Text
    """Formula, raw TeX, or text with Chinese characters."""
    size: float = Field(gt=0, le=100)
    """Font size in pt."""
    family: Literal["sans", "serif", "inherit"] = "sans"
    """Font family of the figure."""
    bold: bool = False
    """Whether the text is bold."""
    width: float = Field(ge=0, le=LARGEST_LENGTH_PT)
    """Width of its longest line, in pt."""
    height: float = Field(ge=0, le=LARGEST_LENGTH_PT)
    """Height above the baseline of its first line, in pt."""
    depth: float = Field(ge=0, le=LARGEST_LENGTH_PT)
    """Depth from that baseline to the bottom of its last line, in pt."""


_Word = Annotated[Words, Field(min_length=1)]
Command = Annotated[
    str,
    StringConstraints(pattern=r"^\\[A-Za-z]+$", max_length=60),
    Field(description="A command of TeX: a backslash and letters."),
]


class Font(Part):
    """The font family and size of the figure's labels."""

    family: Literal["sans", "serif", "inherit"] = "sans"
    """The paper's sans or serif fonts, or the font that is current at the figure."""
    size: Literal[6, 7, 8, 9, 10] | None = None
    """Font size of the labels in pt in a 10 pt paper; a narrow width may reduce it to 6. Null is 8, and 10 on a
    slide."""
    fixed: bool | None = None
    r"""Whether font sizes are in pt, or relative to the paper's, like \footnotesize. Null fixes them for slides and
    for venues with a \footnotesize above 8 pt: neurips, iclr, icml, acl."""


class Meta(Part):
    """The figure's metadata, written to the file next to it."""

    name: Words = Field(default="", max_length=200)
    """Human-readable name; empty takes the title."""
    description: Words = Field(default="", max_length=2000)
    """Content or claim of the figure, as one line of plain text in the figure's language. The alternative text is this
    and, if the figure's language is English, a description of its parts."""
    domain: list[_Word] = Field(default=["ml", "systems"], min_length=1)
    """Research fields."""
    tags: list[_Word] = Field(default_factory=make_empty_list)
    """Search keywords."""
    venue: list[_Word] = Field(default_factory=make_empty_list)
    """Conferences whose column widths suit the figure."""
    author: Words = Field(default="unknown", min_length=1)
    """Author of the figure."""
    license: Words = Field(default="NOASSERTION", min_length=1)
    """SPDX license identifier."""


class RawTex(Part):
    """Additional commands that the figure's raw TeX may use."""

    allow: list[Command] = Field(default_factory=make_empty_list, max_length=100)
    r"""Names of commands, such as `\qty`. They are allowed only with `--trust`."""


Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
"""An identifier in kebab case."""


def _or_bool(schema: dict[str, Any]) -> None:
    schema["anyOf"].append({"type": "boolean"})


Title: TypeAlias = Annotated[Text, Field(json_schema_extra=_or_bool)]
"""Title above a figure; `Options` also accepts true and false."""

_HouseStyle = Annotated[
    Style, BeforeValidator(lambda value: value, json_schema_input_type=Style | Literal["default", "plain", "vivid"])
]


class Options(Part):
    """Options that recipes and figures share."""

    field_group: ClassVar[str] = "figure"
    """Group of the fields that this class defines."""
    field_groups: ClassVar[tuple[str, ...]] = ()
    """Other groups with their fields, such as `display: show first`."""
    common: ClassVar[tuple[str, ...]] = ()
    """Most used fields, in order, some with the value of an example: `devices: 4`."""

    id: Slug = "figure"
    """Identifier for the metadata, in kebab case."""
    title: Title = ""
    """Title above the figure. True takes the name in the metadata or of the recipe, which is the default with
    `slides`. False shows none."""
    language: Language | None = None
    """Language of the labels, as a BCP 47 tag: en, zh-Hans, fr. PDF, SVG and `tikzgen watch` contain it for
    screen readers. Null leaves it open."""
    palette: PaletteName = "light"
    """Colors for a white page (`light`) or for dark slides (`dark`)."""
    width: Width | None = None
    """Width of the figure; null takes the natural width."""
    height: Height | None = None
    """Maximum height of the figure, reached with smaller gaps between lanes and rows. Null is the height of a slide for
    `width: beamer`. At most 10 cm of width, null is 9 cm if the rows can be so close. tikzgen reports more than 23 cm,
    a page."""
    font: Font = Field(default_factory=Font)
    """Font family and size."""
    spacing: Spacing = Field(default_factory=Spacing)
    """Distances in the figure; null distances are computed."""
    style: _HouseStyle = Field(default_factory=Style)
    """House style: a file, or the built-in `default`, `plain` or `vivid`. Without this field, `tikzgen-style.yaml` in
    the spec's folder or the nearest parent folder."""
    color_by: ColorBy = "phase"
    """Meaning of the fills of timeline cells. Lanes, and numbers of microbatches, layers, buckets or chunks, have the
    fills of owners; phases then differ in their hatch."""
    slides: AnySlides = None
    """Steps in which the figure appears: `time`, `microbatch`, `flows`, `panels`, or a mapping. Steps are Beamer
    overlays, PDF pages, numbered SVG and PNG. Null has one step."""
    meta: Meta = Field(default_factory=Meta)
    """Contents of the metadata file."""
    measured: list[Measured] = Field(default_factory=make_empty_list, max_length=20_000)
    """Exact sizes of labels whose size tikzgen can only estimate; `tikzgen render --measure` writes them."""
    raw_tex: RawTex = Field(default_factory=RawTex, alias="tex")
    """Additional commands that raw TeX (`!tex`) may use."""

    heading: ClassVar[str] = ""
    """Name of the figure if its metadata have no name."""

    @property
    def greatest_height(self) -> float | None:
        """Maximum height in cm: stated, or of the slide that the width names; None without one."""
        return height_of_venue(self.width) if self.height is None else self.height

    @property
    def type_size(self) -> int:
        """Size of the labels in pt: stated, or the usual one at this width."""
        return type_of_venue(self.width) if self.font.size is None else self.font.size

    def stated_fields(self) -> frozenset[str]:
        """Return "title" if slides have an empty title, because slides without this field get a title."""
        return frozenset({"title"} if self.slides and not self.title else ())

    def compute_plans(self) -> tuple[Any, ...]:
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
    """Font family and size."""
    language: Language | None = None
    """Language of the labels."""
    palette: PaletteName | None = None
    """Colors for a white page (`light`) or for dark slides (`dark`)."""
    spacing: Spacing | None = None
    """Distances in the figure; null distances are computed."""
    first: Literal[0, 1] | None = None
    """Number of the first lane, in figures of recipes with numbered lanes."""
    width: Width | None = None
    """Width of the figures."""
    height: Height | None = None
    """Maximum height of the figures."""
    labels: dict[str, Any] = Field(default_factory=dict)
    """Labels of recipes that have a field `labels`: `{lane: "rank {n}"}`."""


class PaperConfig(Part):
    """Settings in `tikzgen.toml`, or in `[tool.tikzgen]` of a pyproject.toml."""

    width: Width | None = None
    """Width of the figures."""
    height: Height | None = None
    """Maximum height of the figures."""
    palette: PaletteName | None = None
    """Colors for a white page (`light`) or for dark slides (`dark`)."""
    style: str | None = None
    """House style: `default`, `plain`, `vivid` or `none`, or a file, relative to the folder of the configuration."""
    language: Language | None = None
    """Language of the labels."""
    font: Font | None = None
    """Font family and size."""
    spacing: Spacing | None = None
    """Distances in the figure; null distances are computed."""
    engine: Literal["pdflatex", "xelatex", "lualatex", "tectonic", "none"] | None = None
    """Program that typesets the figures; `none` draws them without TeX."""
