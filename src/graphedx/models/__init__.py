"""Neural models of the graph edit distance."""
