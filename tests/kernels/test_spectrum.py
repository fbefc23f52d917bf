import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad

from nonfat.kernels import matern_spectrum
from reference import kernels as naive

PROFILES = {0.5: naive.matern_12, 1.5: naive.matern_32, 2.5: naive.matern_52}


def spectrum(omega, lengthscale, nu):
    return matern_spectrum(jnp.asarray(omega), jnp.asarray(lengthscale), nu)


@pytest.mark.parametrize("nu", PROFILES)
@pytest.mark.parametrize("lengthscale", [0.2, 1.0, 2.5])
def test_the_spectrum_is_the_fourier_transform_of_the_kernel(x64, nu, lengthscale):
    for omega in (0.0, 0.4, 3.0):
        integral, _ = quad(
            lambda tau: PROFILES[nu](tau / lengthscale) * np.cos(omega * tau),  # noqa: B023
            0,
            40 * lengthscale,
            limit=400,
        )
        ours = float(spectrum(omega, lengthscale, nu))
        assert ours == pytest.approx(2 * integral, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("nu", PROFILES)
def test_the_kernel_is_the_inverse_transform_of_the_spectrum(x64, nu):
    lengthscale = 0.7
    density = lambda omega: float(spectrum(omega, lengthscale, nu))  # noqa: E731
    for tau in (0.3, 1.0):
        integral, _ = quad(density, 0, np.inf, weight="cos", wvar=tau, limlst=200)
        assert integral / np.pi == pytest.approx(PROFILES[nu](tau / lengthscale), abs=1e-6)
    total, _ = quad(density, 0, np.inf, limit=400)
    assert total / np.pi == pytest.approx(1.0, abs=1e-6)
