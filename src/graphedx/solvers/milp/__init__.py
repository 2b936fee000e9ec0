"""Methods that hand a mixed-integer linear programme to a solver; the solver itself is loaded when first used."""

from graphedx.solvers.milp import f2, fori

__all__ = ["f2", "fori"]
