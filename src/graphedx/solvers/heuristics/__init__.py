"""Mappings that are good and found quickly."""

from graphedx.solvers.heuristics import beam, bipartite, improve, ipfp, large, refine

__all__ = ["beam", "bipartite", "improve", "ipfp", "large", "refine"]
