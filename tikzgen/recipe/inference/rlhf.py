"""Reinforcement learning from feedback: a pool generates answers, models judge them, a trainer learns."""

from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import FlowKind
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.model.topology import AnyEntity, Auto, Flow, Group, Node, Server, Topology, Worker
from tikzgen.recipe.few_of_many import Maker, Many, make_few_nodes
from tikzgen.text import Numbered, Text, fill_number


class RlhfLabels(Part):
    """Labels of a reinforcement-learning system with feedback."""

    prompts: Text = "Prompts"
    """Label of the data source."""
    pool: Text = "Rollout workers"
    """Label of the group of rollout workers."""
    trainers: Text = "Trainers"
    """Label of the group of trainers."""
    rollout: Numbered = "Rollout {n}"
    """Label of each rollout worker; `{n}` is its number."""
    trainer: Numbered = "Trainer {n}"
    """Label of each trainer; `{n}` is its number."""
    buffer: Text = "Buffer"
    """Label of the buffer, which stores answers until training."""
    reward: Text = "Reward model"
    """Label of the model that scores answers."""
    reference: Text = "Reference policy"
    """Label of the frozen policy to which the new policy stays close."""
    answers: Text = "answers"
    """Label of the flow of answers."""
    rewards: Text = "rewards"
    """Label of the flow of rewards."""
    logits: Text = "log-probs"
    """Label of the flow of log-probabilities from the reference policy."""
    batches: Text = "batches"
    """Label of the flow of training batches."""
    weights: Text = "new weights"
    """Label of the flow of new weights to the rollout workers."""


class Rlhf(EditableRecipe):
    """Reinforcement learning from feedback: rollout pool, buffer, reward model, trainers."""

    field_group = "system"
    field_groups = ("display: most",)
    common = ("rollouts: 2", "trainers: 2", "reference")

    counts = "rollouts"
    counted_ids = "r"

    recipe: Literal["rlhf"] = "rlhf"
    """Name of the recipe."""
    id: Slug = "rlhf"
    rollouts: Many = 2
    """Number of workers that generate answers."""
    trainers: Many = 2
    """Number of workers that train."""
    most: int = Field(default=3, ge=2, le=16)
    """Maximum number of drawn workers per pool; dots replace the rest."""
    reference: bool = True
    """Whether there is a reference policy, as in PPO and GRPO."""
    labels: RlhfLabels = Field(default_factory=RlhfLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        who = f"{count_of(self.rollouts, 'rollout worker')}, {count_of(self.trainers, 'trainer')}"
        return f"Reinforcement learning from feedback: {who}, a buffer and a reward model"

    def expand(self) -> FigureModel:
        """Return a figure of a cycle: prompts, answers, rewards, training, and the new weights."""
        texts = self.labels
        rollouts = make_few_nodes("r", self.rollouts, _make_worker_maker(texts.rollout), self.most)
        trainers = make_few_nodes("t", self.trainers, _make_worker_maker(texts.trainer), self.most)
        nodes: list[AnyEntity] = [
            Node(id="prompts", label=texts.prompts, icon="dataset"),
            *rollouts,
            Server(id="reward", label=texts.reward, icon="model"),
            Server(id="buffer", label=texts.buffer, icon="queue"),
            *trainers,
        ]
        flows = [
            Flow(source="prompts", target="pool"),
            Flow(source="pool", target="buffer", kind="activation", label=texts.answers),
            Flow(source="buffer", target="reward", kind="activation"),
            Flow(source="reward", target="buffer", kind="reward", label=texts.rewards),
            Flow(source="buffer", target="trainers", label=texts.batches),
            Flow(source="trainers", target="pool", kind="weight", label=texts.weights),
        ]
        if self.reference:
            nodes.insert(-len(trainers), Server(id="reference", label=texts.reference, icon="model", color="otgray"))
            flows.append(Flow(source="reference", target="buffer", kind="activation", label=texts.logits))
        groups = [
            Group(id="pool", label=texts.pool, members=[node.id for node in rollouts]),
            Group(id="trainers", label=texts.trainers, members=[node.id for node in trainers]),
        ]
        topology = Topology(nodes=nodes, flows=flows, groups=groups, layout=Auto(keep=[one.members for one in groups]))
        return self.figure_of(topology, kinds={"reward": FlowKind(color="otpurple")})


def _make_worker_maker(text: str) -> Maker:
    return lambda number, name: Worker(id=name, label=fill_number(text, number))
