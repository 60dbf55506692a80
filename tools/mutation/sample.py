"""The choice of mutants by a seed.

Each package has its share; operators of a package have equal chances.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable

from mutation.mutants import Mutant

LEAST_PER_PACKAGE = 4
WEIGHTS = {"number": 2}
"""The chance of an operator compared with the others: constants are tested least."""


def choose_mutants(
    mutants: Iterable[Mutant], count: int, seed: int, is_valid: Callable[[Mutant], bool] = lambda mutant: True
) -> list[Mutant]:
    """Return about `count` mutants, sorted by place. Packages are drawn from independently."""
    packages: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in mutants:
        packages[mutant.package][mutant.operator].append(mutant)
    sizes = {package: sum(map(len, operators.values())) for package, operators in packages.items()}
    chosen: list[Mutant] = []
    for package, share in _share(sizes, count).items():
        generator = random.Random(f"{seed}:{package}")
        left = {operator: sorted(each, key=_place) for operator, each in sorted(packages[package].items())}
        wanted = len(chosen) + share
        while left and len(chosen) < wanted:
            operator = generator.choice([each for each in left for _ in range(WEIGHTS.get(each, 1))])
            mutant = left[operator].pop(generator.randrange(len(left[operator])))
            if not left[operator]:
                del left[operator]
            if is_valid(mutant):
                chosen.append(mutant)
    return sorted(chosen, key=_place)


def _place(mutant: Mutant) -> tuple[str, int, int, str, str]:
    return mutant.path, mutant.start, mutant.end, mutant.operator, mutant.replacement


def _share(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Return the number of mutants per package: a minimum, and the rest in proportion to its size."""
    rest = max(0, count - LEAST_PER_PACKAGE * len(sizes))
    total = sum(sizes.values())
    least = min(LEAST_PER_PACKAGE, max(1, count // max(1, len(sizes))))
    return {package: least + round(rest * size / total) for package, size in sorted(sizes.items())}
