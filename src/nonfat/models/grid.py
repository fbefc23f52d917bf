"""Every method as a cell of one grid: a time representation × a combiner × a likelihood."""

from dataclasses import dataclass
from typing import Literal, get_args

import jax
import jax.numpy as jnp
from jax.scipy.special import ndtr
from jax.typing import DTypeLike
from jaxtyping import Array, Key

from nonfat.combiners import CP, Combiner, Network, SparseGP, TimeSpline
from nonfat.kernels import SquaredExponential
from nonfat.likelihoods import Likelihood
from nonfat.models.tensor_model import TensorModel
from nonfat.times import (
    Basis,
    Continuous,
    Discrete,
    Factors,
    LaguerreBasis,
    Moment,
    Nowhere,
    SpectralBasis,
    TimeRepresentation,
    Trajectories,
)

__all__ = ["COMBINERS", "TIMES", "CombinerName", "Recipe", "TimeName", "compose"]

TimeName = Literal["static", "continuous", "linear", "nonlinear", "laguerre", "spectral"]
"""No time; t as an input; steps with linear or nonlinear dynamics; trajectories on a basis."""

CombinerName = Literal["cp", "gp", "network"]

TIMES: tuple[TimeName, ...] = get_args(TimeName)
COMBINERS: tuple[CombinerName, ...] = get_args(CombinerName)

_MOST_FUNCTIONS = 121
_FUNCTIONS_PER_TIME = 1.2  # the period is 1.2 training ranges: every step in time can move freely


@dataclass(frozen=True)
class Recipe:
    """A cell of the grid, without its likelihood, and its sizes; each cell needs some of them.

    Attributes:
        time: how entities and time become the inputs of the combiner.
        combiner: how these become a value.
        R: factors or trajectories per entity.
        s: size of an embedding (trajectories).
        C: size of the basis (trajectories); None fits it to the number of distinct times.
        a_k: at most this many pseudo inputs of a mode (trajectories).
        a_g: pseudo inputs of the combiner (sparse GP).
        horizon: length of the training range in the model's time (Laguerre, continuous).
        start_std: standard deviation of q(ĥ) before training; the prior's is one (sparse GP).
        steps: that time is cut into (dynamics).
        knots: of the weights' splines (CP in continuous time).
        width: units in a layer (network).
        depth: layers of tanh units (network).
    """

    time: TimeName
    combiner: CombinerName
    R: int
    s: int = 3
    C: int | None = None
    a_k: int = 100
    a_g: int = 100
    horizon: float = 20.0
    start_std: float = 0.03
    steps: int = 50
    knots: int = 100
    width: int = 50
    depth: int = 3

    def basis_size(self, distinct_times: int) -> int:
        """C, as given or as many functions as the distinct times can tell apart."""
        if self.C is not None:
            return self.C
        return max(3, min(_MOST_FUNCTIONS, int(_FUNCTIONS_PER_TIME * distinct_times) | 1))

    def inputs(self, K: int) -> int:
        """D, the number of the combiner's inputs: groups of R, and t itself if it is one."""
        groups = K + (self.time in ("linear", "nonlinear"))
        return self.R * groups + (self.time == "continuous")


def compose(
    recipe: Recipe,
    likelihood: Likelihood,
    shape: tuple[int, ...],
    distinct_times: int,
    key: Key[Array, ""],
    dtype: DTypeLike,
) -> TensorModel:
    """The model of a cell of the grid before training.

    Args:
        recipe: time representation, combiner and sizes.
        likelihood: how a value follows from its latent one.
        shape: d_k of each mode.
        distinct_times: how many distinct times the training rows have.
        key: for the initial values.
        dtype: of all parameters.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from nonfat.likelihoods import Gaussian
        >>> recipe = Recipe("spectral", "gp", R=2, C=11, a_g=20)
        >>> noise = Gaussian.create(0.1, jnp.float32)
        >>> model = compose(recipe, noise, (5, 4), 30, jax.random.key(0), jnp.float32)
        >>> model.combiner.Z.shape
        (20, 4)
    """
    time_key, combiner_key = jax.random.split(key)
    return TensorModel(
        time=_time(recipe, shape, distinct_times, time_key, dtype),
        combiner=_combiner(recipe, recipe.inputs(len(shape)), combiner_key, dtype),
        likelihood=likelihood,
    )


def _time(
    recipe: Recipe, d: tuple[int, ...], distinct_times: int, key: Key[Array, ""], dtype: DTypeLike
) -> TimeRepresentation:
    if recipe.time in ("laguerre", "spectral"):
        return Trajectories.create(
            d,
            tuple(min(recipe.a_k, d_k) for d_k in d),
            s=recipe.s,
            bases=(_basis(recipe, distinct_times, dtype),) * len(d),
            R=recipe.R,
            key=key,
            dtype=dtype,
        )
    factor_key, moment_key = jax.random.split(key)
    moment = _moment(recipe, moment_key, dtype)
    return Factors.create(d, R=recipe.R, moment=moment, key=factor_key, dtype=dtype)


def _basis(recipe: Recipe, distinct_times: int, dtype: DTypeLike) -> Basis:
    C = recipe.basis_size(distinct_times)
    if recipe.time == "laguerre":
        return LaguerreBasis.create(recipe.R, C, recipe.horizon, dtype)
    return SpectralBasis.create(recipe.R, C, dtype)


def _moment(recipe: Recipe, key: Key[Array, ""], dtype: DTypeLike) -> Moment:
    if recipe.time == "static":
        return Nowhere()
    if recipe.time == "continuous":
        return Continuous(recipe.horizon)
    nonlinear = recipe.time == "nonlinear"
    return Discrete.create(recipe.steps, R=recipe.R, nonlinear=nonlinear, key=key, dtype=dtype)


def _combiner(recipe: Recipe, D: int, key: Key[Array, ""], dtype: DTypeLike) -> Combiner:
    if recipe.combiner == "network":
        return Network.create(D=D, width=recipe.width, depth=recipe.depth, key=key, dtype=dtype)
    if recipe.combiner == "cp":
        clock = recipe.time == "continuous"
        spline = TimeSpline.create(recipe.knots, recipe.horizon, dtype) if clock else None
        return CP.create(R=recipe.R, spline=spline, key=key, dtype=dtype)
    kernel = SquaredExponential.create(1.0, jnp.full(D, D**0.5, dtype))
    Z = jax.random.normal(key, (recipe.a_g, D), dtype)
    if recipe.time == "continuous":  # pseudo inputs from the first time to the last
        Z = Z.at[:, -1].set(recipe.horizon * ndtr(Z[:, -1]))
    return SparseGP.create(kernel, Z, scale=recipe.start_std)
