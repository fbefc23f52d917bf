"""The network against its layers written out."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.combiners import Network
from nonfat.posteriors import WhitenedGaussian
from reference import gaussians
from reference.differences import directional_error
from reference.random_models import raw, triangle


def network(seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    sizes = [3, 4, 4]
    layers = tuple(
        (jnp.asarray(rng.normal(size=(a, b)), dtype), jnp.asarray(rng.normal(size=b), dtype))
        for a, b in pairwise(sizes)
    )
    posterior = WhitenedGaussian(
        jnp.asarray(rng.normal(size=5), dtype), raw(triangle(rng, 5), dtype)
    )
    return Network(layers, posterior)


def features(net, v):
    x = v
    for W, b in net.layers:
        x = np.array(
            [np.tanh(sum(x[i] * W[i, o] for i in range(len(x))) / len(x) ** 0.5 + b[o])
             for o in range(len(b))]
        )  # fmt: skip
    return np.append(x / len(x) ** 0.5, 1.0)


def test_marginals_are_those_of_the_last_layers_weights(x64):
    net, V = network(0), np.random.default_rng(1).normal(size=(5, 3))
    mean, variance = net.marginals(jnp.asarray(V))
    S = np.asarray(net.posterior.S)
    for row, v in enumerate(V):
        phi = features(net, v)
        assert float(mean[row]) == pytest.approx(phi @ np.asarray(net.posterior.m))
        assert float(variance[row]) == pytest.approx(phi @ S @ S.T @ phi)


def test_draws_have_the_moments_of_the_marginals(x64):
    net, V = network(0), jnp.asarray(np.random.default_rng(1).normal(size=(4, 3)))
    keys = jax.random.split(jax.random.key(0), 30_000)
    draws = np.asarray(jax.vmap(lambda key: net.draw(V, key, key))(keys))
    mean, variance = net.marginals(V)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.03 * np.sqrt(variance).max())
    np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance), rtol=0.03)


def test_the_kl_is_that_of_the_last_layer_and_half_the_squares_of_the_others(x64):
    net = network(1)
    S, m = np.asarray(net.posterior.S), np.asarray(net.posterior.m)
    squares = sum(float((part**2).sum()) for layer in net.layers for part in layer)
    expected = gaussians.kl(m, S @ S.T, 0 * m, np.eye(5)) + 0.5 * squares
    assert float(net.kl()) == pytest.approx(expected, rel=1e-9)


def test_the_gradient_agrees_with_finite_differences(x64):
    V = jnp.asarray(np.random.default_rng(2).normal(size=(4, 3)))

    def total(net):
        mean, variance = net.marginals(V)
        return net.kl() + jnp.sum(jnp.sin(mean) + variance)

    assert directional_error(total, network(2), seed=0) < 1e-6


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_a_new_network_has_the_layers_and_the_dtype_asked_for(x64, dtype):
    net = Network.create(D=6, width=7, depth=3, key=jax.random.key(0), dtype=dtype)
    assert [W.shape for W, _ in net.layers] == [(6, 7), (7, 7), (7, 7)]
    assert {leaf.dtype for leaf in jax.tree.leaves(net)} == {np.dtype(dtype)}
    mean, variance = net.marginals(jnp.full((2, 6), 1e4, dtype))
    assert bool(jnp.isfinite(mean).all() & (variance > 0).all())
