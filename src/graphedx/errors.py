"""Everything graphedx raises on purpose: one base, and a child for each kind of trouble."""


class GraphEdXError(Exception):
    """Base of all errors that graphedx raises on purpose."""


class GraphError(GraphEdXError, ValueError):
    """A graph that cannot be compared: self-loop, parallel edge, unknown end point, unhashable label."""


class CostError(GraphEdXError, ValueError):
    """A cost that is negative, not finite, missing or not a number."""


class MappingError(GraphEdXError, ValueError):
    """A node mapping or edit path that does not fit the graphs it is used with."""


class FormatError(GraphEdXError, ValueError):
    """A file that cannot be read as the format it claims to be, or a format nobody knows."""


class IntegrityError(FormatError):
    """A file that does not match its own checksums: it was damaged or changed after it was written."""


class MethodError(GraphEdXError, ValueError):
    """A method that does not exist or cannot do what was asked of it."""


class DatasetError(GraphEdXError, ValueError):
    """A source, dataset or set of labels that is missing, damaged, or of something else than was asked for."""


class ModelError(GraphEdXError, ValueError):
    """A model, its weights or its training data that do not fit together or cannot be used."""


class ExperimentError(GraphEdXError, ValueError):
    """An experiment or job that does not exist or is not declared well, or results that are damaged."""


class IdError(GraphEdXError, LookupError, ValueError):
    """An id that an index does not have, has already, or could not keep."""


class EngineError(GraphEdXError, RuntimeError):
    """Work that could not be carried out where it was sent: no cluster, or workers that die again and again."""


class OutputError(GraphEdXError, OSError):
    """A result that cannot be written where it was asked for; nothing was overwritten."""


class PathError(GraphEdXError, TypeError):
    """Something that is no path where a file or a folder was asked for."""


class DrawingError(GraphEdXError, ValueError):
    """Something that cannot be drawn, such as a distance matrix that is not square."""


class MissingExtraError(GraphEdXError, ImportError):
    """An optional library is needed; the message names the extra that installs it."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is needed for this: pip install 'graphedx[{extra}]'")
        self._needed = library, extra

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._needed  # so that it survives the way from another process


class NotProvenError(GraphEdXError, RuntimeError):
    """The distance was asked for, but only bounds are proven."""
