"""Finding the graphs nearest to a query in a large collection, with proof.

One path of data: state (a collection and the ids of its graphs), index (who searches, adds and removes), hits (what was
found), pages (the same in words and pictures), files (an index on disk), shards (parts of an index on a cluster).
Beside it, without proof: vectors, approximate (who searches those), kept_vectors (where an index has them).
"""

from graphedx.search.hits import Hit, Hits
from graphedx.search.index import GraphIndex, IndexInfo

__all__ = ["GraphIndex", "Hit", "Hits", "IndexInfo"]
