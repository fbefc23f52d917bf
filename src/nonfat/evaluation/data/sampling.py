"""Sums over a long stream, kept for a random few of its keys, or exact counts of its commonest.

Both hold a bounded number of keys, however long the stream.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

__all__ = ["Sample", "Tally"]

Key = tuple[Hashable, ...]


class Sample:
    """Totals of some keys, drawn so that every set of that size is equally likely.

    A key's priority is a hash of it; the keys with the lowest stay. A key that is let in late was
    never seen before, since its priority would have let it in: every total is complete.

    Args:
        rows: how many keys to keep; None keeps all.
        seed: of the draw.

    Example:
        >>> sample = Sample(2)
        >>> for word in "to be or not to be".split():
        ...     sample.add((word,), 1)
        >>> len(sample.totals()), set(sample.totals().values()) <= {1, 2}
        (2, True)
    """

    def __init__(self, rows: int | None, seed: int = 0) -> None:
        self._rows = rows
        self._salt = seed.to_bytes(8, "little")
        self._bound: bytes | None = None
        self._totals: dict[Key, float] = {}

    def add(self, key: Key, amount: float) -> None:
        """Add to the total of a key."""
        if (total := self._totals.get(key)) is not None:
            self._totals[key] = total + amount
        else:
            self.put(key, amount)

    def put(self, key: Key, value: float) -> None:
        """Set the total of a key."""
        if self._bound is not None and self._priority(key) > self._bound:
            return
        self._totals[key] = value
        # Twice as many before some are dropped: the work of that is spread over many rows.
        if self._rows is not None and len(self._totals) > 2 * self._rows:
            self._shrink(self._rows)

    def totals(self) -> dict[Key, float]:
        """The keys that are kept, with their totals."""
        if self._rows is not None and len(self._totals) > self._rows:
            self._shrink(self._rows)
        return self._totals

    def _shrink(self, rows: int) -> None:
        kept = heapq.nsmallest(rows, ((self._priority(key), key) for key in self._totals), _first)
        self._bound = kept[-1][0]
        self._totals = {key: self._totals[key] for _, key in kept}

    def _priority(self, key: Key) -> bytes:
        text = "\x1f".join(map(str, key))
        return hashlib.blake2b(text.encode(), digest_size=8, salt=self._salt).digest()


def _first(pair: tuple[bytes, Key]) -> bytes:
    return pair[0]


class Tally:
    """Counts of names, of which only the commonest matter.

    With more different names than fit, all counts are lowered and what falls to zero is forgotten
    (Misra and Gries): a name that occurs in more than two in `capacity` of all places stays.

    Args:
        capacity: how many names are held; up to here, counts are exact.

    Example:
        >>> tally = Tally()
        >>> tally.update("to be or not to be".split())
        >>> tally.commonest(2)
        ['be', 'to']
    """

    def __init__(self, capacity: int = 1_000_000) -> None:
        self._capacity = capacity
        self._counts: Counter[str] = Counter()

    def update(self, names: Iterable[str]) -> None:
        """Count some names."""
        self._counts.update(names)
        while len(self._counts) > self._capacity:
            # The median: half of the names go, so this happens seldom.
            lowered = sorted(self._counts.values())[len(self._counts) // 2]
            kept = {name: n - lowered for name, n in self._counts.items() if n > lowered}
            self._counts = Counter(kept)

    def commonest(self, count: int) -> list[str]:
        """The names with the highest counts, sorted by name; names decide between equals."""
        ranked = heapq.nsmallest(count, self._counts.items(), key=_rank)
        return sorted(name for name, _ in ranked)


def _rank(pair: Sequence[object]) -> tuple[int, str]:
    name, count = pair
    assert isinstance(count, int)
    return -count, str(name)
