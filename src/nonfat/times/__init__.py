"""Time representations: how entities and time become the inputs of the combiner."""

from nonfat.times.base import EntityTables, TimeRepresentation
from nonfat.times.basis import Basis
from nonfat.times.continuous import Continuous
from nonfat.times.discrete import Discrete
from nonfat.times.dynamics import Dynamics
from nonfat.times.entries import Entries
from nonfat.times.factors import Factors, Moment, Nowhere
from nonfat.times.laguerre import LaguerreBasis
from nonfat.times.spectral import SpectralBasis
from nonfat.times.trajectories import Trajectories

__all__ = [
    "Basis",
    "Continuous",
    "Discrete",
    "Dynamics",
    "EntityTables",
    "Entries",
    "Factors",
    "LaguerreBasis",
    "Moment",
    "Nowhere",
    "SpectralBasis",
    "TimeRepresentation",
    "Trajectories",
]
