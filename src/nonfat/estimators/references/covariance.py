"""The covariance of the exact multi-output Gaussian process, and its marginal likelihood.

Between the entries (c, t) and (c', t') it is

    Σ_q a_q · Π_k B_qk[c_k, c'_k] · matern32(|t - t'| / ℓ_q),    B_qk = W_qk W_qkᵀ + diag(v_qk),

and noise on the diagonal. Gradients are written out: compiling them would take longer than the
small problems of most tables.
"""

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from jaxtyping import Float, Float64, Int
from scipy.linalg import get_lapack_funcs

from nonfat._typing import Codes, Values

__all__ = ["Covariance", "Theta", "gradient"]

_potrf, _potrs, _potri = get_lapack_funcs(("potrf", "potrs", "potri"), dtype=np.float64)

_JOINT = 200  # entities of a mode, beyond which they share one diagonal entry


@dataclass(frozen=True, eq=False)
class Theta:
    """Hyper-parameters, all free to take any real value.

    Attributes:
        log_length: of each term in time.
        log_amplitude: of each term.
        log_noise: variance.
        factors: W for the entities of all modes, one mode after the other.
        log_diagonal: log v; the same number for all entities of a large mode.
    """

    log_length: Float64[np.ndarray, "Q"]
    log_amplitude: Float64[np.ndarray, "Q"]
    log_noise: Float64[np.ndarray, ""]
    factors: Float64[np.ndarray, "Q D r"]
    log_diagonal: Float64[np.ndarray, "Q D"]

    @classmethod
    def start(cls, Q: int, sizes: tuple[int, ...], r: int, seed: int) -> "Theta":
        """Length-scales spread over the training range; entities alike, but not exactly."""
        rng = np.random.default_rng(seed)
        W = 0.3 * rng.standard_normal((Q, sum(sizes), r))
        W[:, :, 0] += 0.7
        return cls(
            np.log(np.geomspace(0.03, 1.0, Q)) if Q > 1 else np.log([0.1]),
            np.full(Q, -np.log(Q)),
            np.asarray(np.log(0.1)),
            W,
            np.full((Q, sum(sizes)), np.log(0.3)),
        )

    def pack(self) -> Float64[np.ndarray, "P"]:
        """All numbers in a row."""
        return np.concatenate([np.ravel(part) for part in vars(self).values()])

    def like(self, packed: Float64[np.ndarray, "P"]) -> "Theta":
        """Inverse of `pack`."""
        parts, at = [], 0
        for part in vars(self).values():
            parts.append(packed[at : at + part.size].reshape(part.shape))
            at += part.size
        return Theta(*parts)

    def penalty(self) -> tuple[float, "Theta"]:
        """Minus the log density of a weak normal prior on everything, and its gradient."""
        centre = Theta(
            np.full_like(self.log_length, np.log(0.2)),
            np.full_like(self.log_amplitude, -np.log(len(self.log_amplitude))),
            np.asarray(np.log(0.05)),
            np.zeros_like(self.factors),
            np.full_like(self.log_diagonal, np.log(0.3)),
        )
        widths = 1.5, 1.5, 2.0, 1.0, 1.5
        total, slopes = 0.0, []
        for mine, middle, width in zip(
            vars(self).values(), vars(centre).values(), widths, strict=True
        ):
            away = (mine - middle) / width
            total += 0.5 * float(np.sum(away**2))
            slopes.append(away / width)
        return total, Theta(*slopes)


@dataclass(frozen=True, eq=False)
class Covariance:
    """The covariance between rows, from hyper-parameters and the modes' sizes.

    Codes of -1 stand for an entity that is new: it varies like the mean entity of its mode, and
    independently of all others.
    """

    theta: Theta
    sizes: tuple[int, ...]

    def blocks(self, q: int, k: int) -> tuple[Float64[np.ndarray, "_ r"], Float64[np.ndarray, "_"]]:
        """W and v of a mode, with a last row for newcomers."""
        start = sum(self.sizes[:k])
        part = slice(start, start + self.sizes[k])
        W, v = self.theta.factors[q, part], np.exp(self.theta.log_diagonal[q, part])
        new = np.mean(np.sum(W**2, axis=1) + v)
        return np.vstack([W, np.zeros((1, W.shape[1]))]), np.append(v, new)

    def between(
        self,
        codes: Int[np.ndarray, "A K"],
        time: Float[np.ndarray, "A"],
        codes_: Int[np.ndarray, "B K"],
        time_: Float[np.ndarray, "B"],
    ) -> Float64[np.ndarray, "A B"]:
        """Covariances of latent values."""
        distance = np.abs(time[:, None] - time_)
        same = [codes[:, k, None] == codes_[:, k] for k in range(len(self.sizes))]
        total = np.zeros(distance.shape)
        for q in range(len(self.theta.log_length)):
            term = _matern(distance, float(np.exp(self.theta.log_length[q])))[0]
            term *= np.exp(self.theta.log_amplitude[q])
            for k, equal in enumerate(same):
                W, v = self.blocks(q, k)
                term *= W[codes[:, k]] @ W[codes_[:, k]].T + equal * v[codes_[:, k]]
            total += term
        return total

    def variance(self, codes: Int[np.ndarray, "A K"]) -> Float64[np.ndarray, "A"]:
        """The diagonal of `between` of rows and themselves."""
        total = np.zeros(len(codes))
        for q, log_amplitude in enumerate(self.theta.log_amplitude):
            term = np.full(len(codes), np.exp(log_amplitude))
            for k in range(len(self.sizes)):
                W, v = self.blocks(q, k)
                term *= (np.sum(W**2, axis=1) + v)[codes[:, k]]
            total += term
        return total


def _matern(
    distance: Float64[np.ndarray, "A B"], length: float
) -> tuple[Float64[np.ndarray, "A B"], Float64[np.ndarray, "A B"]]:
    """Matérn-3/2 and its derivative by the logarithm of the length-scale."""
    s = distance * (3**0.5 / length)
    decay = np.exp(-s)
    return (1 + s) * decay, s * s * decay


def gradient(
    theta: Theta, sizes: tuple[int, ...], codes: Codes, time: Values, value: Values
) -> tuple[float, Theta]:
    """Minus the log marginal likelihood and its gradient.

    With G = ½(K⁻¹ - α αᵀ) the derivative by a parameter is the sum of G ∘ ∂K.
    """
    covariance = Covariance(theta, sizes)
    distance = np.abs(time[:, None] - time)
    same = [(codes[:, k, None] == codes[:, k]).astype(np.float64) for k in range(len(sizes))]
    Q, K = len(theta.log_length), len(sizes)
    terms = [_Term.of(covariance, q, codes, same, distance) for q in range(Q)]
    total = np.sum([term.covariance() for term in terms], axis=0)
    noise = float(np.exp(theta.log_noise))
    total[np.diag_indices_from(total)] += noise
    loss, G = _likelihood(total, value)
    slope = Theta(*(np.zeros_like(part) for part in vars(theta).values()))
    slope.log_noise[...] = noise * np.trace(G)
    for q, term in enumerate(terms):
        slope.log_amplitude[q] = np.vdot(G, term.covariance())
        slope.log_length[q] = term.amplitude * np.vdot(G, term.slope * term.all_modes)
        G_time = G * (term.amplitude * term.time)
        for k in range(K):
            start = sum(sizes[:k])
            part = slice(start, start + sizes[k])
            H = G_time * term.other_modes(k) if K > 1 else G_time
            W, v = covariance.blocks(q, k)
            np.add.at(slope.factors[q, part], codes[:, k], 2 * H @ W[codes[:, k]])
            rows = np.einsum("ij,ij->i", H, same[k])
            entry = v[:-1] * np.bincount(codes[:, k], weights=rows, minlength=sizes[k])
            # One number for all entities is held in as many places: each takes its share.
            slope.log_diagonal[q, part] = entry.mean() if sizes[k] > _JOINT else entry
    return loss, slope


@dataclass(frozen=True, eq=False)
class _Term:
    """One term of the covariance, factor by factor."""

    amplitude: float
    time: Float64[np.ndarray, "N N"]
    slope: Float64[np.ndarray, "N N"]
    modes: list[Float64[np.ndarray, "N N"]]

    @classmethod
    def of(
        cls,
        covariance: Covariance,
        q: int,
        codes: Codes,
        same: list[np.ndarray],
        distance: Float64[np.ndarray, "N N"],
    ) -> "_Term":
        time, slope = _matern(distance, float(np.exp(covariance.theta.log_length[q])))
        modes = []
        for k, equal in enumerate(same):
            W, v = covariance.blocks(q, k)
            here = W[codes[:, k]]
            modes.append(here @ here.T + equal * v[codes[:, k]])
        return cls(float(np.exp(covariance.theta.log_amplitude[q])), time, slope, modes)

    @cached_property
    def all_modes(self) -> Float64[np.ndarray, "N N"]:
        """Of all modes, multiplied."""
        return reduce(np.multiply, self.modes)

    def other_modes(self, k: int) -> Float64[np.ndarray, "N N"]:
        """Of all modes but one; a quotient would fail where that one is zero."""
        return reduce(np.multiply, self.modes[:k] + self.modes[k + 1 :])

    def covariance(self) -> Float64[np.ndarray, "N N"]:
        """All factors multiplied."""
        return self.time * self.all_modes * self.amplitude


def _likelihood(
    K: Float64[np.ndarray, "N N"], y: Values
) -> tuple[float, Float64[np.ndarray, "N N"]]:
    """Minus the log density of y under N(0, K), and its derivative by K; infinite if K is none."""
    L, failed = _potrf(K, lower=1)
    if failed:
        return np.inf, np.zeros_like(K)
    alpha, _ = _potrs(L, y, lower=1)
    inverse, _ = _potri(L, lower=1)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    loss = 0.5 * y @ alpha + np.sum(np.log(np.diag(L))) + 0.5 * len(y) * np.log(2 * np.pi)
    return float(loss), 0.5 * (inverse - np.outer(alpha, alpha))
