"""Factor trajectories: a Gaussian process in time for each entity and r (the paper's level one)."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int, Key

from nonfat.kernels import SquaredExponential
from nonfat.numerics.cholesky import cholesky_pair
from nonfat.posteriors import WhitenedMatrixGaussian
from nonfat.times.base import EntityTables, TimeRepresentation
from nonfat.times.basis import Basis
from nonfat.times.entries import Entries

__all__ = ["EntityPart", "FrequencyFunctions", "TimePart", "Trajectories"]

# A product over all (entity, time) pairs runs at the speed of arithmetic, a gather of C numbers
# for each entry at the speed of memory: measured, the grid wins until it has 32 pairs per entry.
_GRID_PAIRS_PER_ENTRY = 32


class EntityPart(NamedTuple):
    """What the marginals need of each entity j."""

    coefficients: Float[Array, "R J C"]  # Aᵀ w_j
    residual: Float[Array, "R J"]  # κ(e_j, e_j) - ‖w_j‖²
    spread: Float[Array, "R J"]  # ‖Lᵀ w_j‖²


class TimePart(NamedTuple):
    """What the marginals need of each time t."""

    psi: Float[Array, "R T C"]  # ψ(t)
    power: Float[Array, "R T"]  # ‖ψ(t)‖²
    spread: Float[Array, "R T"]  # ‖Rᵀ ψ(t)‖²
    fresh: Float[Array, "R T"]  # prior variance that ψ does not span


class FrequencyFunctions(eqx.Module):
    """The R frequency functions f_r(e, ω) of one mode and their sparse posterior.

    Attributes:
        Z: pseudo inputs in the space of embeddings.
        kernels: κ_r, stacked.
        basis: φ and Ω_r.
        posterior: q(Ĝ_r), whitened on both sides.
    """

    Z: Float[Array, "a s"]
    kernels: SquaredExponential
    basis: Basis
    posterior: WhitenedMatrixGaussian

    @classmethod
    def create(
        cls, Z: Float[Array, "a s"], basis: Basis, R: int, key: Key[Array, ""]
    ) -> "FrequencyFunctions":
        """Unit kernels on standard-normal embeddings, a posterior near its prior mean."""
        a, s = Z.shape

        def kernel(_: Int[Array, ""]) -> SquaredExponential:
            return SquaredExponential.create(1.0, jnp.full(s, s**0.5, Z.dtype))

        posterior = WhitenedMatrixGaussian.create(R, a, basis.size, 0.1, key, Z.dtype)
        return cls(Z, jax.vmap(kernel)(jnp.arange(R)), basis, posterior)

    def covariance(self, X: Float[Array, "n s"], Y: Float[Array, "m s"]) -> Float[Array, "R n m"]:
        """κ_r(X, Y) for every r."""
        return jax.vmap(lambda kernel: kernel(X, Y))(self.kernels)

    def weights(self, E: Float[Array, "J s"]) -> Float[Array, "R a J"]:
        """w_j = L_Z⁻¹ κ_r(Z, e_j)."""
        _, P = cholesky_pair(self.covariance(self.Z, self.Z))
        return P @ self.covariance(self.Z, E)

    def entity_part(self, E: Float[Array, "J s"]) -> EntityPart:
        """The entities' side of the marginals, for any embeddings E."""
        W = self.weights(E)
        LW = jnp.swapaxes(self.posterior.L, -1, -2) @ W
        variance = jnp.exp(self.kernels.log_variance)[:, None]
        return EntityPart(
            coefficients=jnp.swapaxes(W, -1, -2) @ self.posterior.A,
            residual=jnp.maximum(variance - jnp.sum(W * W, axis=1), 0.0),
            spread=jnp.sum(LW * LW, axis=1),
        )

    def draw_coefficients(
        self, E: Float[Array, "J s"], key: Key[Array, ""]
    ) -> Float[Array, "R J _"]:
        """A joint draw of the coefficients of each entity's trajectories; see `draw_functions`.

        Ĝ from its posterior, then the rows of F given it. The part of a row that Ĝ leaves open is
        drawn for each entity on its own, and so is the fresh part outside the training range.
        """
        pseudo_key, row_key, fresh_key = jax.random.split(key, 3)
        W = self.weights(E)
        known = jnp.swapaxes(W, -1, -2) @ self.posterior.sample(pseudo_key)
        variance = jnp.exp(self.kernels.log_variance)[:, None]
        residual = jnp.maximum(variance - jnp.sum(W * W, axis=1), 0.0)
        open_part = jax.random.normal(row_key, known.shape, known.dtype)
        F = self.basis.fresh(jnp.zeros(1, E.dtype)).shape[-1]
        fresh = jax.random.normal(fresh_key, (*known.shape[:2], F), known.dtype)
        return jnp.concatenate(
            [
                known + jnp.sqrt(residual)[..., None] * open_part,
                jnp.sqrt(variance)[..., None] * fresh,
            ],
            axis=-1,
        )

    def draw_functions(self, times: Float[Array, "T"]) -> Float[Array, "R T _"]:
        """The functions of time that `draw_coefficients` weighs: ψ, and those of the fresh part."""
        return jnp.concatenate([self.basis.whitened(times), self.basis.fresh(times)], axis=-1)

    def time_part(self, times: Float[Array, "T"]) -> TimePart:
        """The times' side of the marginals."""
        psi = self.basis.whitened(times)
        Rpsi = psi @ self.posterior.R
        variance = jnp.exp(self.kernels.log_variance)[:, None]
        fresh = variance * self.basis.fresh_variance(times)
        return TimePart(psi, jnp.sum(psi * psi, -1), jnp.sum(Rpsi * Rpsi, -1), fresh)


def grid_marginals(
    e: EntityPart, t: TimePart
) -> tuple[Float[Array, "R J T"], Float[Array, "R J T"]]:
    """Mean and variance of u_{j,r}(t) for all pairs of entity and time.

    The nested sample of Ĝ, then α, then u is exactly a scalar Gaussian:
    mean ψᵀAᵀw_j, variance (κ(e_j,e_j) - ‖w_j‖²)‖ψ‖² + ‖Lᵀw_j‖²‖Rᵀψ‖², and outside the training
    range κ(e_j,e_j) times the prior variance that ψ does not span.
    """
    mean = e.coefficients @ jnp.swapaxes(t.psi, -1, -2)
    variance = (
        e.residual[:, :, None] * t.power[:, None, :] + e.spread[:, :, None] * t.spread[:, None, :]
    ) + t.fresh[:, None, :]
    return mean, variance


def pair_marginals(
    e: EntityPart, t: TimePart, j: Int[Array, "B"], i: Int[Array, "B"]
) -> tuple[Float[Array, "R B"], Float[Array, "R B"]]:
    """The same for the B pairs (entity ``j``, time ``i``) only."""
    mean = jnp.sum(e.coefficients[:, j] * t.psi[:, i], axis=-1)
    variance = e.residual[:, j] * t.power[:, i] + e.spread[:, j] * t.spread[:, i] + t.fresh[:, i]
    return mean, variance


def entry_marginals(
    e: EntityPart, t: TimePart, j: Int[Array, "B"], i: Int[Array, "B"]
) -> tuple[Float[Array, "R B"], Float[Array, "R B"]]:
    """`pair_marginals`, through the grid of all pairs where that is faster."""
    (R, J), T = e.residual.shape, t.power.shape[1]
    if J * T > _GRID_PAIRS_PER_ENTRY * j.shape[0]:
        return pair_marginals(e, t, j, i)
    mean, variance = grid_marginals(e, t)
    flat = j * T + i
    return mean.reshape(R, J * T)[:, flat], variance.reshape(R, J * T)[:, flat]


class Trajectories(TimeRepresentation):
    """v = [u¹_{ℓ₁}(t); …; u^K_{ℓ_K}(t)]: R trajectories for each of the K modes.

    Attributes:
        tables: the embeddings E^k, one row per entity, with a standard normal prior.
        modes: the frequency functions of each mode.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from nonfat.times import Entries, SpectralBasis
        >>> basis = SpectralBasis.create(R=2, C=11, dtype=jnp.float32)
        >>> time = Trajectories.create((4, 3), (4, 3), s=2, bases=(basis, basis), R=2,
        ...                            key=jax.random.key(0), dtype=jnp.float32)
        >>> entries = Entries(jnp.zeros((5, 2), int), jnp.linspace(0, 1, 5), jnp.arange(5))
        >>> mean, variance = time.marginals(entries)
        >>> mean.shape  # five entries, two modes of two trajectories
        (5, 4)
    """

    tables: EntityTables
    modes: tuple[FrequencyFunctions, ...]

    @classmethod
    def create(
        cls,
        d: tuple[int, ...],
        a: tuple[int, ...],
        *,
        s: int,
        bases: tuple[Basis, ...],
        R: int,
        key: Key[Array, ""],
        dtype: DTypeLike,
    ) -> "Trajectories":
        """Random embeddings; the pseudo inputs start at some of them (at all where a_k = d_k)."""
        tables, modes = [], []
        for d_k, a_k, basis, mode_key in zip(
            d, a, bases, jax.random.split(key, len(d)), strict=True
        ):
            embedding_key, pseudo_key, posterior_key = jax.random.split(mode_key, 3)
            E = jax.random.normal(embedding_key, (d_k, s), dtype)
            chosen = jax.random.choice(pseudo_key, d_k, (a_k,), replace=False)
            tables.append(E)
            modes.append(FrequencyFunctions.create(E[chosen], basis, R, posterior_key))
        return cls(tuple(tables), tuple(modes))

    @property
    def inputs(self) -> int:
        """R for each mode."""
        return sum(mode.posterior.A.shape[0] for mode in self.modes)

    def marginals(self, entries: Entries) -> tuple[Float[Array, "B D"], Float[Array, "B D"]]:
        """Mean and variance of the trajectories of each entry's entities at its time."""
        parts = [
            entry_marginals(
                mode.entity_part(E), mode.time_part(entries.times), j, entries.time_position
            )
            for mode, E, j in zip(self.modes, self.tables, entries.position.T, strict=True)
        ]
        mean, variance = (jnp.concatenate(x, axis=0).T for x in zip(*parts, strict=True))
        return mean, variance

    def draw(self, entries: Entries, key: Key[Array, ""]) -> Float[Array, "B D"]:
        """One joint draw of the trajectories: the same functions of time at every entry."""
        draws = []
        for k, (mode, E) in enumerate(zip(self.modes, self.tables, strict=True)):
            coefficients = mode.draw_coefficients(E, jax.random.fold_in(key, k))
            chi = mode.draw_functions(entries.times)
            at_entries = coefficients[:, entries.position[:, k]] * chi[:, entries.time_position]
            draws.append(jnp.sum(at_entries, axis=-1))
        return jnp.concatenate(draws, axis=0).T

    def kl(self) -> Float[Array, ""]:
        """Σ_k Σ_r KL[q(Ĝ^k_r) ‖ p(Ĝ^k_r)]."""
        return jnp.stack([mode.posterior.kl() for mode in self.modes]).sum()

    def entity_penalty(self, mode: int) -> Float[Array, "J"]:
        """½‖e_j‖²: embeddings are point estimates under a standard normal prior."""
        return 0.5 * jnp.sum(self.tables[mode] ** 2, axis=1)

    def newcomer(self, normal: Float[Array, "_"]) -> Float[Array, "_"]:
        """An embedding from its prior."""
        return normal
