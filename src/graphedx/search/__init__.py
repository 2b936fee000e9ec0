"""Finding the graphs nearest to a query in a large collection."""
