import math

import numpy as np
import pytest
from scipy.special import gamma

from nonfat.numerics.quadrature import gauss_hermite, gauss_laguerre


@pytest.mark.parametrize("C", [1, 2, 5, 10, 30])
def test_gauss_laguerre_is_exact_for_polynomials_below_degree_two_c(C):
    nodes, weights = gauss_laguerre(C)
    for degree in range(2 * C):
        assert weights @ nodes**degree == pytest.approx(math.factorial(degree), rel=1e-9)


def test_gauss_laguerre_is_not_exact_at_degree_two_c():
    nodes, weights = gauss_laguerre(3)
    assert abs(weights @ nodes**6 - math.factorial(6)) > 1.0


@pytest.mark.parametrize("a", [0.0, 0.3, 0.7])
def test_gauss_laguerre_gives_the_laplace_transform_of_a_cosine(a):
    nodes, weights = gauss_laguerre(40)
    assert weights @ np.cos(a * nodes) == pytest.approx(1 / (1 + a**2), abs=1e-8)


def test_gauss_laguerre_approaches_gamma_at_a_half_integer():
    errors = []
    for C in (10, 40):
        nodes, weights = gauss_laguerre(C)
        errors.append(abs(weights @ nodes**2.5 - gamma(3.5)))
    assert errors[1] < errors[0] < 1e-2
    assert errors[1] < 1e-4


def test_gauss_laguerre_nodes_ascend_and_weights_are_positive_and_sum_to_one():
    nodes, weights = gauss_laguerre(30)
    assert np.all(np.diff(nodes) > 0)
    assert nodes[0] > 0
    assert np.all(weights > 0)
    assert weights.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 32])
def test_gauss_hermite_gives_the_moments_of_a_standard_normal_below_degree_two_n(n):
    nodes, weights = gauss_hermite(n)
    for degree in range(0, 2 * n, 2):
        # (degree - 1)!!
        expected = float(math.prod(range(degree - 1, 0, -2)))
        assert weights @ nodes**degree == pytest.approx(expected, rel=1e-9)
        assert abs(weights @ nodes ** (degree + 1)) <= 1e-9 * (weights @ abs(nodes) ** (degree + 1))


def test_gauss_hermite_is_not_exact_at_degree_two_n():
    nodes, weights = gauss_hermite(3)
    assert abs(weights @ nodes**6 - 15.0) > 1.0


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.0])
def test_gauss_hermite_gives_the_mean_of_a_lognormal(scale):
    nodes, weights = gauss_hermite(32)
    assert weights @ np.exp(scale * nodes) == pytest.approx(math.exp(scale**2 / 2), rel=1e-12)


@pytest.mark.parametrize("n", [1, 32, 64, 180])
def test_gauss_hermite_nodes_are_symmetric_and_ascend_and_weights_sum_to_one(n):
    nodes, weights = gauss_hermite(n)
    assert np.all(np.diff(nodes) > 0)
    np.testing.assert_allclose(nodes, -nodes[::-1], atol=1e-12)
    assert np.all(np.isfinite(weights))
    assert np.all(weights > 0)
    assert weights.sum() == pytest.approx(1.0, rel=1e-12)
