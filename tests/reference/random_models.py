"""Models with every parameter drawn at random, so that nothing holds by a lucky default."""

import jax
import jax.numpy as jnp
import numpy as np

from nonfat.combiners import SparseGP
from nonfat.kernels import SquaredExponential
from nonfat.likelihoods import Gaussian
from nonfat.models import Batch, TensorModel
from nonfat.posteriors import WhitenedGaussian, WhitenedMatrixGaussian
from nonfat.times import Entries, LaguerreBasis, SpectralBasis, Trajectories
from nonfat.times.trajectories import FrequencyFunctions

DTYPE = np.float64


def triangle(rng, *shape):
    """A lower-triangular factor with a positive diagonal."""
    a = shape[-1]
    diagonal = rng.uniform(0.3, 1.2, size=(*shape[:-1], 1, a)) * np.eye(a)
    return np.tril(0.4 * rng.normal(size=(*shape, a)), -1) + diagonal


def raw(L, dtype=DTYPE):
    """The unconstrained form of triangular factors."""
    diagonal = np.log(np.diagonal(L, axis1=-2, axis2=-1))
    return jnp.asarray(np.tril(L, -1) + diagonal[..., None] * np.eye(L.shape[-1]), dtype)


def basis(rng, name, R, C, dtype=DTYPE, vary=True):
    """A basis with random hyperparameters; `vary` also what programs are compiled for."""
    choose = rng.choice if vary else lambda options: options[0]
    if name == "laguerre":
        log_lengthscale = jnp.asarray(rng.normal(0, 0.3, R), dtype)
        return LaguerreBasis(log_lengthscale, size=C, horizon=float(choose([10.0, 3.0])))
    return SpectralBasis(
        log_lengthscale=jnp.asarray(rng.normal(-1.0, 0.4, R), dtype),
        log_offset=jnp.asarray(rng.normal(0, 0.5, R), dtype),
        size=C,
        period=float(choose([1.2, 1.5])),
        nu=float(choose([1.5, 0.5, 2.5])),
    )


def trajectories(seed, basis_name, d=(4, 3), a=(3, 3), s=2, R=2, C=5, dtype=DTYPE, vary=True):
    """Trajectories of len(d) modes."""
    rng = np.random.default_rng(seed)
    as_array = lambda x: jnp.asarray(x, dtype)  # noqa: E731
    tables, modes = [], []
    for d_k, a_k in zip(d, a, strict=True):
        tables.append(as_array(rng.normal(size=(d_k, s))))
        kernels = jax.vmap(SquaredExponential)(
            as_array(rng.normal(0, 0.5, R)), as_array(rng.normal(0.3, 0.3, (R, s)))
        )
        posterior = WhitenedMatrixGaussian(
            A=as_array(rng.normal(size=(R, a_k, C))),
            raw_L=raw(triangle(rng, R, a_k), dtype),
            raw_R=raw(triangle(rng, R, C), dtype),
        )
        Z = as_array(1.3 * rng.normal(size=(a_k, s)))
        mode_basis = basis(rng, basis_name, R, C, dtype, vary)
        modes.append(FrequencyFunctions(Z, kernels, mode_basis, posterior))
    return Trajectories(tuple(tables), tuple(modes))


def sparse_gp(seed, a, D, dtype=DTYPE):
    """A sparse GP."""
    rng = np.random.default_rng(seed)
    kernel = SquaredExponential(
        jnp.asarray(np.log(rng.uniform(0.5, 2.0)), dtype),
        jnp.asarray(np.log(rng.uniform(0.8, 2.0, D)), dtype),
    )
    posterior = WhitenedGaussian(
        jnp.asarray(rng.normal(size=a), dtype), raw(triangle(rng, a), dtype)
    )
    return SparseGP(jnp.asarray(rng.normal(size=(a, D)), dtype), kernel, posterior)


def tensor_model(seed, basis_name="spectral", dtype=DTYPE, a_g=4, **sizes):
    """A whole model."""
    time = trajectories(seed, basis_name, dtype=dtype, vary=False, **sizes)
    D = len(time.tables) * time.modes[0].posterior.A.shape[0]
    return TensorModel(time, sparse_gp(seed + 1, a_g, D, dtype), Gaussian.create(0.3, dtype))


def entries(seed, d, B, T, dtype=DTYPE):
    """B random entries at T distinct times."""
    rng = np.random.default_rng(seed)
    position = np.stack([rng.integers(0, d_k, B) for d_k in d], axis=1).astype(np.int32)
    times = np.sort(rng.uniform(0, 1, T)).astype(dtype)
    return jax.tree.map(
        jnp.asarray, Entries(position, times, rng.integers(0, T, B).astype(np.int32))
    )


def batch_of(seed, d, B, T, dtype=DTYPE):
    """B random entries with values, as a batch that is all there is."""
    value = jnp.asarray(np.random.default_rng(seed).normal(size=B), dtype)
    weights = tuple(jnp.ones(d_k, dtype) for d_k in d)
    return Batch(entries(seed, d, B, T, dtype), value, jnp.zeros_like(value), weights)
