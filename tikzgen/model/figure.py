"""A figure: panels in a row, a column or a grid, links across them, a legend, and what they all share."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, ModelWrapValidatorHandler, PrivateAttr, StringConstraints, model_validator

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import suggestion
from tikzgen.base.trust import wishing
from tikzgen.model.base import Id, Language, Part, Ref, Words, empty, fail
from tikzgen.model.content import Content
from tikzgen.model.kinds import AnyContent
from tikzgen.model.look import FLOW_KINDS, PHASES, RESERVED_PHASES, ColorBy, FlowKind, Phase
from tikzgen.model.measured import Measured
from tikzgen.model.slides import MOST, AnySlides
from tikzgen.model.style import Style
from tikzgen.model.topology import require
from tikzgen.model.widths import SPACING, Height, Width
from tikzgen.text import Text, told


def _listed(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


_Word = Annotated[Words, Field(min_length=1)]
Command = Annotated[
    str,
    StringConstraints(pattern=r"^\\[A-Za-z]+$", max_length=60),
    Field(description="A command of TeX: a backslash and letters."),
]
_C = TypeVar("_C", bound=Content)


class Panel(Part):
    """One part of a figure: a topology, a timeline, a space-time diagram, or several of them, with a caption."""

    id: Id = "main"
    """A name; with several panels, node names begin with it."""
    content: Annotated[
        list[AnyContent],
        BeforeValidator(_listed, json_schema_input_type=AnyContent | Annotated[list[AnyContent], Field(min_length=1)]),
    ] = Field(min_length=1, max_length=8)
    """What the panel shows, left to right or top to bottom."""
    arrange: Literal["auto", "row", "column"] = "auto"
    """Its parts side by side, or one below the other; auto is a row where the figure's width allows one."""
    caption: Text = ""
    """Text below the panel; above it, bold, where it is one line and the panel holds one timeline to the right."""

    def nodes(self) -> set[str]:
        """The ids that a link may end on: entities, groups, flows with an id, spans, lifelines, messages."""
        return {name for content in self.content for name, _ in content.named()}

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        seen: set[str] = set()
        for index, content in enumerate(self.content):
            for name, _ in content.named():
                if name in seen:
                    fail(f"the id {quoted(name)} stands twice in the panel", "content", index, hint=_APART)
                seen.add(name)
        return self


_APART = "give its nodes, or its lanes, ids of their own"


class Link(Part):
    """A thin arrow between things that stand apart: a timeline's block and the node where it happens."""

    source: Ref
    """`panel.id`, or `id` where the figure has one panel."""
    target: Ref
    """`panel.id`, or `panel.flow@0.3` for a point on a flow, measured from its source."""
    direction: Literal["forward", "backward", "both", "none"] = "both"
    """Which ends have arrow heads."""


class Legend(Part):
    """What the fills, lines and signs mean; only what the figure uses is listed."""

    position: Literal["top", "bottom", "none"] = "top"
    """Where it stands."""
    entries: list[str] | None = None
    """Phase names, in order; null lists those that the figure uses and that have a label."""
    of: list[Literal["phases", "roles", "kinds", "steps", "states"]] = Field(default=["phases"])
    """What it explains: phases of timelines; roles and states of entities, kinds of flow, numbers of steps."""
    texts: dict[str, Text] = Field(default_factory=dict)
    """What it says of roles, kinds, steps and states, by name or number; without a text a name stands for itself, and
    a step is left out."""


class Font(Part):
    """The type that the figure is set in."""

    family: Literal["sans", "serif", "inherit"] = "sans"
    """The paper's sans or serif fonts, or whatever is current where the figure stands."""
    size: Literal[6, 7, 8, 9, 10] = 8
    """The labels' size in pt in a 10 pt paper; a narrow width may reduce it down to 6."""
    fixed: bool | None = None
    """Whether sizes stay as they are in pt; else they follow the paper's own, as \\footnotesize does. Null fixes them
    for a venue whose \\footnotesize is larger than 8 pt: neurips, iclr, icml, acl."""


class Spacing(Part):
    """Distances in cm; each becomes a parameter of the emitted file. Null computes it."""

    colsep: float | None = Field(default=None, gt=SPACING["colsep"].least, le=SPACING["colsep"].most)
    """Between the centres of neighbouring columns."""
    rowsep: float | None = Field(default=None, gt=SPACING["rowsep"].least, le=SPACING["rowsep"].most)
    """Between the centres of neighbouring rows."""
    radius: float | None = Field(default=None, gt=SPACING["radius"].least, le=SPACING["radius"].most)
    """Of a star or a ring; half the width of a ring that is no circle."""
    ringheight: float | None = Field(default=None, gt=SPACING["ringheight"].least, le=SPACING["ringheight"].most)
    """The height of a ring, between its highest and its lowest entity."""
    timeunit: float | None = Field(default=None, gt=SPACING["timeunit"].least, le=SPACING["timeunit"].most)
    """The length of one time unit."""
    laneheight: float | None = Field(default=None, gt=SPACING["laneheight"].least, le=SPACING["laneheight"].most)
    """The thickness of a lane."""
    lanesep: float | None = Field(default=None, ge=SPACING["lanesep"].least, le=SPACING["lanesep"].most)
    """Between neighbouring lanes."""
    lifelinesep: float | None = Field(default=None, gt=SPACING["lifelinesep"].least, le=SPACING["lifelinesep"].most)
    """Between neighbouring lifelines."""
    panelsep: float | None = Field(default=None, gt=SPACING["panelsep"].least, le=SPACING["panelsep"].most)
    """Between neighbouring panels."""


class Meta(Part):
    """What the metadata beside the figure says about it."""

    name: Words = Field(default="", max_length=200)
    """A name for people; the title where empty."""
    description: Words = Field(default="", max_length=2000)
    """What the figure shows, in one line of plain text, in the figure's language: its alternative text. Empty tells it
    from the figure's parts."""
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
    """What the figure's raw TeX may say besides what all raw TeX may."""

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
    """What recipes and figures share."""

    id: Slug = "figure"
    """A kebab-case identifier for the metadata."""
    title: Title = ""
    """Text above the figure; true takes its name, that of its metadata or its recipe, and so do slides, which have no
    caption, unless it is false."""
    language: Language | None = None
    """The language of the figure's texts, as BCP 47 has it: en, zh-Hans, fr. PDF, SVG and the page of `tikzgen watch`
    tell it to who reads aloud. Null says nothing."""
    palette: Literal["light", "dark"] = "light"
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

    def said(self) -> frozenset[str]:
        """Slides without a title would have one again."""
        return frozenset({"title"} if self.slides and not self.title else ())

    def plans(self) -> tuple[Any, ...]:
        """The schedules that it computes, one for each panel; none where it computes no times."""
        return ()

    @model_validator(mode="wrap")
    @classmethod
    def _allowing(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """The texts are read with the commands in mind that are allowed beside them."""
        if isinstance(data, dict) and "raw_tex" in data:  # from another figure's fields, where `tex` is a verb
            data = {"tex" if name == "raw_tex" else name: value for name, value in data.items()}
        data = cls._titled(data) if isinstance(data, dict) else data
        said = data.get("tex") if isinstance(data, dict) else None
        words = said.get("allow") if isinstance(said, dict) else getattr(said, "allow", None)
        with wishing(word for word in words if isinstance(word, str)) if isinstance(words, list) else nullcontext():
            return handler(data)

    @classmethod
    def _titled(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The description with its name for a title, where one is asked for."""
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
    """A file with a house style: looks, and what figures that do not say it themselves have otherwise."""

    font: Font | None = None
    """Type family and size."""
    language: Language | None = None
    """The language of the figures' texts."""
    palette: Literal["light", "dark"] | None = None
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


class Figure(Options):
    """Everything that one picture says."""

    panels: list[Panel] = Field(min_length=1, max_length=64)
    """The panels, in reading order."""
    arrange: Literal["row", "column"] = "row"
    """Panels side by side, or one below the other."""
    columns: int | None = Field(default=None, ge=1, le=16)
    """Panels in a row before the next row begins; null puts all into one row or one column."""
    links: list[Link] = Field(default_factory=empty)
    """Thin arrows across panels."""
    legend: Legend = Field(default_factory=Legend)
    """What the fills mean."""
    phases: dict[Id, Phase] = Field(default_factory=dict)
    """Looks of phases, over the built-in ones: what they leave out is as it is there."""
    kinds: dict[Id, FlowKind] = Field(default_factory=dict)
    """Looks of flow kinds, over the built-in ones: what they leave out is as it is there."""

    _origin: "Recipe | None" = PrivateAttr(default=None)
    _said: "Figure | None" = PrivateAttr(default=None)
    _document: Any = PrivateAttr(default=None)
    """What it was read from, which has the places of its fields."""
    _form: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        """Whether both say the same; where they were read from does not count."""
        if not isinstance(other, Figure):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def phase(self, name: str) -> Phase:
        """The look of a phase, by name."""
        house = self.style.phases.get(name)
        base = house.over(PHASES[name]) if house else PHASES.get(name)
        own = self.phases.get(name)
        return own.over(base) if own else base or PHASES[name]

    def kind(self, name: str) -> FlowKind:
        """The look of a kind of flow, by name."""
        house = self.style.kinds.get(name)
        base = house.over(FLOW_KINDS[name]) if house else FLOW_KINDS.get(name)
        own = self.kinds.get(name)
        return own.over(base) if own else base or FLOW_KINDS[name]

    def parts(self, kind: type[_C]) -> Iterator[tuple[int, int, _C]]:
        """What its panels hold of a kind, each with the place of its panel and its own place in that."""
        for number, panel in enumerate(self.panels):
            for index, content in enumerate(panel.content):
                if isinstance(content, kind):
                    yield number, index, content

    @property
    def origin(self) -> "Recipe | None":
        """The recipe that this figure came from, as long as it still says the same."""
        if self._origin is None:
            return None
        if self._said is None:
            # a figure of its own: parts are frozen, but the lists in them can be changed in place
            self._said = self._origin.expanded()
        return self._origin if self._said.__dict__ == self.__dict__ else None

    @property
    def form(self) -> Mapping[str, Any]:
        """What its width chose, of a figure that was laid out: facts of its recipe, directions, columns."""
        return self._form

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        known: set[str] = set()
        several = len(self.panels) > 1
        names = [panel.id for panel in self.panels]
        for index, panel in enumerate(self.panels):
            if panel.id in names[:index]:
                fail(
                    f"the id {quoted(panel.id)} stands twice", "panels", index, "id", hint="give each panel its own id"
                )
            known.update(f"{panel.id}.{name}" if several else name for name in panel.nodes())
        for index, link in enumerate(self.links):
            for field in ("source", "target"):
                require(getattr(link, field).partition("@")[0], known, "links", index, field)
            if link.source == link.target:
                fail("a link joins two things, not one to itself", "links", index, hint="remove it")
        self._check_styles()
        self._check_looks()
        self._check_slides(known)
        if self.color_by not in ("phase", "lane") and not any(part.counted() for _, _, part in self.parts(Content)):
            fail(f"no span has a number to be a {self.color_by}", "color_by", hint="use lane, or leave it out")
        return self

    def _check_slides(self, known: set[str]) -> None:
        """There is what slides go by."""
        slides = self.slides
        if slides is None:
            return
        for group, names in slides.groups.items():
            for place, name in enumerate(names):
                require(name.partition("@")[0], known, "slides", "groups", group, place)
        parts = [part for _, _, part in self.parts(Content)]
        many = len({moment for part in parts for moment in part.starts()})
        if slides.by == "time" and not slides.at and many > MOST:
            hint = "say which: slides: {by: time, at: [10, 20]}"
            fail(f"spans begin at {many} moments, and {MOST} slides are the most", "slides", hint=hint)
        lacking = {
            "time": (not any(part.starts() for part in parts), "no timeline has spans"),
            "microbatch": (not any(part.counted() for part in parts), "no span has a number"),
            "flows": (not any(part.steps() for part in parts), "no flow has a step"),
            "panels": (len(self.panels) < 2, "there is one panel"),
        }
        lacks, reason = lacking.get(slides.by, (False, ""))
        if lacks:
            hint = "use another: time, microbatch, flows, panels or groups"
            fail(f"{reason}, by which slides could go", "slides", hint=hint)

    def _check_styles(self) -> None:
        """Every phase and every kind of flow has a style of its own, which hides none of TikZ's keys."""
        for name in self.phases:
            if name in RESERVED_PHASES:
                message = f"{quoted(name + ' phase')} is a key of TikZ"
                fail(message, "phases", name, hint="choose another name for the phase")
        owners: dict[str, list[str]] = {}
        for name in {**FLOW_KINDS, **self.kinds}:
            owners.setdefault(self.kind(name).tikz_style(name), []).append(name)
        for style, names in owners.items():
            own = [name for name in names if name in self.kinds]
            if len(names) > 1:
                other = next(name for name in names if name != own[-1])
                message = f"the kinds {quoted(other)} and {quoted(own[-1])} would share the style {quoted(style)}"
                field = ("style",) if "style" in self.kinds[own[-1]].said() else ()
                fail(message, "kinds", own[-1], *field, hint="give each kind a style of its own")

    def _check_looks(self) -> None:
        phases, kinds = {*PHASES, *self.phases}, {*FLOW_KINDS, *self.kinds}
        for index, place, content in self.parts(Content):
            words = ("phase", content.phases(), phases), ("kind of flow", content.flow_kinds(), kinds)
            for what, found, known in words:
                for name, steps in found:
                    if name not in known:
                        _named(what, name, known, "panels", index, "content", place, *steps)
        parts = [content for _, _, content in self.parts(Content)]
        shown = {name for part in parts for name in (*part.explained(), *(kind for kind, _ in part.flow_kinds()))}
        for name in self.legend.texts:
            _named("role, kind, step or state", name, shown, "legend", "texts", name)
        for index, entry in enumerate(self.legend.entries or ()):
            _named("phase", entry, phases, "legend", "entries", index)


class Recipe(Options):
    """The facts of one kind of figure. `expand` says nothing that a `Figure` could not say itself."""

    counts: ClassVar[str] = ""
    """The fact that says how many workers or devices there are."""
    schedule_facts: ClassVar[tuple[str, ...]] = ()
    """The facts from which its times are computed."""
    bound_devices: ClassVar[bool] = False
    """Whether its devices wait for each other, so that none but the last may go."""
    texts: ClassVar[tuple[str, ...]] = ("title", "labels")
    """The facts that are texts, or hold some."""

    _placed: tuple[dict[str, Any], Any] | None = PrivateAttr(default=None)

    def expand(self) -> Figure:
        """The figure that these facts describe."""
        raise NotImplementedError

    def expanded(self, *, strict: bool = True) -> Figure:
        """The same, with what is changed in it; changes that find nothing are left out, unless `strict`."""
        return self.with_fields().expand()

    def with_fields(self) -> Self:
        """The same facts with texts that know their fields: the figure's texts say then where they come from."""
        if self._placed is None or self._placed[0] != self.__dict__:
            held = {name: getattr(self, name, None) for name in self.texts}
            placed = {name: _placed(value, (name,)) for name, value in held.items() if value}
            self._placed = (dict(self.__dict__), self.model_copy(update=placed))
        found: Self = self._placed[1]
        return found

    @property
    def changed_parts(self) -> bool:
        """Whether its figure has other parts than the facts say."""
        return False

    def narrower(self) -> Iterator["Recipe"]:
        """The same facts in forms that take less width, each for where the ones before it do not fit."""
        yield from ()

    def figure(self) -> Figure:
        """The figure, remembering where it came from so that its file can carry the short form."""
        figure = self.expanded()
        figure._origin = self
        return figure


def _placed(value: Any, field: tuple[str | int, ...]) -> Any:
    if isinstance(value, str):
        return told(value, field)
    if isinstance(value, list):
        return [_placed(one, (*field, place)) for place, one in enumerate(value)]
    if isinstance(value, dict):
        return {name: _placed(one, (*field, name)) for name, one in value.items()}
    if not isinstance(value, Part):
        return value
    names = type(value).model_fields
    return value.model_copy(update={name: _placed(getattr(value, name), (*field, name)) for name in names})


def _named(what: str, name: str, known: set[str], *path: str | int) -> None:
    if name not in known:
        fail(f"there is no {what} {quoted(name)}", *path, hint=suggestion(name, sorted(known)))
