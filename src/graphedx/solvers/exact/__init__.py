"""Methods that prove the distance."""

from graphedx.solvers.exact import anchor_aware, branch_and_bound, brute_force

__all__ = ["anchor_aware", "branch_and_bound", "brute_force"]
