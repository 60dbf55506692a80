"""Contracts for programs: constraints on operations that the source of a figure does not show.

A contract is the file `fig.contract.json` next to `fig.tex`, or a packaged one. These models define all of its fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tikzgen.base.errors import EditRefused, read_error
from tikzgen.base.read_files import read_bounded
from tikzgen.layout.scene import spell_identifier
from tikzgen.texfile import Facts, NodePosition, parse_sum

_FOLDER = Path(__file__).parent / "contracts"


Check = Literal["name-pattern", "distinct-colors", "member-flows", "member-lists", "centered", "fixed-names"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Marks(_Part):
    """Macros (with backslash) and styles that a figure must have for the contract to apply."""

    macros: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


class ParameterBounds(_Part):
    """Bounds of a parameter, in its unit, within which no parts overlap.

    `multiples` are further lower bounds: shares of other parameters, by macro.
    """

    least: float | None = None
    most: float | None = None
    multiples: dict[str, float] = {}

    def find_least(self, values: Mapping[str, float]) -> float | None:
        """Return the lower bound for these values of the parameters, by macro."""
        shares = [share * values[macro] for macro, share in self.multiples.items() if macro in values]
        return max((each for each in (self.least, *shares) if each is not None), default=None)


class FamilyFlow(_Part):
    """A flow that every member has; `ports` is the anchor of the other end, by the member's number."""

    style: str
    towards: Literal["member", "away"]
    ports: dict[str, str] = {}


class Family(_Part):
    r"""A counted family of nodes: names, labels, positions, flows.

    `names` contains {n}, the member's number; so do `companions`, other nodes of a member. `label` contains {word} or
    {letter}: that number as a word or as a letter. In the layout `centered`, members are `step` apart, from top to
    bottom, half of them above 0, in one `column`. In the layout `shifted`, the option `shift` of a member is `step`
    times its distance from the member number `middle`, and only the last member is removed. In the layout `derived`,
    tikzgen places the members.
    """

    names: str = Field(pattern=r"^[A-Za-z0-9-]*\{n\}$")
    least: int = Field(default=1, ge=1)
    most: int = Field(default=20, le=512)
    label: str
    text: str
    companions: tuple[str, ...] = ()
    layout: Literal["centered", "shifted", "derived"] = "centered"
    column: str = ""
    step: str = ""
    shift: str = "yshift"
    middle: int = 1
    flows: tuple[FamilyFlow, ...] = ()

    def read_number(self, name: str) -> int | None:
        """Return the number of the member with this name; None for another node."""
        found = re.fullmatch(re.escape(self.names).replace(r"\{n\}", "(0|[1-9][0-9]{0,2})"), name)
        return int(found[1]) if found else None

    def spell(self, text: str, number: int) -> str:
        """Fill in the number of a member, as a digit, a word or a letter."""
        word = spell_identifier(str(number))
        letter = chr(96 + number) if number <= 26 else word
        return text.replace("{n}", str(number)).replace("{word}", word).replace("{letter}", letter)

    def read_row(self, place: NodePosition) -> Fraction | None:
        """Return the number of steps from the middle of the column up to a position; None outside of its rows."""
        step = next(iter(parse_sum(self.step) or {}), "")
        row = place.y.get(step, Fraction(0))
        is_row = (
            self.column and place.x == parse_sum(self.column) and not {*place.y} - {step} and (2 * row).denominator == 1
        )
        return row if is_row else None

    def find_flow(self, style: str, *, to_member: bool) -> FamilyFlow | None:
        """Return the row of a flow of a style that leads to a member or away from it."""
        towards = "member" if to_member else "away"
        return next((each for each in self.flows if (each.style, each.towards) == (style, towards)), None)


class ContractPlace(_Part):
    r"""A position: sums of numbers and macros.

    `\top` and `\bottom` are the heights of the first and of the last member.
    """

    x: str
    y: str


class Follower(_Part):
    """A label that depends on the number of members, identified by its text.

    `place` is its position, `key` the key of its options that places it; {node} is any node. `exact` and
    `keys` override them for some numbers of members. `color_of` is the style whose color the label has.
    """

    text: str
    place: ContractPlace | None = None
    exact: dict[str, ContractPlace] = {}
    key: str = ""
    keys: dict[str, str] = {}
    color_of: str = ""


class Flows(_Part):
    """Form of a flow.

    `line` has {style}, {source}, {target}, {out}, {in} and {label}; `label` has {macro}. `kinds` gives the style of a
    kind. With `stages`, nodes from left to right, a flow joins neighboring stages only. Flows from nodes of the styles
    `labeled` have labels.
    """

    labeled: tuple[str, ...] = ()
    stages: tuple[tuple[str, ...], ...] = ()
    kinds: dict[str, str] = {}
    line: str
    label: str = ""


class Components(_Part):
    """Form of a new node.

    `node` has {style}, {place}, {name} and {label}; `place` has {node}, the last added node or `start`. `shapes` gives
    the styles of a shape; the first one is the default.
    """

    start: str
    place: str
    node: str
    shapes: dict[str, str]


class Paint(_Part):
    """A part whose color is in the statement `number` of a style, as with a shape drawn as a path."""

    part: str
    style: str
    number: int = Field(ge=1)


class Contract(_Part):
    """The edit contract of one figure, for programs.

    `carried` are labels that one flow of a family carries for all. `lists` have equal lengths, and no list is empty.
    `fits` are the frames whose members may change. `fixed` are names that stay. `labels` gives the macro of a node's
    label that the source does not show. The styles in one entry of `distinct` have distinct colors. `says` states
    rules for users; `prose` states why an operation is not possible.
    """

    contract: Literal[2]
    figure: str
    json_schema: str = Field(default="", alias="$schema")
    marks: Marks = Marks()
    parameters: dict[str, ParameterBounds] = {}
    families: tuple[Family, ...] = ()
    followers: tuple[Follower, ...] = ()
    carried: tuple[str, ...] = ()
    flows: Flows | None = None
    components: Components | None = None
    paints: tuple[Paint, ...] = ()
    lists: tuple[tuple[str, ...], ...] = ()
    fits: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    distinct: tuple[tuple[str, ...], ...] = ()
    says: dict[Check, str] = {}
    prose: dict[str, str] = {}


def find_contract(path: Path | None, facts: Facts) -> tuple[str, Contract] | None:
    """Return the name and the contract of a figure: `fig.contract.json` next to it, or a packaged one, or None.

    Raise `FileRefused` or `EditRefused` for a file that cannot be used. A packaged contract applies if the figure
    defines its marks. The hash of the figure is not compared: a figure keeps its contract after an edit.
    """
    beside = path.with_name(path.name.removesuffix(".tex") + ".contract.json") if path else None
    if beside is not None and beside.is_file():
        try:
            return beside.name, read_contract(read_bounded(beside))
        except OSError as error:
            raise read_error(beside, error) from None
    macros = {each.name for each in facts.definitions}
    styles = {each.name for each in facts.styles}
    for contract in list_packaged_contracts():
        if macros.issuperset(contract.marks.macros) and styles.issuperset(contract.marks.styles):
            return f"{contract.figure}.contract.json", contract
    return None


@cache
def list_packaged_contracts() -> tuple[Contract, ...]:
    """Return the contracts of the package."""
    return tuple(read_contract(path.read_bytes()) for path in sorted(_FOLDER.glob("*.contract.json")))


def read_contract(data: str | bytes) -> Contract:
    """Read a contract; raise `EditRefused` if it is invalid."""
    try:
        return Contract.model_validate_json(data)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"])) or "the contract"
        raise EditRefused("contract-invalid", f"{where}: {problem['msg'][:1].lower()}{problem['msg'][1:]}") from None
