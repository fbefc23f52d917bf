"""A fitted estimator as a manifest and arrays, and back."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from nonfat import persist
from nonfat.data import Affine, Schema
from nonfat.errors import ConfigError, ModelFileError
from nonfat.estimators.fitted import Fit, Origin
from nonfat.estimators.statics import statics, with_statics
from nonfat.models import TensorModel

__all__ = ["Arrays", "Contents", "Manifest", "check", "contents", "facts", "fill", "save"]

Manifest = persist.Manifest
Arrays = persist.Arrays
From = TypeVar("From", bound=Origin)


@dataclass(frozen=True)
class Contents:
    """A fitted model as a file holds it: arrays, and what of it is no array."""

    arrays: Arrays
    statics: Mapping[str, Any]


@dataclass(frozen=True)
class Facts(Generic[From]):
    """What a manifest says of a fitted model, apart from its arrays."""

    schema: Schema
    scaler: Affine
    provenance: From
    statics: Mapping[str, Any]


def save(
    name: str,
    params: Mapping[str, Any],
    fit: Fit[Any],
    contents: Contents,
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
        "statics": dict(contents.statics),
    }
    persist.write(path, manifest, contents.arrays, overwrite=overwrite)


def facts(manifest: Manifest, provenance: type[From]) -> Facts[From]:
    """The facts of a manifest; which provenance it tells depends on the kind of estimator."""
    return Facts(
        Schema.from_json(manifest["schema"]),
        Affine.from_json(manifest["scaler"]),
        provenance(**manifest["provenance"]),
        manifest["statics"],
    )


def contents(model: TensorModel) -> Contents:
    """A trained model as a file holds it."""
    arrays = {name: np.asarray(leaf) for name, leaf in _named_leaves(model).items()}
    return Contents(arrays, statics(model))


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
