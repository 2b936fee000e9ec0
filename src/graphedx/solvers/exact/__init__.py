"""Methods that prove the distance."""

from graphedx.solvers.exact import branch_and_bound, brute_force

__all__ = ["branch_and_bound", "brute_force"]
