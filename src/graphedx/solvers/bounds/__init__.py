"""Lower bounds, and the mappings that come with them."""

from graphedx.solvers.bounds import branch, branch_tight, hed

__all__ = ["branch", "branch_tight", "hed"]
