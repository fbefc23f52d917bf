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
from nonfat.errors import ConfigError, ModelFileError
from nonfat.estimators.fitted import Fit, Provenance
from nonfat.estimators.statics import statics, with_statics
from nonfat.models import TensorModel

__all__ = ["Arrays", "Manifest", "check", "facts", "fill", "fit", "save"]

Manifest = persist.Manifest
Arrays = persist.Arrays


@dataclass(frozen=True)
class Facts:
    """What a manifest says of a fitted model, apart from its arrays."""

    schema: Schema
    scaler: Affine
    provenance: Provenance
    statics: Mapping[str, Any]


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
        "statics": statics(fit.model),
    }
    persist.write(path, manifest, _named_arrays(fit.model), overwrite=overwrite)


def facts(manifest: Manifest) -> Facts:
    """The facts of a manifest."""
    return Facts(
        Schema.from_json(manifest["schema"]),
        Affine.from_json(manifest["scaler"]),
        Provenance(**manifest["provenance"]),
        manifest["statics"],
    )


def fit(facts: Facts, model: TensorModel) -> Fit:
    """Facts and model together."""
    return Fit(facts.schema, facts.scaler, model, facts.provenance)


def check(skeleton: TensorModel, model: TensorModel) -> None:
    """Refuse to save a model that the options no longer describe: no file could be read back.

    Sizes may differ, for a file holds them; parts and dtypes may not.

    Raises:
        ConfigError: an option that decides on the model's parts was changed after fitting.
    """
    described, fitted = (
        {name: leaf.dtype for name, leaf in _named_leaves(tree).items()}
        for tree in (skeleton, model)
    )
    if described != fitted or set(statics(skeleton)) != set(statics(model)):
        raise ConfigError(
            "options that decide on the model's parts (such as basis or dtype) were changed "
            "after fit; fit again, or set them back, and then save"
        )


def fill(skeleton: TensorModel, arrays: Arrays, found: Mapping[str, Any]) -> TensorModel:
    """A model of the skeleton's parts with the arrays and static fields of a file.

    Sizes are the file's: defaults of today may differ from those of the day it was written.

    Raises:
        ModelFileError: the file's arrays are not those of such a model.
    """
    expected = _named_leaves(skeleton)
    odd = sorted(set(expected) ^ set(arrays) or set(statics(skeleton)) ^ set(found))
    if odd:
        raise ModelFileError(
            f"the file's arrays do not fit its own settings (first difference: {odd[0]}); "
            "it was written by another version of nonfat, or altered"
        )
    filled = []
    for name, leaf in expected.items():
        array = arrays[name]
        if array.ndim != leaf.ndim or array.dtype != leaf.dtype:
            raise ModelFileError(
                f"the file's array {name} is {array.dtype} of {array.ndim} dimensions, expected "
                f"{leaf.dtype} of {leaf.ndim}; it was written by another version of nonfat"
            )
        filled.append(jnp.asarray(array))
    model = jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(skeleton), filled)
    return with_statics(model, found)


def _named_arrays(model: TensorModel) -> Arrays:
    return {name: np.asarray(leaf) for name, leaf in _named_leaves(model).items()}


def _named_leaves(tree: TensorModel) -> dict[str, Any]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): leaf for path, leaf in leaves}


def _plain(value: Any) -> Any:
    """An option as JSON can hold it."""
    if isinstance(value, np.generic | np.ndarray) or hasattr(value, "to_list"):
        return _plain(value.tolist() if hasattr(value, "tolist") else value.to_list())
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
