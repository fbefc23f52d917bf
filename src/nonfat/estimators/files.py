"""A fitted estimator as a manifest and arrays, and back."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from nonfat import persist
from nonfat.data import Affine, Schema
from nonfat.errors import ModelFileError
from nonfat.estimators.fitted import Fit, Provenance
from nonfat.models import TensorModel

__all__ = ["Arrays", "Manifest", "facts", "fill", "fit", "save"]

Manifest = persist.Manifest
Arrays = persist.Arrays


@dataclass(frozen=True)
class Facts:
    """What a manifest says of a fitted model, apart from its arrays."""

    schema: Schema
    scaler: Affine
    provenance: Provenance

    @property
    def distinct_times(self) -> int:
        """Distinct times of the training rows."""
        return self.provenance.distinct_times

    @property
    def training_rows(self) -> int:
        """Rows that the model was trained on."""
        return self.provenance.training_rows


def save(
    name: str,
    params: Mapping[str, Any],
    fit: Fit,
    path: str | os.PathLike[str],
    overwrite: bool,
) -> None:
    """Write a fitted estimator to a file."""
    manifest = {
        "estimator": name,
        "params": {key: _plain(value) for key, value in params.items()},
        "schema": fit.schema.to_json(),
        "scaler": fit.scaler.to_json(),
        "provenance": asdict(fit.provenance),
    }
    persist.write(path, manifest, _named_arrays(fit.model), overwrite=overwrite)


def facts(manifest: Manifest) -> Facts:
    """The facts of a manifest."""
    return Facts(
        Schema.from_json(manifest["schema"]),
        Affine.from_json(manifest["scaler"]),
        Provenance(**manifest["provenance"]),
    )


def fit(facts: Facts, model: TensorModel) -> Fit:
    """Facts and model together."""
    return Fit(facts.schema, facts.scaler, model, facts.provenance)


def fill(skeleton: TensorModel, arrays: Arrays) -> TensorModel:
    """A model of the skeleton's structure with the arrays of a file.

    Raises:
        ModelFileError: the file's arrays are not those of such a model.
    """
    leaves, structure = jax.tree_util.tree_flatten_with_path(skeleton)
    expected = {jax.tree_util.keystr(path): leaf for path, leaf in leaves}
    if set(expected) != set(arrays):
        odd = sorted(set(expected) ^ set(arrays))
        raise ModelFileError(
            f"the file's arrays do not fit its own settings (first difference: {odd[0]}); "
            "it was written by another version of nonfat, or altered"
        )
    filled = []
    for name, leaf in expected.items():
        array = arrays[name]
        if array.shape != leaf.shape or array.dtype != leaf.dtype:
            raise ModelFileError(
                f"the file's array {name} is {array.dtype}{list(array.shape)}, expected "
                f"{leaf.dtype}{list(leaf.shape)}; the file was altered"
            )
        filled.append(jnp.asarray(array))
    return jax.tree_util.tree_unflatten(structure, filled)


def _named_arrays(model: TensorModel) -> Arrays:
    leaves, _ = jax.tree_util.tree_flatten_with_path(model)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def _plain(value: Any) -> Any:
    """An option as JSON can hold it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
