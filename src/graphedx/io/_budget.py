"""Limit how many nodes a file may declare: a few bytes must not become gigabytes."""

from __future__ import annotations

from graphedx.errors import FormatError

MAX_NODES = 10_000_000
"""No file may declare more nodes than this, however large it is."""
FREE_NODES = 10_000
"""Every file may declare this many nodes, however small it is."""


class NodeBudget:
    """Count the nodes that a file declares in all its graphs, and refuse more than its size accounts for.

    ``per_byte`` nodes for each byte, and ``FREE_NODES`` more. An edge takes at least five bytes in every format: one
    node per byte is enough for all graphs but those of isolated nodes.
    """

    def __init__(self, size: int, per_byte: int = 1) -> None:
        self.size = size
        self.per_byte = per_byte
        self.taken = 0

    @property
    def limit(self) -> int:
        """How many nodes the bytes account for."""
        return min(MAX_NODES, FREE_NODES + self.per_byte * self.size)

    def grow(self, size: int) -> None:
        """Count more bytes, of a file that is read in parts."""
        self.size += size

    def take(self, nodes: int) -> None:
        """Count the nodes of one more graph, before it is built."""
        self.taken += nodes
        if self.taken > self.limit:
            raise FormatError(
                f"declares {self.taken:,} nodes, more than the limit of {self.limit:,} for {self.size:,} bytes"
            )
