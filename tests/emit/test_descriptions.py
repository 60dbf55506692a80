"""What a figure says to somebody who does not see it: true of the model, short, plain, and the same each time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, ROOT, at_once, scaled
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from strategies import figures

from tikzgen import Figure, Flow, Node, Panel, SpecError, Topology, load, loads, metrics, recipes, render
from tikzgen.api import make_figure
from tikzgen.edit.find_words import find_words
from tikzgen.emit.describe_figure import make_about
from tikzgen.emit.fit_sentences import DESCRIPTION_CHARS, fit_sentences, shorten_text
from tikzgen.layout import choose_form
from tikzgen.model.about import About
from tikzgen.model.topology.flow_products import split_into_products
from tikzgen.recipe.recipe_names import NAMES, NEEDS
from tikzgen.spec.embedded_spec import extract_spec, recorded_words
from tikzgen.text import Tex
from tikzgen.text.spoken_labels import label_to_unicode

CASES = ROOT / "tests/cases/describe"
SPOKEN = YAML(typ="safe").load((CASES / "spoken.yaml").read_text("utf-8"))
DRAWN = [path for path in sorted(CASES.glob("*.yaml")) if path.stem not in ("spoken", "sentences")]
SENTENCES = YAML(typ="safe").load((CASES / "sentences.yaml").read_text("utf-8"))
MARKED = sorted((ROOT / "tests/cases").glob("[mt]*s/*.yaml"))


def unsaid(figure: Figure) -> Figure:
    """The figure without what its author says of it."""
    meta = figure.meta.model_copy(update={"name": "", "description": ""})
    if figure.origin:
        return figure.origin.model_copy(update={"meta": meta}).make_figure_with_origin()
    return figure.model_copy(update={"meta": meta})


@pytest.mark.parametrize(("text", "words"), SPOKEN, ids=[str(words) for _, words in SPOKEN])
def test_labels_are_plain_text(text: str | dict[str, str], words: str) -> None:
    assert label_to_unicode(Tex(text["tex"]) if isinstance(text, dict) else text) == words


@at_once
@pytest.mark.parametrize("case", SENTENCES)
def test_what_a_figure_without_words_is_told_as(case: dict[str, Any]) -> None:
    words = make_about(loads(json.dumps(case["spec"])))
    assert ": ".join(filter(None, (words.title, words.description))) == case["told"]


@pytest.mark.slow
def test_every_figure_is_told(golden: Callable[[Path, str], None]) -> None:
    told = []
    for path in [*EXAMPLES, *DRAWN, *MARKED]:
        words = make_about(choose_form(unsaid(load(path))))
        told += [f"# {path.parent.name}/{path.name}", words.title, words.description, ""]
    golden(CASES / "told.txt", "\n".join(told))


def said_pairs(text: str) -> tuple[set[tuple[str, str]], int]:
    """The flows that `data …` claims, as pairs of names, and how many more it counts without names."""
    if found := re.fullmatch(r"data (among|in a ring of|between) ([^:]*)", text):
        who = "".join(re.findall(r"\b[A-D]\b", found[2]))
        if found[1] == "in a ring of":
            return set(zip(who, who[1:] + who[:1], strict=True)), 0
        return {(one, other) for one in who for other in who if one != other}, 0
    pairs = set()
    for sources, targets in re.findall(r"from ([A-D](?:(?:, | and )[A-D])*) to ([A-D](?:(?:, | and )[A-D])*)", text):
        pairs |= set(product(re.findall("[A-D]", sources), re.findall("[A-D]", targets)))
    more = re.search(r"(\d+) more flows?$", text)
    return pairs, int(more[1]) if more else 0


@settings(max_examples=scaled(2000))
@given(st.sets(st.sampled_from(list(permutations("ABCD", 2))), min_size=1), st.booleans())
def test_flows_that_are_told_are_the_flows(pairs: set[tuple[str, str]], reverse: bool) -> None:
    ends = [(b, a, "backward") if reverse and n % 2 else (a, b, "forward") for n, (a, b) in enumerate(sorted(pairs))]
    nodes = [Node(id=name.lower(), label=name) for name in "ABCD"]
    flows = [Flow(source=a.lower(), target=b.lower(), direction=way, kind="data") for a, b, way in ends]
    description = Figure(panels=[Panel(content=[Topology(nodes=nodes, flows=flows)])]).description
    found, more = said_pairs(description.partition("Flows: ")[2].rstrip("."))
    assert found <= pairs
    assert len(found) + more == len(pairs)


@given(st.lists(st.tuples(st.integers(0, 7).map(str), st.integers(0, 7).map(str)), max_size=40))
def test_products_have_each_pair_once(pairs: list[tuple[str, str]]) -> None:
    found = [pair for sources, targets in split_into_products(pairs) for pair in product(sources, targets)]
    assert sorted(found) == sorted(set(pairs))


def test_a_claim_leaves_room_for_the_structure() -> None:
    figure = recipes.data_parallel(meta={"description": "claim " * 300})
    assert figure.description.startswith("claim claim")
    assert "Data-parallel training" in figure.description
    assert len(figure.description) < 1800 + 202
    short = recipes.data_parallel(meta={"description": "It is fast"}).description
    assert short.startswith("It is fast. Data-parallel training")
    assert len(short) <= DESCRIPTION_CHARS


def test_whole_sentences_are_left_out_and_the_rest_is_announced() -> None:
    arrays = [
        {"id": f"a{place}", "label": f"state {place} " + "of the ranks " * 5, "size": [4, 4]} for place in range(4)
    ]
    content = {"type": "cells", "arrays": [{**one, "fill": "aabb\nccdd\naabb\nccdd"} for one in arrays]}
    told = Figure.model_validate({"panels": [{"content": content}]}).description
    assert len(told) <= DESCRIPTION_CHARS
    assert "…" not in told
    assert told.endswith(". The figure has more parts.")
    assert fit_sentences(lambda _: ["one two", "three four " * 4, "five"], 40) == "one two. The figure has more parts."
    assert (
        fit_sentences(lambda _: ["one: (two; 2); three", "four " * 9], 50)
        == "one: (two; 2); three. The figure has more parts."
    )
    assert fit_sentences(lambda _: ["one: (two; 2); three"], 45) == "one: (two; 2); three."
    assert fit_sentences(lambda _: ["one: (two; 2); three" * 9], 45) == "one: (two; 2). The figure has more parts."


def test_a_description_that_fits_has_all_labels_of_cells_in_a_sentence_of_their_own() -> None:
    content = {"type": "cells", "arrays": [{"id": "a", "values": [["x", "y"]]}]}
    told = Figure.model_validate({"panels": [{"content": content}]}).description
    assert told == "Array a, 1 by 2. Array a contains x y."


def is_plain(text: str) -> bool:
    return text.isprintable() and text == " ".join(text.split())


@settings(max_examples=scaled(400))
@given(figures)
def test_any_figure_is_told_in_short(figure: Figure) -> None:
    words = make_about(figure)
    assert words.title or figure.id == "figure"
    assert words.description
    assert is_plain(words.title)
    assert is_plain(words.description)
    assert len(words.description) <= DESCRIPTION_CHARS or figure.meta.description
    assert make_about(figure) == words


@settings(max_examples=scaled(120))
@given(figures)
def test_the_file_says_what_the_figure_says(figure: Figure) -> None:
    try:
        rendered = render(figure)
    except SpecError:  # two texts that would share a macro, for one
        reject()
    assert rendered.metadata["description"] == figure.description == make_about(figure).description
    assert recorded_words(rendered.tex) == make_about(figure)
    # as another process reads it, which rendered nothing
    assert find_words(rendered.tex + "\n") == make_about(figure)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NEEDS])
def test_every_recipe_has_a_gist(name: str) -> None:
    figure = make_figure(name, {})
    assert figure.origin is not None
    assert figure.description.startswith(figure.origin.summary())
    assert figure.origin.summary()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"workers": 1}, "1 worker and"),
        ({"workers": {"count": 64, "show": 3}}, "64 workers (3 drawn) and"),
        ({"meta": {"description": "My  own words."}}, "My own words."),
    ],
)
def test_facts_are_in_the_words(facts: dict[str, Any], words: str) -> None:
    assert words in recipes.data_parallel(**facts).description


def test_the_idle_share_is_the_measured_one() -> None:
    figure = recipes.pipeline(schedule="1f1b", devices=8, microbatches=32)
    assert figure.description.endswith("Ends after 117 time units, devices idle 17.9 % of it.")
    assert metrics(figure).as_json()["bubble_over_total"] == "7/39"


@pytest.mark.parametrize(
    ("words", "alt"),
    [
        (About("A title", "A sentence."), "A title. A sentence."),
        (About("Why?", "Because."), "Why? Because."),
        (About("A sentence", "A sentence. More."), "A sentence. More."),
        (About("A title"), "A title"),
        (About(), ""),
    ],
)
def test_alt_says_nothing_twice(words: About, alt: str) -> None:
    assert words.alt == alt


@given(st.text(max_size=80), st.integers(2, 40))
def test_a_cut_text_is_short_and_begins_alike(text: str, longest: int) -> None:
    found = shorten_text(text, longest)
    assert len(found) <= longest
    assert found == text or (found.endswith("…") and text.startswith(found[:-1]))


def test_hand_edits_are_told() -> None:
    tex = recipes.data_parallel(workers=2).tex()
    edited = tex.replace(r"{Parameter server}%", r"{PS \& store}%").replace(r"\colsep{4.6}", r"\colsep{5}")
    assert "to PS & store (∇θ)" in find_words(edited).description
    foreign = edited.replace("% tikzgen digest: ", "% tikzgen digest: 0")
    assert find_words(foreign) == find_words(edited)  # the lines that were written are known all the same


@pytest.mark.parametrize(
    "source", ["", r"\documentclass{article}", "% tikzgen spec: what\n% {oops\n% tikzgen digest: 1\n"]
)
def test_a_file_without_a_spec_says_nothing(source: str) -> None:
    assert find_words(source) == About()
    assert find_words(recipes.data_parallel().tex().replace('"data-parallel"', '"data-serial"')) == About()


def test_an_author_s_words_and_language_stay_with_the_figure() -> None:
    meta = {"description": "三个 GPU 与一个参数服务器"}
    figure = recipes.data_parallel(title="数据并行", language="zh-Hans", meta=meta)
    words = About("数据并行", "三个 GPU 与一个参数服务器", "zh-Hans")
    assert make_about(figure) == find_words(figure.tex() + "\n") == words
    assert loads(extract_spec(figure.tex()) or "") == figure
    assert "zh-Hans" not in figure.tex().partition(r"\end{document}")[0]
    assert make_about(recipes.data_parallel()).language == ""
    told = [make_about(recipes.data_parallel(language=tag)).told_in for tag in ("en-GB", "zh")]
    assert told == ["", "en"]


@pytest.mark.parametrize("tag", ["english!", "zh_Hans", "", "e", "en-", "en\n", "en-" + "a" * 40])
def test_what_is_no_language_is_refused(tag: str) -> None:
    with pytest.raises(SpecError, match="language"):
        recipes.data_parallel(language=tag)


@pytest.mark.parametrize(
    "tex",
    [
        "{" * 500 + "}" * 500,
        "$x" + "^ " * 900 + "$",
        "$" + r"\vec" * 450 + " x$",
        r"\'" * 900,
        "$" + r"\sqrt[" * 300 + "]$",
    ],
)
def test_what_is_nested_without_end_is_read_as_far_as_it_goes(tex: str) -> None:
    assert len(label_to_unicode(Tex(tex))) < 5000


@pytest.mark.parametrize("language", ["de", "en-GB", ""])
def test_words_have_the_language_of_the_figure(language: str) -> None:
    assert make_about(recipes.data_parallel(language=language or None)).language == language
