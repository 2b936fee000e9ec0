"""All distances between many graphs: on every core, with progress, resumable, and honest about what is not proven.

One path of data: pairs (what there is to solve), an engine (who solves it), table (the result), files (the result on
disk).
"""

from graphedx.engine import Progress
from graphedx.matrix.compute import distance_matrix
from graphedx.matrix.table import DistanceMatrix

__all__ = ["DistanceMatrix", "Progress", "distance_matrix"]
