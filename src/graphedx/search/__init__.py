"""Finding the graphs nearest to a query in a large collection, with proof.

One path of data: state (a collection and the ids of its graphs), index (who searches, adds and removes), hits (what was
found), files (an index on disk), shards (parts of an index on a cluster).
"""

from graphedx.search.hits import Hit, Hits
from graphedx.search.index import GraphIndex, IndexInfo

__all__ = ["GraphIndex", "Hit", "Hits", "IndexInfo"]
