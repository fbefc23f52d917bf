import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import gamma

from nonfat.kernels import Matern
from nonfat.numerics.quadrature import gauss_laguerre
from nonfat.times import LaguerreBasis, SpectralBasis
from reference.bases import functions_and_covariance
from reference.random_models import basis as random_basis


@pytest.mark.parametrize("name", ["laguerre", "spectral"])
@pytest.mark.parametrize("seed", range(3))
def test_products_of_whitened_functions_are_phi_omega_phi(x64, name, seed):
    rng = np.random.default_rng(seed)
    basis = random_basis(rng, name, R=2, C=7)
    times = rng.uniform(-0.3, 1.3, 5)
    psi = np.asarray(basis.whitened(jnp.asarray(times)))
    assert psi.shape == (2, 5, 7)
    for r in range(2):
        for i, t in enumerate(times):
            for k, later in enumerate(times):
                phi, Omega = functions_and_covariance(basis, r, t)
                phi_later, _ = functions_and_covariance(basis, r, later)
                assert psi[r, i] @ psi[r, k] == pytest.approx(phi @ Omega @ phi_later, abs=1e-7)


def test_laguerre_functions_are_the_papers_formula(x64):
    basis = LaguerreBasis.create(R=1, C=10, horizon=7.0, dtype=jnp.float64)
    times = np.linspace(0, 1, 6)
    nodes, weights = gauss_laguerre(10)
    literal = [
        [g / np.pi * np.cos(w * 7.0 * t) for w, g in zip(nodes, weights, strict=True)]
        for t in times
    ]
    np.testing.assert_allclose(basis.functions(jnp.asarray(times)), literal, rtol=1e-12, atol=1e-15)


def test_laguerre_functions_invert_a_known_fourier_transform(x64):
    # û(ω) = e^{-ω} at ω > 0 has α = û e^ω = 1, and u(t) = (1/π) ∫ e^{-ω} cos ωt dω.
    basis = LaguerreBasis.create(R=1, C=30, horizon=1.0, dtype=jnp.float64)
    times = np.array([0.0, 0.2, 0.5])
    u = np.asarray(basis.functions(jnp.asarray(times))).sum(axis=1)
    np.testing.assert_allclose(u, 1 / (np.pi * (1 + times**2)), atol=1e-8)


def _matern_periodic(tau, nu, lengthscale, period):
    """Σ_n κ(τ + nP), less the constant S(0)/P that the offset stands for."""
    shapes = {
        0.5: lambda x: np.exp(-x),
        1.5: lambda x: (1 + x) * np.exp(-x),
        2.5: lambda x: (1 + x + x * x / 3) * np.exp(-x),
    }
    rate = np.sqrt(2 * nu) / lengthscale
    total = sum(shapes[nu](rate * np.abs(tau + n * period)) for n in range(-60, 61))
    at_zero = 2 * np.sqrt(np.pi) * gamma(nu + 0.5) / gamma(nu) / rate
    return total - at_zero / period


@pytest.mark.parametrize(("nu", "tolerance"), [(0.5, 2e-3), (1.5, 1e-6), (2.5, 1e-9)])
@pytest.mark.parametrize("lengthscale", [0.1, 0.5])
def test_many_functions_reproduce_the_periodic_matern_kernel(x64, nu, tolerance, lengthscale):
    basis = SpectralBasis.create(
        R=1, C=4001, dtype=jnp.float64, period=1.3, nu=nu, lengthscale=lengthscale
    )
    times = np.linspace(0, 1, 12)
    psi = np.asarray(basis.whitened(jnp.asarray(times)))[0]
    tau = times[:, None] - times[None]
    kernel = _matern_periodic(tau, nu, lengthscale, 1.3) / _matern_periodic(
        0.0, nu, lengthscale, 1.3
    )
    np.testing.assert_allclose(psi @ psi.T, 1.0 + kernel, atol=tolerance)


def test_the_spectral_prior_is_stationary_whatever_the_size(x64):
    basis = random_basis(np.random.default_rng(0), "spectral", R=2, C=9)
    times = np.array([0.1, 0.35, 0.4, 0.65])
    psi = np.asarray(basis.whitened(jnp.asarray(times)))
    for r in range(2):
        assert psi[r, 0] @ psi[r, 1] == pytest.approx(psi[r, 2] @ psi[r, 3], rel=1e-12)
        expected = 1.0 + float(jnp.exp(2 * basis.log_offset[r]))
        np.testing.assert_allclose((psi[r] ** 2).sum(-1), expected, rtol=1e-12)


NU = pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])


@NU
def test_beyond_the_training_range_the_prior_forgets_the_end_but_not_the_offset(x64, nu):
    basis = SpectralBasis.create(R=1, C=301, dtype=jnp.float64, nu=nu, lengthscale=0.1)
    psi = np.asarray(basis.whitened(jnp.array([0.0, 1.0, 1.05, 1.3, 1e6, -0.3, -1e6])))[0]
    near, far = psi[1] @ psi[2] - 1, psi[1] @ psi[3] - 1
    assert 1 > near > far > 0
    assert psi[0] @ psi[5] == pytest.approx(psi[1] @ psi[3], rel=1e-12)  # the same at both ends
    np.testing.assert_allclose(psi[[4, 6]], np.eye(1, 301).repeat(2, axis=0), atol=1e-12)


@NU
def test_the_prior_variance_is_the_same_at_all_times_beyond_too(x64, nu):
    basis = SpectralBasis.create(R=2, C=31, dtype=jnp.float64, nu=nu, lengthscale=0.2)
    times = jnp.array([-3.0, -0.1, 0.0, 0.4, 1.0, 1.01, 1.5, 40.0])
    total = (basis.whitened(times) ** 2).sum(-1) + basis.fresh_variance(times)
    np.testing.assert_allclose(total, 2.0, rtol=1e-12)
    np.testing.assert_array_equal(basis.fresh_variance(times)[:, 2:5], 0.0)


@NU
def test_fresh_functions_have_the_covariance_of_a_path_tied_to_its_end(x64, nu):
    """Cov[x(δ) - ρ(δ) x(0), x(δ') - ρ(δ') x(0)] = κ(δ - δ') - ρ(δ) ρ(δ'), for a path x."""
    basis = SpectralBasis.create(R=1, C=11, dtype=jnp.float64, nu=nu, lengthscale=0.3)
    delta = np.array([0.0, 0.01, 0.1, 0.3, 0.31, 1.0])
    matern = Matern.create(nu, 1.0, jnp.array([0.3]))
    joint = np.asarray(matern(jnp.asarray(delta)[:, None], jnp.asarray(delta)[:, None]))
    expected = joint - np.outer(joint[0], joint[0])
    for times in (1.0 + delta, -delta):
        chi = np.asarray(basis.fresh(jnp.asarray(times)))[0]
        np.testing.assert_allclose(chi @ chi.T, expected, atol=0.015)
    both = np.asarray(basis.fresh(jnp.array([-0.4, 0.0, 0.5, 1.0, 1.4])))[0]
    np.testing.assert_array_equal(both[1:4], 0.0)
    assert both[0] @ both[4] == 0.0  # the two ends know nothing of each other


def test_the_papers_basis_goes_on_with_its_cosines_and_adds_nothing(x64):
    basis = LaguerreBasis.create(R=2, C=10, horizon=10.0, dtype=jnp.float64)
    times = jnp.array([0.5, 1.7])
    assert basis.fresh(times).shape == (2, 2, 0)
    np.testing.assert_array_equal(basis.fresh_variance(times), np.zeros((2, 2)))


def test_an_even_size_loses_one_function():
    assert SpectralBasis.create(R=1, C=10, dtype=jnp.float32).size == 9
    assert SpectralBasis.create(R=1, C=11, dtype=jnp.float32).size == 11


@pytest.mark.parametrize("name", ["laguerre", "spectral"])
def test_the_gradient_of_a_basis_is_finite_in_float32(name):
    basis = random_basis(np.random.default_rng(0), name, R=2, C=11, dtype=np.float32)
    times = jnp.linspace(-1.0, 2.0, 7)
    gradient = jax.jit(jax.grad(lambda basis: jnp.sum(jnp.sin(basis.whitened(times)))))(basis)
    for leaf in jax.tree.leaves(gradient):
        assert np.all(np.isfinite(leaf))
        assert np.any(np.asarray(leaf) != 0)
