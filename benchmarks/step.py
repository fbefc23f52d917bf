"""Milliseconds of a training step, beside the matrix products that it cannot avoid.

    python benchmarks/step.py [--json] [--repeats 15] [--cases beijing-c10,dblp]

The step is the library's own (`training.run_steps`: batch, bound, gradient, Adam); the floor is
one compiled call of the matrix products of a batch, forward and backward, without anything between
them. It leaves out the factorisations, whose cost does not depend on the batch. Both are measured
in turns in the same run, each as the median over the repeats, so that a noisy machine slows both.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from nonfat.likelihoods import Gaussian
from nonfat.models import Recipe, TimeName, compose
from nonfat.training import ArraySource, scoped
from nonfat.training.state import create_state
from nonfat.training.steps import StepRule, run_steps

STEPS = 8  # in one compiled call


@dataclass(frozen=True)
class Case:
    """Sizes of a problem."""

    shape: tuple[int, ...]
    times: int
    recipe: Recipe
    B: int = 1000


def _recipe(time: TimeName, C: int) -> Recipe:
    return Recipe(time, "gp", R=3, s=3, C=C, a_k=100, a_g=100)


CASES = {
    "beijing-c10": Case((12, 6), 158, _recipe("laguerre", 10)),
    "beijing-c100": Case((12, 6), 158, _recipe("spectral", 101)),
    "dblp": Case((3731, 1935, 169), 11, _recipe("laguerre", 10)),
}


def step_call(case: Case) -> Callable[[], Any]:
    """Calls the library's scan of STEPS steps, state in and state out."""
    rng = np.random.default_rng(0)
    N = STEPS * case.B
    codes = np.stack([rng.integers(d, size=N) for d in case.shape], axis=1).astype(np.int32)
    clock = np.linspace(0.0, 1.0, case.times)[rng.integers(case.times, size=N)]
    value = rng.standard_normal(N)
    source = ArraySource(
        codes, clock.astype(np.float32), value.astype(np.float32), case.shape, case.B
    )
    noise = Gaussian.create(0.1, jnp.float32)
    key = jax.random.key(0)
    model = compose(case.recipe, noise, case.shape, case.times, key, jnp.float32)
    optim = optax.adam(1e-3)
    rule = StepRule(optim, N, 1)
    state = create_state(model, optim, jax.random.key(1))
    (chunk,) = source.epoch(rng)
    chunk = jax.tree.map(jnp.asarray, chunk)
    return lambda: run_steps(rule, state, chunk)


Product = tuple[tuple[int, ...], tuple[int, ...]]
"""The shapes of both sides."""


def products(case: Case) -> list[Product]:
    """The matrix products of a step's forward pass that no arrangement of the work avoids."""
    r, B, T = case.recipe, case.B, min(case.times, case.B)
    C, D, a = r.basis_size(case.times), r.R * len(case.shape), r.a_g
    found: list[Product] = []
    for d in case.shape:
        a_k, J = min(r.a_k, d), min(d, B)
        found += [
            ((a_k, r.s), (r.s, J)),  # distances between Z and E
            ((r.R, a_k, a_k), (r.R, a_k, J)),  # w = P κ(Z, E)
            ((r.R, a_k, a_k), (r.R, a_k, J)),  # Lᵀ w
            ((r.R, J, a_k), (r.R, a_k, C)),  # Aᵀ w
            ((r.R, T, C), (r.R, C, C)),  # Rᵀ ψ
        ]
        if J * T <= 32 * B:  # else the means are sums over C for each entry, and no product
            found.append(((r.R, J, C), (r.R, C, T)))  # ψᵀ Aᵀ w
    return [
        *found,
        ((B, D), (D, a)),  # distances between V and Z
        ((B, a), (a, a)),  # w = P κ(Z, v)
        ((B, a), (a, a)),  # Sᵀ w
    ]


def floor_call(case: Case) -> Callable[[], Any]:
    """Calls the products of one step: each forward, and the two of its backward pass."""
    rng = np.random.default_rng(0)

    def normal(shape: tuple[int, ...]) -> jax.Array:
        return jnp.asarray(rng.standard_normal(shape, np.float32))

    triples = [(normal(x), normal(y), normal((*x[:-1], y[-1]))) for x, y in products(case)]

    @jax.jit
    def run(triples: list[tuple[jax.Array, jax.Array, jax.Array]]) -> list[jax.Array]:
        return [
            product
            for X, Y, G in triples
            for product in (X @ Y, G @ jnp.swapaxes(Y, -1, -2), jnp.swapaxes(X, -1, -2) @ G)
        ]

    return lambda: run(triples)


def _milliseconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return 1e3 * (time.perf_counter() - start)


def measure(case: Case, repeats: int) -> dict[str, float]:
    """Medians of both, and of their ratio within each repeat."""
    step, floor = step_call(case), floor_call(case)
    _milliseconds(step), _milliseconds(floor)  # compile
    pairs = []
    for _ in range(repeats):
        floor_ms = statistics.median(_milliseconds(floor) for _ in range(STEPS))
        pairs.append((_milliseconds(step) / STEPS, floor_ms))
    return {
        "ms": round(statistics.median(ms for ms, _ in pairs), 3),
        "floor_ms": round(statistics.median(floor for _, floor in pairs), 3),
        "ratio": round(statistics.median(ms / floor for ms, floor in pairs), 2),
    }


def main() -> None:
    """Measure the chosen cases and print them."""
    parser = argparse.ArgumentParser(description="Milliseconds of a training step.")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--cases", default=",".join(CASES), help="names, separated by commas")
    options = parser.parse_args()
    names = options.cases.split(",")
    for name in names:
        if name not in CASES:
            parser.exit(2, f"no case is called {name!r}; there are {', '.join(CASES)}\n")
    with scoped("float32"):
        found = {name: measure(CASES[name], options.repeats) for name in names}
    if options.json:
        print(json.dumps(found))
        return
    print(f"{'case':14s} {'step':>9s} {'floor':>9s} {'ratio':>6s}")
    for name, row in found.items():
        print(f"{name:14s} {row['ms']:6.2f} ms {row['floor_ms']:6.2f} ms {row['ratio']:6.2f}")


if __name__ == "__main__":
    main()
