"""What a likelihood offers: how an observed value follows from the latent one."""

import abc

import equinox as eqx
from jaxtyping import Array, Float, Key

__all__ = ["Likelihood"]


class Likelihood(eqx.Module):
    """p(y | m) and its integrals over a Gaussian latent m ~ N(mean, variance).

    All arguments broadcast against each other; values are scaled as the model sees them.
    """

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
    def predictive_cdf(
        self, y: Float[Array, "*#n"], mean: Float[Array, "*#n"], variance: Float[Array, "*#n"]
    ) -> Float[Array, "*n"]:
        """P(observation ≤ y)."""

    @abc.abstractmethod
    def sample(self, key: Key[Array, ""], m: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """One observation for each latent value."""
