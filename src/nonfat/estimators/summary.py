"""A fitted model in a few lines of text."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from nonfat.estimators.fitted import Fit, Provenance
from nonfat.models import TensorModel

__all__ = ["describe", "training_story"]


def describe(name: str, fit: Fit[Any], story: Sequence[str]) -> str:
    """What was fitted, on what, and how it went."""
    schema, origin = fit.schema, fit.provenance
    first, last = schema.clock.from_float(np.array([0.0, schema.clock.last])).to_list()
    sizes = ", ".join(f"{mode} ({d})" for mode, d in zip(schema.modes, schema.shape, strict=True))
    lines = [
        f"{name}: {schema.value} by {sizes} over {schema.time}",
        f"  times        {first} to {last}, {origin.distinct_times} distinct",
        f"  rows         {origin.rows}, of which {origin.rows - origin.training_rows} "
        "held out for validation",
    ]
    return "\n".join([*lines, *story])


def training_story(fit: Fit[TensorModel]) -> list[str]:
    """Lines on how the training of a model went."""
    origin = fit.provenance
    assert isinstance(origin, Provenance)
    parameters = sum(leaf.size for leaf in jax.tree.leaves(fit.model))
    lines = [
        f"  parameters   {parameters:,}",
        f"  training     {origin.epochs} epochs in {origin.seconds:.0f} s, "
        f"best epoch {origin.best_epoch}, ELBO {origin.elbo:+.3f} per row",
    ]
    if origin.validation is not None:
        lines.append(f"  validation   log likelihood {origin.validation:+.3f} per row")
    if origin.reason:
        lines.append(f"  likelihood   {origin.likelihood}: {origin.reason}")
    noise = getattr(fit.model.likelihood, "noise_variance", None)
    if noise is not None:
        lines.append(f"  noise        std {float(noise) ** 0.5 * fit.scaler.scale:.4g}")
    if origin.skipped:
        lines.append(f"  skipped      {origin.skipped} steps with a non-finite gradient")
    return lines
