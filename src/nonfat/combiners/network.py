"""A neural network over the inputs v, with a Bayesian last layer."""

from itertools import pairwise

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Key

from nonfat.combiners.base import Combiner
from nonfat.posteriors import WhitenedGaussian

__all__ = ["Network"]

Layer = tuple[Float[Array, "_ _"], Float[Array, "_"]]
"""Weights, one row for each input, and biases."""


class Network(Combiner):
    """m = wᵀ φ(v), with φ the last of some layers of tanh units, and w Gaussian.

    The weights of the layers are point estimates under a standard normal prior (each layer
    divides by the root of its number of inputs); the last layer is linear in w, so mean and
    variance over its posterior are in closed form.

    Attributes:
        layers: weights and biases.
        posterior: q(w); the last of φ is a constant.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> net = Network.create(D=4, width=8, depth=3, key=jax.random.key(0), dtype=jnp.float32)
        >>> mean, variance = net.marginals(jnp.ones((5, 4)))
        >>> mean.shape, len(net.layers)
        ((5,), 3)
    """

    layers: tuple[Layer, ...]
    posterior: WhitenedGaussian

    @classmethod
    def create(
        cls, *, D: int, width: int, depth: int, key: Key[Array, ""], dtype: DTypeLike
    ) -> "Network":
        """Weights drawn from their prior, a posterior near its prior mean."""
        sizes = [D] + [width] * depth
        keys = jax.random.split(key, 2 * depth + 1)
        layers = tuple(
            (jax.random.normal(keys[2 * i], (a, b), dtype),
             jax.random.normal(keys[2 * i + 1], (b,), dtype))
            for i, (a, b) in enumerate(pairwise(sizes))
        )  # fmt: skip
        return cls(layers, WhitenedGaussian.create(width + 1, 0.1, dtype))

    def features(self, V: Float[Array, "n D"]) -> Float[Array, "n w"]:
        """φ(v), of length about one, and a constant."""
        x = V
        for W, b in self.layers:
            x = jnp.tanh(x @ (W / W.shape[0] ** 0.5) + b)
        x = x / x.shape[1] ** 0.5
        return jnp.concatenate([x, jnp.ones_like(x[:, :1])], axis=1)

    def marginals(self, V: Float[Array, "n D"]) -> tuple[Float[Array, "n"], Float[Array, "n"]]:
        """Mean φᵀm and variance ‖Sᵀφ‖²."""
        return self.posterior.project(self.features(V))

    def draw(
        self, V: Float[Array, "n D"], h_key: Key[Array, ""], row_key: Key[Array, ""]
    ) -> Float[Array, "n"]:
        """One draw of w; it leaves nothing open at a row."""
        return self.features(V) @ self.posterior.sample(h_key)

    def kl(self) -> Float[Array, ""]:
        """KL[q(w) ‖ N(0, I)], and ½ ‖·‖² of the layers' weights and biases."""
        squares = [jnp.sum(part * part) for layer in self.layers for part in layer]
        return self.posterior.kl() + 0.5 * jnp.stack(squares).sum()
