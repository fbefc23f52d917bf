"""What of a model is no array: sizes and constants that a file has to hold as well.

Were they taken from the code that reads a file, a new default would change an old model.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import equinox as eqx

__all__ = ["statics", "with_statics"]

Part = TypeVar("Part")


def statics(part: Any, path: str = "") -> dict[str, Any]:
    """Every static field below a module, by path; lists stand for tuples, as in JSON.

    Example:
        >>> import jax.numpy as jnp
        >>> from nonfat.times import LaguerreBasis
        >>> statics(LaguerreBasis.create(R=1, C=4, horizon=20.0, dtype=jnp.float32))
        {'.size': 4, '.horizon': 20.0}
    """
    found: dict[str, Any] = {}
    for name, child, static in _children(part):
        if static:
            found[path + name] = list(child) if isinstance(child, tuple) else child
        else:
            found |= statics(child, path + name)
    return found


def with_statics(part: Part, found: Mapping[str, Any], path: str = "") -> Part:
    """The same module with other static fields; inverse of `statics`.

    Example:
        >>> import jax.numpy as jnp
        >>> from nonfat.times import LaguerreBasis
        >>> basis = LaguerreBasis.create(R=1, C=4, horizon=20.0, dtype=jnp.float32)
        >>> with_statics(basis, {".size": 4, ".horizon": 10.0}).horizon
        10.0
    """
    if isinstance(part, tuple):
        children = [with_statics(child, found, f"{path}[{at}]") for at, child in enumerate(part)]
        return type(part)(children)  # type: ignore[return-value]
    changes = {}
    for name, child, static in _children(part):
        new = found[path + name] if static else with_statics(child, found, path + name)
        if static and isinstance(child, tuple):
            new = tuple(new)
        if new is not child and (not static or new != child):
            changes[name[1:]] = new
    return dataclasses.replace(part, **changes) if changes else part  # type: ignore[type-var]


def _children(part: Any) -> Iterator[tuple[str, Any, bool]]:
    """Name, value, and whether it is static, of all that a module or a tuple holds."""
    if isinstance(part, tuple):
        yield from ((f"[{at}]", child, False) for at, child in enumerate(part))
    elif isinstance(part, eqx.Module):
        for field in dataclasses.fields(part):
            static = bool(field.metadata.get("static", False))
            yield f".{field.name}", getattr(part, field.name), static
