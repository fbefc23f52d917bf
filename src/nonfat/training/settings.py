"""How to train."""

from dataclasses import dataclass

__all__ = ["Training"]


@dataclass(frozen=True)
class Training:
    """Options of the training loop.

    Attributes:
        epochs: at most this many passes over the training rows.
        learning_rate: the highest rate of Adam; it warms up, then decays as a cosine.
        warmup: share of the epochs in which the weight of the KL terms grows from near 0 to 1.
        patience: epochs without a better validation score after which training stops; counted
            from the end of the warm-up, before which a model is too sure of itself.
        check_every: epochs between validations.
        validation_draws: draws of v in a validation.
        seed: of everything random.
    """

    epochs: int
    learning_rate: float
    warmup: float
    patience: int
    check_every: int = 5
    validation_draws: int = 16
    seed: int = 0

    def checks(self, epoch: int) -> bool:
        """Whether to look at the validation rows after an epoch."""
        return epoch % self.check_every == 0 or epoch == self.epochs

    def out_of_patience(self, epoch: int, best_epoch: int) -> bool:
        """Whether to stop after an epoch."""
        return epoch - max(best_epoch, self.warmup * self.epochs) >= self.patience
