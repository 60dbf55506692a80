"""Mixture of experts: a router sends each token to a few experts, and their outputs are combined."""

from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part, fail
from tikzgen.model.topology import AnyEntity, Bar, Flow, Levels, Node, Topology, Worker
from tikzgen.recipe.few_of_many import Many, drawn_of, make_few_nodes
from tikzgen.text import Numbered, Text, fill_number


class MoeLabels(Part):
    """Labels of a mixture of experts."""

    tokens: Text = "tokens"
    """Label of the input."""
    router: Text = "router"
    """Label of the router; a second line shows the number of experts per token."""
    expert: Numbered = "expert {n}"
    """Label of each expert; `{n}` is its number."""
    combine: Text = "$+$"
    """Label of the node that combines the outputs of the experts."""
    output: Text = "output"
    """Label of the output."""
    dispatch: Text = "dispatch"
    """Label of the flow from the router."""
    weights: Text = "$g_i$"
    """Label of the flow from the experts."""


class Moe(EditableRecipe):
    """A mixture of experts, with the experts that one token goes to."""

    field_group = "system"
    field_groups = ("display: most",)
    common = ("experts: 4", "top: 2")

    counts = "experts"

    recipe: Literal["moe"] = "moe"
    """Name of the recipe."""
    id: Slug = "moe"
    experts: Many = 4
    """Number of experts."""
    top: int | None = Field(default=None, ge=1, le=64)
    """Number of experts per token; the other experts are gray. Null is 2, or 1 if there is a single expert."""
    most: int = Field(default=4, ge=2, le=8)
    """Maximum number of drawn experts; dots replace the rest."""
    labels: MoeLabels = Field(default_factory=MoeLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        return f"A mixture of {count_of(self.experts, 'expert')}, of which each token goes to {self.experts_per_token}"

    @property
    def experts_per_token(self) -> int:
        """Number of experts for each token."""
        return self.top or min(2, self.experts)

    @model_validator(mode="after")
    def _check_top(self) -> Self:
        if self.top is not None and self.top > self.experts:
            fail(f"a token cannot go to {self.top} of {self.experts} experts", "top", hint=f"at most {self.experts}")
        return self

    def expand(self) -> FigureModel:
        """Return a figure from the tokens through the router and the experts to the output."""
        texts = self.labels

        drawn = [f"e{number}" for number in drawn_of(self.experts, self.most) if number is not None]
        # spread out, because the choice of experts does not follow their order
        top = min(self.experts_per_token, len(drawn))
        chosen = [drawn[(2 * index + 1) * len(drawn) // (2 * top)] for index in range(top)]

        def make_expert(number: int, name: str) -> AnyEntity:
            label, color = fill_number(texts.expert, number), "otteal" if name in chosen else "otgray"
            return Worker(id=name, label=label, icon=None, shape="rounded", color=color)

        experts = make_few_nodes("e", self.experts, make_expert, self.most)
        nodes: list[AnyEntity] = [
            Node(id="tokens", label=texts.tokens, shape="text"),
            Node(
                id="router",
                label=texts.router,
                sublabel=f"top {self.experts_per_token} of {self.experts}",
                color="otorange",
            ),
            *experts,
            Node(id="combine", label=texts.combine, shape="circle", color="otpurple"),
            Node(id="output", label=texts.output, shape="text"),
        ]
        flows = [
            Flow(source="tokens", target="router"),
            *(
                Flow(source="router", target=name, kind="activation", label="" if index else texts.dispatch)
                for index, name in enumerate(chosen)
            ),
            *(
                Flow(source=name, target="combine", kind="weight", label="" if index else texts.weights)
                for index, name in enumerate(chosen)
            ),
            Flow(source="combine", target="output"),
        ]
        column = [node.id for node in experts]
        levels = Levels(levels=[["tokens"], Bar(span="router"), column, ["combine"], ["output"]], direction="auto")
        return self.figure_of(Topology(nodes=nodes, flows=flows, layout=levels))
