"""The methods: compositions of a time representation, a combiner and a likelihood."""

from dataclasses import dataclass
from typing import Literal

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Key

from nonfat.combiners import SparseGP
from nonfat.kernels import SquaredExponential
from nonfat.likelihoods import Gaussian
from nonfat.models.tensor_model import TensorModel
from nonfat.times import Basis, LaguerreBasis, SpectralBasis, Trajectories

__all__ = ["BasisName", "Recipe", "nonfat"]

BasisName = Literal["laguerre", "spectral"]

_MOST_FUNCTIONS = 121
_FUNCTIONS_PER_TIME = 1.2  # the period is 1.2 training ranges: every step in time can move freely


@dataclass(frozen=True)
class Recipe:
    """The sizes of a NONFAT model.

    Attributes:
        R: trajectories per entity.
        s: size of an embedding.
        basis: of the trajectories.
        C: size of the basis; None fits it to the number of distinct times.
        a_k: at most this many pseudo inputs of a mode.
        a_g: pseudo inputs of level two.
        horizon: Laguerre only: length of the training range in the paper's time.
        start_std: standard deviation of q(ĥ) before training; the prior's is one.
    """

    R: int
    s: int
    basis: BasisName
    C: int | None
    a_k: int
    a_g: int
    horizon: float = 20.0
    start_std: float = 0.03

    def basis_size(self, distinct_times: int) -> int:
        """C, as given or as many functions as the distinct times can tell apart."""
        if self.C is not None:
            return self.C
        return max(3, min(_MOST_FUNCTIONS, int(_FUNCTIONS_PER_TIME * distinct_times) | 1))

    def make_basis(self, distinct_times: int, dtype: DTypeLike) -> Basis:
        """The basis of one mode."""
        C = self.basis_size(distinct_times)
        if self.basis == "laguerre":
            return LaguerreBasis.create(self.R, C, self.horizon, dtype)
        return SpectralBasis.create(self.R, C, dtype)


def nonfat(
    recipe: Recipe,
    shape: tuple[int, ...],
    distinct_times: int,
    key: Key[Array, ""],
    dtype: DTypeLike,
) -> TensorModel:
    """NONFAT: trajectories × sparse GP × Gaussian noise.

    Args:
        recipe: the sizes.
        shape: d_k of each mode.
        distinct_times: how many distinct times the training rows have.
        key: for the initial values.
        dtype: of all parameters.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> recipe = Recipe(R=2, s=2, basis="spectral", C=11, a_k=100, a_g=20)
        >>> model = nonfat(recipe, (5, 4), 30, jax.random.key(0), jnp.float32)
        >>> model.combiner.Z.shape
        (20, 4)
    """
    time_key, combiner_key = jax.random.split(key)
    basis = recipe.make_basis(distinct_times, dtype)
    D = recipe.R * len(shape)
    return TensorModel(
        time=Trajectories.create(
            shape,
            tuple(min(recipe.a_k, d) for d in shape),
            s=recipe.s,
            bases=(basis,) * len(shape),
            R=recipe.R,
            key=time_key,
            dtype=dtype,
        ),
        combiner=SparseGP.create(
            SquaredExponential.create(1.0, jnp.full(D, D**0.5, dtype)),
            a=recipe.a_g,
            D=D,
            key=combiner_key,
            dtype=dtype,
            scale=recipe.start_std,
        ),
        likelihood=Gaussian.create(0.1, dtype),
    )
