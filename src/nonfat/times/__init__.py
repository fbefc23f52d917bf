"""Time representations: how entities and time become the inputs of the combiner."""

from nonfat.times.base import EntityTables, TimeRepresentation
from nonfat.times.basis import Basis
from nonfat.times.entries import Entries
from nonfat.times.laguerre import LaguerreBasis
from nonfat.times.spectral import SpectralBasis
from nonfat.times.trajectories import Trajectories

__all__ = [
    "Basis",
    "EntityTables",
    "Entries",
    "LaguerreBasis",
    "SpectralBasis",
    "TimeRepresentation",
    "Trajectories",
]
