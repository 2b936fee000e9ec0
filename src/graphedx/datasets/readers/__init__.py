"""The graphs of the datasets' own files: one reader a kind of file, each with ``read(path) -> Iterator[Graph]``.

``path`` is a folder (of an unpacked archive, so files may lie deeper) or one file, which may be packed with gzip. Every
graph of the source is yielded, large ones too, one at a time and in the order of the files, with its own labels and a
name that tells where it comes from but not where the file lay. The caller filters by size, so that it can count what it
drops. What a reader leaves out by itself is said in its docstring, and warned of where it could surprise.

A source that is not what the reader knows is a DatasetError, a damaged file a FormatError; both name the path.
"""
