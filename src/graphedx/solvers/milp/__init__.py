"""Methods that hand a mixed-integer linear programme to a solver; the solver itself is loaded when first used."""

from graphedx.solvers.milp import f2

__all__ = ["f2"]
