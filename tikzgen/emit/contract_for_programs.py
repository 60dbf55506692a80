"""Contracts for programs: constraints on operations that the source of a figure does not show.

A contract is the file `fig.contract.json` next to `fig.tex`, or a packaged one. These models define all of its fields.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tikzgen.base.errors import EditRefused
from tikzgen.texfile import Facts

_FOLDER = Path(__file__).parent / "contracts"


def contract_file(path: Path | None, facts: Facts) -> Path | None:
    """Return the path of a figure's contract: `fig.contract.json` next to it, or a packaged one, or None."""
    return _contract_beside(path) or _find_packaged(facts)


def _contract_beside(path: Path | None) -> Path | None:
    if path is None:
        return None
    beside = path.with_name(path.name.removesuffix(".tex") + ".contract.json")
    return beside if beside.is_file() else None


def _find_packaged(facts: Facts) -> Path | None:
    """Return the first packaged contract whose macros and styles the figure defines.

    The hash of the file is not compared: a figure keeps its contract after an edit.
    """
    macros = {each.name for each in facts.definitions}
    styles = {each.name for each in facts.styles}
    for path in sorted(_FOLDER.glob("*.contract.json")):
        marks = json.loads(path.read_bytes())["marks"]
        if macros.issuperset(marks["macros"]) and styles.issuperset(marks["styles"]):
            return path
    return None


Check = Literal["name-pattern", "distinct-colors", "worker-flows", "worker-lists", "centred"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Marks(_Part):
    """Macros (with backslash) and styles that a figure must have for the contract to apply."""

    macros: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


class ParameterBounds(_Part):
    """Bounds of a parameter, in its unit, within which no parts overlap."""

    least: float | None = None
    most: float | None = None


class WorkerFlow(_Part):
    """A flow that every worker has; `towards` is its direction."""

    style: str
    towards: Literal["worker", "away"]


class WorkersOfContract(_Part):
    r"""Names, labels and positions of the workers.

    `names` contains {n}, the worker's number. `label` contains {word}, that number as a word. `x` and `step` are sums
    such as `1.5*\colsep`. In the layout `centred`, workers are at x, from top to bottom, `step` apart, half of them
    above 0.
    """

    names: str = Field(pattern=r"^[a-z-]*\{n\}$")
    least: int = Field(default=1, ge=1)
    most: int = Field(default=20, le=20)
    label: str
    text: str
    layout: Literal["centred"] = "centred"
    x: str
    step: str
    flows: tuple[WorkerFlow, ...] = ()


class ContractPlace(_Part):
    r"""A position: sums of numbers and macros.

    `\top` and `\bottom` are the heights of the first and of the last worker.
    """

    x: str
    y: str


class Follower(_Part):
    """A node whose position depends on the workers, identified by the macro of its label.

    `place` is its position; `exact` overrides it for some numbers of workers. `color_of` is the style whose color the
    label has.
    """

    text: str
    place: ContractPlace
    exact: dict[str, ContractPlace] = {}
    color_of: str = ""


class Carried(_Part):
    """A label on the flow of the middle worker; `odd` and `even` are its keys, by the number of workers."""

    text: str
    odd: str
    even: str


class Crowded(_Part):
    """The label of a node that many flows reach: `few` is its key up to `most` workers, `many` beyond.

    Both hold {node}, the node's name.
    """

    text: str
    most: int
    few: str
    many: str


class Flows(_Part):
    """Stages of nodes from left to right, between which a flow is allowed; workers as their name pattern.

    `label` has the keys of the node that labels a new flow.
    """

    stages: tuple[tuple[str, ...], ...]
    label: str


class Invariant(_Part):
    """A rule that every operation keeps; `says` states it for users."""

    check: Check
    styles: tuple[str, ...] = ()
    says: str


class Contract(_Part):
    """The edit contract of one figure, for programs."""

    contract: Literal[1]
    figure: str
    json_schema: str = Field(default="", alias="$schema")
    marks: Marks = Marks()
    parameters: dict[str, ParameterBounds] = {}
    workers: WorkersOfContract | None = None
    followers: tuple[Follower, ...] = ()
    carried: tuple[Carried, ...] = ()
    crowded: tuple[Crowded, ...] = ()
    flows: Flows | None = None
    invariants: tuple[Invariant, ...] = ()

    def find_sentence(self, check: Check) -> str:
        """Return the sentence of an invariant, or an empty string."""
        return next((each.says for each in self.invariants if each.check == check), "")


def read_contract(data: str | bytes) -> Contract:
    """Read a contract; raise `EditRefused` if it is invalid."""
    try:
        return Contract.model_validate_json(data)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"])) or "the contract"
        raise EditRefused("contract-invalid", f"{where}: {problem['msg'][:1].lower()}{problem['msg'][1:]}") from None
