"""Mappings that are good and found quickly."""

from graphedx.solvers.heuristics import bipartite, refine

__all__ = ["bipartite", "refine"]
