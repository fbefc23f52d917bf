"""The choice of a likelihood, the checks of its values, and its start."""

import jax.numpy as jnp
import numpy as np
import pytest

from nonfat.errors import ConfigError, DataError, DataWarning
from nonfat.estimators.likelihoods import (
    LIKELIHOODS,
    check_values,
    choose,
    make_likelihood,
    make_scaler,
)

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=500)
COUNTS = RNG.poisson(3.0, 500).astype(float)
BINARY = (RNG.uniform(size=500) < 0.2).astype(float)

AUTO = [
    (BINARY, "bernoulli", "all 500 values are 0 or 1, a share of 0."),
    (COUNTS, "negative_binomial", "all 500 values are whole numbers of 0 or more, their mean is"),
    (COUNTS * 1000, "gaussian", "real numbers without heavy tails: their excess kurtosis is"),
    (COUNTS - 1, "gaussian", "real numbers without heavy tails"),
    (NORMAL, "gaussian", "real numbers without heavy tails: their excess kurtosis is"),
    (NORMAL**7, "student_t", "with heavy tails: their excess kurtosis is"),
    (np.zeros(5), "gaussian", "their excess kurtosis is 0"),
    (np.ones(5), "gaussian", "their excess kurtosis is 0"),
    (np.array([2.0, 5.0]), "gaussian", "their excess kurtosis is -2"),
    (np.array([1e200, -1e200, 0.5]), "gaussian", "their excess kurtosis is"),
]


@pytest.mark.parametrize(("values", "name", "words"), AUTO)
def test_auto_reads_the_values_and_says_why(values, name, words):
    chosen = choose("auto", values)
    assert chosen.name == name
    assert words in chosen.reason


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_name_is_taken_as_it_is(name):
    assert choose(name, NORMAL).name == name


def test_an_unknown_name_is_refused_with_a_suggestion():
    with pytest.raises(
        ConfigError,
        match=r"likelihood must be one of 'auto', 'gaussian', .*, got 'poison'; "
        r"did you mean 'poisson'\?",
    ):
        choose("poison", COUNTS)


WRONG = [
    (
        ["poisson", "negative_binomial"],
        [1.0, -2.0, 0.5, 3.0, 1.5, 2.5],
        r"needs whole numbers of 0 or more in column 'deaths', but not so in row 11 \(-2\), "
        r"row 12 \(0.5\), row 14 \(1.5\) and 1 more; use likelihood='gaussian'",
    ),
    (
        ["poisson", "negative_binomial"],
        [0.0, 0.0, 0.0, 0.0],
        r"all 4 counts in column 'deaths' are 0 \(first rows: 10, 11, 12\): there is no rate to "
        "learn; a reference such as the cell mean",
    ),
    (
        ["bernoulli", "probit"],
        [0.0, 1.0, 2.0],
        r"needs 0 or 1 in column 'deaths', but not so in row 12 \(2\); map the two values to 0 "
        "and 1, or use likelihood='gaussian'",
    ),
    (
        ["bernoulli", "probit"],
        [1.0, 1.0],
        r"all 2 values in column 'deaths' are 1 \(first rows: 10, 11\): a likelihood of binary "
        "values needs "
        "both 0 and 1; a reference such as the cell mean",
    ),
]


@pytest.mark.parametrize(
    ("name", "values", "words"), [(name, *rest) for names, *rest in WRONG for name in names]
)
def test_impossible_values_are_refused_by_row(name, values, words):
    with pytest.raises(DataError, match=words):
        check_values(name, np.array(values), np.arange(10, 10 + len(values)), "deaths")


@pytest.mark.parametrize("name", ["gaussian", "student_t"])
def test_equal_real_values_are_worth_a_warning(name):
    with pytest.warns(DataWarning, match="all 3 values in column 'x' equal 2.5: there is nothing"):
        check_values(name, np.full(3, 2.5), np.arange(3), "x")
    check_values(name, np.full(1, 2.5), np.arange(1), "x")


@pytest.mark.parametrize(
    ("name", "values"),
    [("gaussian", NORMAL), ("student_t", NORMAL), ("poisson", COUNTS), ("probit", BINARY),
     ("negative_binomial", COUNTS), ("bernoulli", BINARY)],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_starts_fit_the_values(x64, name, values, dtype):
    check_values(name, values, np.arange(len(values)), "x")
    scaler = make_scaler(name, values)
    scaled = scaler.apply(values)
    likelihood = make_likelihood(name, scaled, dtype)
    assert likelihood.observes == LIKELIHOODS[name].observes
    zero = jnp.zeros((), dtype)
    mean, variance = likelihood.predictive_moments(zero, zero)
    assert mean.dtype == dtype
    if likelihood.observes == "real":
        assert float(mean) == 0.0
        assert 0.05 < float(variance) < 0.3
        assert scaled.std() == pytest.approx(1.0)
    else:
        np.testing.assert_array_equal(scaled, values)
        assert float(mean) == pytest.approx(values.mean(), rel=1e-4)


def test_the_dispersion_starts_from_the_moments():
    values = np.random.default_rng(0).negative_binomial(2.0, 0.2, 20_000).astype(float)
    start = make_likelihood("negative_binomial", values, jnp.float32)
    assert float(start.dispersion) == pytest.approx(2.0, rel=0.1)
    even = make_likelihood("negative_binomial", np.array([3.0, 3.0, 4.0]), jnp.float32)
    assert float(even.dispersion) == pytest.approx(100.0, rel=1e-5)
