"""What is wrong with a configuration file, and where."""

from dataclasses import dataclass

KeyPath = tuple[str, ...]
"""Keys from the root of a file; an entry of a list is its index as text."""

MAX_PROBLEMS = 1000
"""Problems listed per file; the rest is counted."""


@dataclass(frozen=True)
class Problem:
    """One finding.

    Attributes:
        file: Base name of the file.
        line: Line counted from 1, or null where the finding has none.
        key: Dotted path from the root as it is written in the file, or null.
        message: One or two sentences: what is wrong and what to do next. Never a secret.
    """

    file: str
    line: int | None
    key: str | None
    message: str


class UnreadableError(Exception):
    """A file of which nothing can be used.

    Attributes:
        line: Line counted from 1, or null.
        message: What is wrong and what to do next.
    """

    def __init__(self, line: int | None, message: str) -> None:
        """Keep both facts."""
        super().__init__(message)
        self.line = line
        self.message = message


class TextsError(ValueError):
    """Files of texts that cannot be used.

    Attributes:
        problems: Everything that is wrong with them.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Say the first one, and how many there are."""
        first = problems[0]
        place = ":".join(str(part) for part in (first.file, first.line) if part is not None)
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{place}: {first.message}{more}")
        self.problems = problems


class Source:
    """One file while it is read: where its keys stand, and what was found.

    Attributes:
        file: Base name.
        shows_values: Whether a message may quote a value; false where values may be secrets.
        errors: Findings that refuse the configuration, in order of discovery.
        warnings: Findings that do not.
    """

    def __init__(self, file: str, *, shows_values: bool = True) -> None:
        """Begin with no findings."""
        self.file = file
        self.shows_values = shows_values
        self.errors: list[Problem] = []
        self.warnings: list[Problem] = []
        self._places: dict[KeyPath, tuple[int, KeyPath]] = {}
        self._unlisted = 0

    def note(self, path: KeyPath, written: str, line: int) -> None:
        """Remember that the key at ``path`` stands in ``line``, spelled ``written`` (it may be an alias)."""
        self._places[path] = (line, (*self._written(path[:-1]), written))

    def knows(self, path: KeyPath) -> bool:
        """Return whether that key is written in the file."""
        return path in self._places

    def quote(self, text: str) -> str:
        """Return the value for use in a message, or a stand-in where values are not shown."""
        if not self.shows_values:
            return "this value"
        return repr(text if len(text) <= 60 else text[:60] + "…")

    def error(self, path: KeyPath, message: str, line: int | None = None, key: str | None = None) -> None:
        """Add an error.

        Args:
            path: Where, in canonical keys.
            message: What is wrong and what to do next.
            line: Its line; null places it at the nearest key that is written in the file.
            key: An entry of ``path`` that has no canonical place of its own, such as a second spelling.
        """
        if len(self.errors) >= MAX_PROBLEMS:
            self._unlisted += 1
            return
        self.errors.append(self._problem(path, message, line, key))

    def warn(self, path: KeyPath, message: str, line: int | None = None) -> None:
        """Add a warning, placed like an error."""
        if len(self.warnings) < MAX_PROBLEMS:
            self.warnings.append(self._problem(path, message, line))

    def listed_errors(self) -> list[Problem]:
        """Return the errors by line, and a last one that says how many were left out."""
        listed = sorted(self.errors, key=lambda problem: problem.line or 0)
        if self._unlisted:
            listed.append(Problem(self.file, None, None, f"{self._unlisted} more errors are not listed."))
        return listed

    def _problem(self, path: KeyPath, message: str, line: int | None, key: str | None = None) -> Problem:
        if line is None:
            path = self._known_prefix(path)
            line = self._places[path][0] if path else None
        written = (*self._written(path), *([key] if key else []))
        return Problem(self.file, line, ".".join(written) or None, message)

    def _known_prefix(self, path: KeyPath) -> KeyPath:
        while path and path not in self._places:
            path = path[:-1]
        return path

    def _written(self, path: KeyPath) -> KeyPath:
        prefix = self._known_prefix(path)
        return (*(self._places[prefix][1] if prefix else ()), *path[len(prefix) :])
