"""What a likelihood offers: how an observed value follows from the latent one."""

import abc
from typing import Literal

import equinox as eqx
from jaxtyping import Array, Float, Key

__all__ = ["Likelihood", "Observes"]

Observes = Literal["real", "count", "binary"]
"""What kind of values: real numbers; 0, 1, 2, ...; or 0 and 1."""


class Likelihood(eqx.Module):
    """p(y | m) and its integrals over a Gaussian latent m ~ N(mean, variance).

    All arguments broadcast against each other; values are scaled as the model sees them. A known
    exposure enters as an offset: the caller adds its logarithm to the latent mean.

    Attributes:
        observes: the kind of values.
    """

    observes: eqx.AbstractClassVar[Observes]

    @abc.abstractmethod
    def expected_log_prob(
        self, y: Float[Array, "*n"], mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> Float[Array, "*n"]:
        """E[log p(y | m)]: the term of the evidence lower bound."""

    @abc.abstractmethod
    def log_predictive(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """The predictive log density, log E[p(y | m)]."""

    @abc.abstractmethod
    def predictive_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """Mean and variance of the observation y."""

    @abc.abstractmethod
    def signal_moments(
        self, mean: Float[Array, "*n"], variance: Float[Array, "*n"]
    ) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
        """Mean and variance of E[y | m]: the value without noise."""

    @abc.abstractmethod
    def predictive_cdf(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """P(observation ≤ y)."""

    def band_cdf(
        self, x: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """The distribution function that intervals are read from: of y, unless y is binary."""
        return self.predictive_cdf(x, mean, variance)

    @abc.abstractmethod
    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """One observation for each latent value."""
