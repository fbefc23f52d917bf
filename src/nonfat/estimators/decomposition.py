"""Methods whose entities have static factors: what they share is all but their names."""

from collections.abc import Sequence
from typing import Any, ClassVar

from nonfat.errors import ConfigError
from nonfat.estimators.likelihoods import LikelihoodName
from nonfat.estimators.options import whole
from nonfat.estimators.trained import Schedule, TensorEstimator
from nonfat.models import CombinerName, Recipe, TimeName
from nonfat.training import DType

__all__ = ["Decomposition"]

# Chosen on validation rows of the Beijing training rows: docs/decisions/0006-methods.md
_SCHEDULES: dict[CombinerName, Schedule] = {
    "cp": Schedule(steps=3200, learning_rate=0.02, warmup=0.3),
    "gp": Schedule(steps=12000, learning_rate=0.04, warmup=0.3),
    "network": Schedule(steps=1600, learning_rate=0.02, warmup=0.6),
}
_DISCRETE: tuple[TimeName, ...] = ("linear", "nonlinear")


class Decomposition(TensorEstimator):
    """Entities as static factors; `time` and `combiner` of the class make it a method.

    Args:
        modes: the columns of entity ids; by default all columns but time and value.
        time: the column of times: numbers, dates or datetimes.
        value: the column of values.
        rank: R, factors per entity.
        steps: that time is cut into (discrete time only); 50, as in the paper, if None.
        knots: of the weights' splines (CPCT only); 100 if None.
        pseudo_inputs: a_g (sparse GP only); 100 if None.
        width: units in a layer (network only); 50 if None.
        depth: layers (network only); 3 if None.
        likelihood: how a value follows from its latent one: ``"gaussian"``, ``"student_t"`` (heavy
            tails), ``"poisson"`` or ``"negative_binomial"`` (counts), ``"bernoulli"`` or
            ``"probit"`` (0 or 1), or ``"auto"`` to let the values choose, with a warning that
            says what and why.
        exposure: for counts, the column of what they are counted over (hours, flights, people).
        epochs: passes over the rows; as many as the method usually needs if None.
        batch_size: rows in a step.
        learning_rate: the highest of the run.
        warmup: share of the run in which the prior gains its full weight.
        patience: epochs without a better validation score before training stops; a third of
            `epochs` if None.
        validation_fraction: share of the rows that is held out to choose the epoch.
        draws: of the factors in a prediction.
        dtype: ``"float32"`` or ``"float64"``.
        seed: of everything random.
        progress: whether to show a progress bar; None shows it on a terminal.
    """

    _time: ClassVar[TimeName]
    _combiner: ClassVar[CombinerName]

    def __init__(
        self,
        modes: Sequence[Any] | str | None = None,
        time: Any = "time",
        value: Any = "value",
        *,
        rank: int = 5,
        steps: int | None = None,
        knots: int | None = None,
        pseudo_inputs: int | None = None,
        width: int | None = None,
        depth: int | None = None,
        likelihood: LikelihoodName = "gaussian",
        exposure: Any = None,
        epochs: int | None = None,
        batch_size: int = 1000,
        learning_rate: float | None = None,
        warmup: float | None = None,
        patience: int | None = None,
        validation_fraction: float = 0.1,
        draws: int = 64,
        dtype: DType = "float32",
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.modes = modes
        self.time = time
        self.value = value
        self.rank = rank
        self.steps = steps
        self.knots = knots
        self.pseudo_inputs = pseudo_inputs
        self.width = width
        self.depth = depth
        self.likelihood = likelihood
        self.exposure = exposure
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warmup = warmup
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.draws = draws
        self.dtype = dtype
        self.seed = seed
        self.progress = progress

    def _schedule(self) -> Schedule:
        return _SCHEDULES[self._combiner]

    def _recipe(self, N: int) -> Recipe:
        a_g = self._size("pseudo_inputs", 100, self._combiner == "gp")
        return Recipe(
            time=self._time,
            combiner=self._combiner,
            R=whole("rank", self.rank),
            a_g=min(a_g, max(N, 1)),
            start_std=1.0,
            steps=self._size("steps", 50, self._time in _DISCRETE),
            knots=self._size("knots", 100, (self._time, self._combiner) == ("continuous", "cp")),
            width=self._size("width", 50, self._combiner == "network"),
            depth=self._size("depth", 3, self._combiner == "network"),
        )

    def _size(self, name: str, default: int, has: bool) -> int:
        """A size that the method may lack, and then nobody should ask for."""
        value = getattr(self, name)
        if value is None:
            return default
        if not has:
            raise ConfigError(
                f"{name}: {type(self).__name__} ({self.composition}) has none; leave it out"
            )
        return whole(name, value, least=2 if name == "knots" else 1)
