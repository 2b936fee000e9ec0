"""All distances between many graphs: on every core, with progress, resumable, and honest about what is not proven.

One path of data: pairs (what there is to solve), pool (threads that solve it), checkpoint (what survives a crash),
table (the result), files (the result on disk).
"""

from graphedx.matrix.compute import distance_matrix
from graphedx.matrix.progress import Progress
from graphedx.matrix.table import DistanceMatrix

__all__ = ["DistanceMatrix", "Progress", "distance_matrix"]
