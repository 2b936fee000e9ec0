"""Mappings that are good and found quickly."""

from graphedx.solvers.heuristics import beam, bipartite, ipfp, refine

__all__ = ["beam", "bipartite", "ipfp", "refine"]
