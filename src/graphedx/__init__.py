"""Graph edit distance you can trust: exact when it can be, bounded when it cannot; any costs, with the edit path."""

from graphedx._starting import starting

with starting():
    from importlib.metadata import PackageNotFoundError, version

    from graphedx import datasets
    from graphedx.api import (
        DistanceMatrix,
        GraphIndex,
        Hit,
        Hits,
        distance_matrix,
        edit_path,
        ged,
        ged_stream,
        improve,
        load_model,
        methods,
    )
    from graphedx.costs import EditCosts
    from graphedx.edits import EditPath, NodeMapping, induced_cost
    from graphedx.errors import CostError, GraphEdXError, GraphError, NotProvenError
    from graphedx.graph import Graph
    from graphedx.io import read, read_all, write
    from graphedx.result import GedEstimate, GedResult, StopReason

try:
    __version__ = version("graphedx")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+unknown"

__all__ = [
    "CostError",
    "DistanceMatrix",
    "EditCosts",
    "EditPath",
    "GedEstimate",
    "GedResult",
    "Graph",
    "GraphEdXError",
    "GraphError",
    "GraphIndex",
    "Hit",
    "Hits",
    "NodeMapping",
    "NotProvenError",
    "StopReason",
    "datasets",
    "distance_matrix",
    "edit_path",
    "ged",
    "ged_stream",
    "improve",
    "induced_cost",
    "load_model",
    "methods",
    "read",
    "read_all",
    "write",
]
