"""The methods by name, each a composition: a time representation × a combiner.

The likelihood is the third axis and an option of all of them. NONFAT itself, trajectories × sparse
GP, has more to choose and a file of its own.
"""

from nonfat.estimators.decomposition import Decomposition
from nonfat.estimators.nonfat import NONFAT

__all__ = [
    "CPCT",
    "CPDTL",
    "CPDTN",
    "CPFT",
    "GPCT",
    "GPDTL",
    "GPDTN",
    "METHODS",
    "NNCT",
    "NNDTL",
    "NNDTN",
    "NNFT",
]


class CPCT(Decomposition):
    """CP whose weights are cubic splines of time: m = Σ_r λ_r(t) Π_k u^k_r.

    Example:
        >>> CPCT(["site", "pollutant"], rank=3, knots=50)
        CPCT(knots=50, modes=['site', 'pollutant'], rank=3)
    """

    composition = "continuous time × CP"
    _time, _combiner = "continuous", "cp"


class GPCT(Decomposition):
    """A Gaussian process of the factors and the time: m = f(u¹, …, u^K, t).

    Example:
        >>> GPCT(["site", "pollutant"], pseudo_inputs=200).rank
        5
    """

    composition = "continuous time × sparse GP"
    _time, _combiner = "continuous", "gp"


class NNCT(Decomposition):
    """A neural network of the factors and the time.

    Example:
        >>> NNCT(["site", "pollutant"], width=30, depth=2).composition
        'continuous time × network'
    """

    composition = "continuous time × network"
    _time, _combiner = "continuous", "network"


class CPDTL(Decomposition):
    """CP with a mode of time steps that follow linear dynamics.

    Example:
        >>> CPDTL(["site", "pollutant"], steps=24).composition
        'linear steps × CP'
    """

    composition = "linear steps × CP"
    _time, _combiner = "linear", "cp"


class GPDTL(Decomposition):
    """A Gaussian process of the factors and of time steps that follow linear dynamics.

    Example:
        >>> GPDTL(["site", "pollutant"], steps=24).composition
        'linear steps × sparse GP'
    """

    composition = "linear steps × sparse GP"
    _time, _combiner = "linear", "gp"


class NNDTL(Decomposition):
    """A neural network of the factors and of time steps that follow linear dynamics.

    Example:
        >>> NNDTL(["site", "pollutant"], steps=24).composition
        'linear steps × network'
    """

    composition = "linear steps × network"
    _time, _combiner = "linear", "network"


class CPDTN(Decomposition):
    """CP with a mode of time steps that follow nonlinear dynamics.

    Example:
        >>> CPDTN(["site", "pollutant"], steps=24).composition
        'nonlinear steps × CP'
    """

    composition = "nonlinear steps × CP"
    _time, _combiner = "nonlinear", "cp"


class GPDTN(Decomposition):
    """A Gaussian process of the factors and of time steps that follow nonlinear dynamics.

    Example:
        >>> GPDTN(["site", "pollutant"], steps=24).composition
        'nonlinear steps × sparse GP'
    """

    composition = "nonlinear steps × sparse GP"
    _time, _combiner = "nonlinear", "gp"


class NNDTN(Decomposition):
    """A neural network of the factors and of time steps that follow nonlinear dynamics.

    Example:
        >>> NNDTN(["site", "pollutant"], steps=24).composition
        'nonlinear steps × network'
    """

    composition = "nonlinear steps × network"
    _time, _combiner = "nonlinear", "network"


class CPFT(NONFAT):
    """Trajectories multiplied and added up: CP whose factors move.

    Example:
        >>> CPFT(["site", "pollutant"], rank=3).composition
        'trajectories × CP'
    """

    composition = "trajectories × CP"
    _combiner = "cp"


class NNFT(NONFAT):
    """Trajectories combined by a neural network.

    Example:
        >>> NNFT(["site", "pollutant"], rank=3).composition
        'trajectories × network'
    """

    composition = "trajectories × network"
    _combiner = "network"


METHODS = (
    NONFAT, CPCT, GPCT, NNCT, GPDTL, GPDTN, NNDTL, NNDTN, CPDTL, CPDTN, CPFT, NNFT,
)  # fmt: skip
"""NONFAT, the seven that its paper compares it with, and the rest of the grid."""
