"""The vectors of an index: there from the start, in its file, or made when an approximate search first asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from numpy.typing import NDArray

from graphedx._collection import Collection
from graphedx.search.approximate import ApproximateSearch

Arrays = Mapping[str, NDArray[Any]]


class Stored(NamedTuple):
    """Vectors in a file; they are many, so nobody reads them before they are needed."""

    arrays: Arrays
    check: Callable[[], None]  # raises a FormatError if they are damaged


class KeptVectors:
    """The vectors of a collection, which does not change. Threads may ask at the same time; they are made once."""

    def __init__(
        self, collection: Collection, *, stored: Stored | None = None, search: ApproximateSearch | None = None
    ) -> None:
        self._collection, self._stored, self._search = collection, stored, search
        self._making = Lock()

    def __reduce__(self) -> tuple[object, ...]:
        return _checked_before, (self._collection, self.arrays())

    @property
    def there(self) -> bool:
        """Whether there are any, or would have to be made."""
        return self._search is not None or self._stored is not None

    @property
    def bytes(self) -> int:
        arrays = self._search.arrays if self._search else self._stored.arrays if self._stored else {}
        return sum(array.nbytes for array in arrays.values())

    def arrays(self) -> Arrays:
        """Those that are there, to be written to a file."""
        with self._making:
            if self._search is not None:
                return self._search.arrays
            if self._stored is not None:
                self._stored.check()
                return self._stored.arrays
            return {}

    def search(self) -> ApproximateSearch:
        """Who searches them; they are made now if there are none."""
        with self._making:
            if self._search is None:
                if self._stored is None:
                    self._search = ApproximateSearch.of(self._collection)
                else:
                    self._stored.check()
                    self._search = ApproximateSearch(self._collection, self._stored.arrays)
            return self._search

    def extended(self, collection: Collection) -> KeptVectors:
        """For the collection with more graphs behind; where there are no vectors, none are made."""
        return KeptVectors(collection, search=self.search().extended(collection) if self.there else None)

    def without(self, collection: Collection, positions: Iterable[int]) -> KeptVectors:
        """For the collection that is left without these positions."""
        return KeptVectors(collection, search=self.search().without(collection, positions) if self.there else None)


def _checked_before(collection: Collection, arrays: Arrays) -> KeptVectors:
    """From what ``arrays`` gave."""
    return KeptVectors(collection, stored=Stored(arrays, lambda: None) if arrays else None)
