"""What an operation must know of a figure beyond its source: `fig.contract.json` beside `fig.tex`, or one of ours.

The words that a contract may use are those of these models, no others.
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
    """The file of a figure's contract: `fig.contract.json` beside it, or a packaged one; None without one."""
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
    """What a figure must have for the contract to be its own; macros with their backslash."""

    macros: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


class ParameterBounds(_Part):
    """Which values of a parameter leave everything clear of everything, in the parameter's unit."""

    least: float | None = None
    most: float | None = None


class WorkerFlow(_Part):
    """A flow that every worker has; `towards` tells whether it comes in or goes out."""

    style: str
    towards: Literal["worker", "away"]


class WorkersOfContract(_Part):
    r"""How workers are named, labelled and placed.

    `names` holds {n}, the worker's number; `label` holds {word}, that number in words; `x` and `step` are sums such as
    `1.5*\colsep`. The rule `centred`: the workers stand at x, from top to bottom, `step` apart, half of them above 0.
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
    r"""Where something stands: sums of numbers and macros.

    `\top` and `\bottom` are the heights of the first and of the last worker.
    """

    x: str
    y: str


class Follower(_Part):
    """A node that stands where the workers leave room, found by the macro that is its text.

    `place` is where, `exact` where it stands for some numbers of workers. `color_of` is the style whose colour the
    text has.
    """

    text: str
    place: ContractPlace
    exact: dict[str, ContractPlace] = {}
    color_of: str = ""


class Carried(_Part):
    """A label on the flow of the middle worker; `odd` and `even` are the key that puts it beside the line."""

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
    """Between which nodes a flow may be drawn: stages from left to right, those of workers as their name pattern.

    `label` are the keys of the node that labels a new flow.
    """

    stages: tuple[tuple[str, ...], ...]
    label: str


class Invariant(_Part):
    """A rule that every operation keeps; `says` is the sentence that people read."""

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

    def says(self, check: Check) -> str:
        """The sentence of an invariant."""
        return next((each.says for each in self.invariants if each.check == check), "")


def read_contract(data: str | bytes) -> Contract:
    """Read a contract; `EditRefused` says what is wrong with it."""
    try:
        return Contract.model_validate_json(data)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"])) or "the contract"
        raise EditRefused("contract-invalid", f"{where}: {problem['msg'][:1].lower()}{problem['msg'][1:]}") from None
