"""Figures: panels in a row, column or grid, links across them, a legend; the base class of recipes."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from operator import is_not
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, PrivateAttr, model_validator

from tikzgen.base.errors import quote
from tikzgen.model.addresses import read_address
from tikzgen.model.content import Content
from tikzgen.model.figure_options import Options
from tikzgen.model.looks.own_colors import color_in
from tikzgen.model.looks.palettes import PALETTES, OwnColor
from tikzgen.model.looks.phase_and_flow_looks import BUILT_IN_PHASES, FLOW_KINDS, RESERVED_PHASES, FlowKind, Look, Phase
from tikzgen.model.looks.words import translate_word
from tikzgen.model.panel_parts import Legend, Link, Panel, told_apart
from tikzgen.model.part import Id, Part, check_common_measure, check_distinct, fail, make_empty_list, require, times_in
from tikzgen.model.slides import MOST_SLIDES_COUNT
from tikzgen.model.timeline.phase_ladder import needs_step, take_steps
from tikzgen.text import with_field

if TYPE_CHECKING:
    from tikzgen.model.topology import LayoutRecord

_C = TypeVar("_C", bound=Content)
_T = TypeVar("_T")
_L = TypeVar("_L", bound=Look)


class FigureModel(Options):
    """A complete figure: its panels, links, legend, styles and options."""

    model_config = ConfigDict(title="Figure")

    panels: Annotated[list[Panel], AfterValidator(told_apart)] = Field(min_length=1, max_length=64)
    """The panels, in reading order."""
    arrange: Literal["auto", "row", "column"] = "auto"
    """Panels in a row or in a column; `auto` is a row if the figure's width allows it."""
    columns: int | None = Field(default=None, ge=1, le=16)
    """Panels per row; null puts all panels into one row or one column."""
    links: list[Link] = Field(default_factory=make_empty_list)
    """Thin arrows between panels."""
    legend: Legend = Field(default_factory=Legend)
    """The legend, which explains the fills."""
    phases: dict[Id, Phase] = Field(default_factory=dict)
    """Styles of phases, over the built-in ones. Other phases without color and tint get the next free lightness of a
    series, and by default their name as label."""
    kinds: dict[Id, FlowKind] = Field(default_factory=dict)
    """Styles of flow kinds. Fields that you leave out keep the value of the built-in kind."""

    _origin: "Recipe | None" = PrivateAttr(default=None)
    _said: "FigureModel | None" = PrivateAttr(default=None)
    _ladder: tuple[tuple[Any, ...], dict[str, Phase]] | None = PrivateAttr(default=None)
    _document: Any = PrivateAttr(default=None)
    """Source document of the figure, with the locations of its fields."""
    _form: Mapping[str, Any] = PrivateAttr(default_factory=dict)
    _layout_record: Any = PrivateAttr(default=None)

    def __eq__(self, other: object) -> bool:
        """Return whether both figures have equal fields, regardless of their sources."""
        if not isinstance(other, FigureModel):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def phase(self, name: str) -> Phase:
        """Return the style of a phase, by name."""
        if name in self.phases and name not in BUILT_IN_PHASES and needs_step(self.phases[name]):
            return self._compute_tonal_steps()[name]
        found = _look(name, BUILT_IN_PHASES, self.style.phases, self.phases)
        if self.language and name in BUILT_IN_PHASES and found.label == BUILT_IN_PHASES[name].label:
            return found.model_copy(update={"label": translate_word(found.label, self.language)})
        if name in BUILT_IN_PHASES or "label" in found.stated_fields():
            return found
        return found.model_copy(update={"label": name.replace("-", " ")})

    def _compute_tonal_steps(self) -> dict[str, Phase]:
        """Return the styles of the figure's own phases without a color.

        The result is cached for the same panels, style and phases.
        """
        state = (*self.panels, self.style, *self.phases, *self.phases.values())
        known = self._ladder[0] if self._ladder is not None else ()
        if self._ladder is None or len(known) != len(state) or any(map(is_not, known, state)):
            own = {name: look for name, look in self.phases.items() if name not in BUILT_IN_PHASES and needs_step(look)}
            shown = self._shown_phases() - own.keys()
            taken = [self.phase(name) for name in dict.fromkeys((*BUILT_IN_PHASES, *self.phases)) if name in shown]
            palettes = {name: self.style.colors(name) for name in PALETTES}
            self._ladder = state, take_steps(own, taken, palettes)
        return self._ladder[1]

    def _shown_phases(self) -> set[str]:
        return {"idle", *(name for _, _, part in self.parts(Content) for name, _ in part.phases())}

    def colors(self, palette: str) -> dict[str, str]:
        """Return the colors of a palette by name, with the colors of the house style and of the author."""
        parts = [part for _, _, part in self.parts(Content)]
        kinds = [
            self.kind(name).color for part in parts for name in dict.fromkeys(name for name, _ in part.flow_kinds())
        ]
        lined = {*kinds, *(color for part in parts for color in part.colors())}
        phases = {self.phase(name).color for name in (*self._shown_phases(), *(self.legend.entries or ()))}
        own = sorted(color for color in lined | phases if isinstance(color, OwnColor))
        return self.style.colors(palette) | {
            each: color_in(each, palette, filled=each in phases, lined=each in lined) for each in own
        }

    def kind(self, name: str) -> FlowKind:
        """Return the style of a flow kind, by name."""
        return _look(name, FLOW_KINDS, self.style.kinds, self.kinds)

    @property
    def owner_count(self) -> int:
        """Number of owners that the fills of the figure distinguish, with one ladder for every panel."""
        owners = [owner for _, _, part in self.parts(Content) for owner, _ in part.list_owners()]
        if self.color_by == "lane":
            owners += [part.count_lanes() - 1 for _, _, part in self.parts(Content)]
        elif self.color_by != "phase":
            owners.append(len(self.numbers_in_cells) - 1)
        return max(owners, default=-1) + 1

    @property
    def numbers_in_cells(self) -> list[int]:
        """Distinct numbers in the cells of all timelines, in order."""
        return sorted({number for _, _, part in self.parts(Content) for number in part.list_numbers()})

    @property
    def is_by_owner(self) -> bool:
        """Whether fills of timelines distinguish owners, not the shades of phases."""
        return self.color_by != "phase" or any(part.has_owned_spans for _, _, part in self.parts(Content))

    def parts(self, kind: type[_C]) -> Iterator[tuple[int, int, _C]]:
        """Yield all parts of a type, each with the index of its panel and its index in that panel."""
        for number, panel in enumerate(self.panels):
            for index, content in enumerate(panel.content):
                if isinstance(content, kind):
                    yield number, index, content

    @property
    def layout_record(self) -> "LayoutRecord | None":
        """Record of an earlier layout, whose layers the next one keeps; None without one."""
        found: LayoutRecord | None = self._layout_record
        return found

    def keep_layout(self, record: "LayoutRecord | None") -> Self:
        """Set the record whose layers the layout keeps. Return the figure."""
        self._layout_record = record
        return self

    @property
    def origin(self) -> "Recipe | None":
        """Recipe that this figure was made from, or None if the figure has changed since."""
        if self._origin is None:
            return None
        if self._said is None:
            # The figure itself is not a safe reference: parts are frozen, but lists in them can be changed in place.
            self._said = self._origin.to_figure()
        return self._origin if self._said.__dict__ == self.__dict__ else None

    def left_alone(self) -> Self:
        """Mark the figure as final, so that `origin` need not expand the recipe again. Return the figure."""
        self._said = self.model_copy()
        return self

    @property
    def abreast(self) -> int:
        """Number of panels in a row."""
        return self.columns or (1 if self.arrange == "column" else len(self.panels))

    @property
    def form(self) -> Mapping[str, Any]:
        """Choices that the width made at the layout of the figure: recipe parameters, directions, columns."""
        return self._form

    def refs(self) -> dict[str, Content]:
        """Return the names that links and slides may use, each with the content that has it."""
        several = len(self.panels) > 1
        return {
            f"{panel.id}.{name}" if several else name: content
            for panel in self.panels
            for content in panel.content
            for name, _ in content.named_parts()
        }

    @model_validator(mode="after")
    def _check_references(self) -> Self:
        named = ((panel.id, ("panels", index, "id")) for index, panel in enumerate(self.panels))
        check_distinct(named, "give each panel its own id")
        known = self.refs() if self.links or self.slides else {}
        for index, link in enumerate(self.links):
            for field in ("source", "target"):
                require_address(getattr(link, field), known, "links", index, field)
            if link.source == link.target:
                fail("a link from a part to itself", "links", index, hint="remove it")
        self._check_styles()
        self._check_looks()
        self._check_slides(known)
        if self.color_by not in ("phase", "lane") and not any(
            part.list_numbers() for _, _, part in self.parts(Content)
        ):
            fail(f"no span has a number to be a {self.color_by}", "color_by", hint="use lane, or leave it out")
        return self

    def _check_slides(self, known: Mapping[str, Content]) -> None:
        """Check that the names in slides exist, and that there are parts to step through."""
        slides = self.slides
        if slides is None:
            return
        for group, names in slides.groups.items():
            for place, name in enumerate(names):
                require_address(name, known, "slides", "groups", group, place)
        parts = [part for _, _, part in self.parts(Content)]
        many = len({moment for part in parts for moment in part.starts()})
        if slides.by == "time" and not slides.at and many > MOST_SLIDES_COUNT:
            hint = "list the times: slides: {by: time, at: [10, 20]}"
            fail(f"spans begin at {many} times; at most {MOST_SLIDES_COUNT} slides are possible", "slides", hint=hint)
        lacking = {
            "time": (not any(part.starts() for part in parts), "no timeline has spans"),
            "microbatch": (not any(part.list_numbers() for part in parts), "no span has a number"),
            "flows": (not any(part.steps() for part in parts), "no flow has a step"),
            "panels": (len(self.panels) < 2, "there is one panel"),
        }
        lacks, reason = lacking.get(slides.by, (False, ""))
        if lacks:
            hint = "use another: time, microbatch, flows, panels or groups"
            fail(f"{reason}, by which slides could go", "slides", hint=hint)

    def _check_styles(self) -> None:
        """Check that phases and flow kinds have distinct TikZ styles, which hide no keys of TikZ."""
        for name in self.phases:
            if name in RESERVED_PHASES:
                message = f"{quote(name + ' phase')} is a key of TikZ"
                fail(message, "phases", name, hint="choose another name for the phase")
        owners: dict[str, list[str]] = {}
        for name in {**FLOW_KINDS, **self.kinds}:
            owners.setdefault(self.kind(name).tikz_style(name), []).append(name)
        for style, names in owners.items():
            own = [name for name in names if name in self.kinds]
            if len(names) > 1:
                other = next(name for name in names if name != own[-1])
                message = f"the kinds {quote(other)} and {quote(own[-1])} would share the style {quote(style)}"
                field = ("style",) if "style" in self.kinds[own[-1]].stated_fields() else ()
                fail(message, "kinds", own[-1], *field, hint="give each kind a different style")

    def _check_looks(self) -> None:
        phases, kinds = {*BUILT_IN_PHASES, *self.phases}, {*FLOW_KINDS, *self.kinds}
        for index, place, content in self.parts(Content):
            words = (
                ("phase", content.phases(), phases, "phases"),
                ("kind of flow", content.flow_kinds(), kinds, "kinds"),
            )
            for what, found, known, own in words:
                for name, steps in found:
                    require(name, known, "panels", index, "content", place, *steps, what=what, own=own)
        parts = [content for _, _, content in self.parts(Content)]
        shown = {name for part in parts for name in (*part.legend_names(), *(kind for kind, _ in part.flow_kinds()))}
        shown |= {str(owner) for part in parts for owner, _ in part.list_owners()}
        for name in self.legend.texts:
            require(name, shown, "legend", "texts", name, what="role, kind, step, state or owner")
        for index, entry in enumerate(self.legend.entries or ()):
            require(entry, phases, "legend", "entries", index, what="phase", own="phases")


def has_address(ref: str, known: Mapping[str, Content]) -> bool:
    """Return whether a reference of a link or a slide names something; `known` maps names to their content."""
    address = read_address(ref)
    return address.name in known and known[address.name].resolve(address.inside) is None


def require_address(ref: str, known: Mapping[str, Content], *path: str | int) -> None:
    """Raise an error for a reference to nothing; `known` maps names to the content that has them."""
    address = read_address(ref)
    require(address.name, known, *path)
    if reason := known[address.name].resolve(address.inside):
        fail(reason.message, *path, hint=reason.hint)


def _look(name: str, built_in: Mapping[str, _L], house: Mapping[str, _L], own: Mapping[str, _L]) -> _L:
    """Return a style: the figure's fields override the house style, which overrides the built-in style."""
    base = house[name].over(built_in[name]) if name in house else built_in.get(name)
    return own[name].over(base) if name in own else base or built_in[name]


class Recipe(Options):
    """Base class of recipes: parameters from which `expand` makes a figure.

    A `FigureModel` can express the result of every recipe.
    """

    counts: ClassVar[str] = ""
    """Name of the parameter that contains the number of workers or devices."""
    counted_ids: ClassVar[str] = ""
    """Prefix of the ids of these workers, if the figure also has other workers."""
    schedule_facts: ClassVar[tuple[str, ...]] = ()
    """Parameters from which the recipe computes its times."""
    bound_devices: ClassVar[bool] = False
    """Whether the devices wait for each other, so that only the last one can be removed."""
    texts: ClassVar[tuple[str, ...]] = ("title", "labels")
    """Parameters that are labels or contain labels."""

    _kept: dict[str, tuple[dict[str, Any], Any]] = PrivateAttr(default_factory=dict)
    _records_fields: bool = PrivateAttr(default=False)

    def model_post_init(self, context: Any, /) -> None:
        """Share the results of an earlier version of the recipe, the context of the validation."""
        if context is not None and type(context) is type(self):
            self._kept = context._kept

    @model_validator(mode="after")
    def _has_a_common_measure(self) -> Self:
        """Check that the times have a common measure, except for measured times (`reading`), which are in ms."""
        fields = ((name, value) for name, value in self.__dict__.items() if name != "reading")
        check_common_measure(each for name, value in fields for each in times_in(value, name))
        return self

    @abstractmethod
    def expand(self) -> FigureModel:
        """Return the figure that these parameters describe."""

    def collect_common_options(self) -> dict[str, Any]:
        """Return the options that the recipe passes on to its figure unchanged."""
        return {field.alias or name: getattr(self, name) for name, field in Options.model_fields.items()}

    def figure_of(self, content: Any, **more: Any) -> FigureModel:
        """Return a figure of one panel with its options."""
        return FigureModel(panels=[Panel(content=[content])], **more, **self.collect_common_options())

    @abstractmethod
    def summary(self) -> str:
        """Return the subject of its figure, without a period."""

    def list_derivations(self) -> list[str]:
        """List the derivations that the figure's description states and its title does not."""
        return []

    def list_assumptions(self) -> list[str]:
        """List assumptions about ambiguous parameters; `render` warns of each."""
        return []

    def to_figure(self, *, strict: bool = True) -> FigureModel:
        """Expand to a figure with the overrides; unused overrides are an error if `strict`, else ignored."""
        return self.with_fields().expand()

    def with_fields(self) -> Self:
        """Return a copy whose labels record their fields, so that labels of the figure name their origin."""
        held = {name: getattr(self, name, None) for name in self.texts}
        found = self.model_copy(update={name: _with_fields(value, (name,)) for name, value in held.items() if value})
        found._records_fields = True
        return found

    def compute_once(self, what: str, make: Callable[[], _T], *, apart_from: Collection[str] = ()) -> _T:
        """Compute a result of the parameters once, for this recipe and for its copies and later versions.

        Other parameters compute it again. The result does not depend on the parameters `apart_from`.
        """
        facts = {name: value for name, value in self.__dict__.items() if name not in apart_from}
        known = self._kept.get(what)
        if known is None or known[0] != facts:
            known = self._kept[what] = facts, make()
        found: _T = known[1]
        return found

    @property
    def changed_parts(self) -> bool:
        """Whether the figure has other parts than the parameters describe."""
        return False

    def iterate_narrower(self) -> Iterator["Recipe"]:
        """Yield variants of the recipe that need less width, in the order in which to try them."""
        yield from ()

    def make_figure_with_origin(self) -> FigureModel:
        """Return the figure with a reference to its recipe, so that its file can contain the short form."""
        figure = self.to_figure()
        figure._origin = self
        return figure


def _with_fields(value: Any, field: tuple[str | int, ...]) -> Any:
    if isinstance(value, str):
        return with_field(value, field)
    if isinstance(value, list):
        return [_with_fields(one, (*field, place)) for place, one in enumerate(value)]
    if isinstance(value, dict):
        return {name: _with_fields(one, (*field, name)) for name, one in value.items()}
    if not isinstance(value, Part):
        return value
    names = type(value).model_fields
    return value.model_copy(update={name: _with_fields(getattr(value, name), (*field, name)) for name in names})
