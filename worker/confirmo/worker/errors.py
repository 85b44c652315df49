"""Why a worker or the embedded server does not start; one sentence each, for people."""

from collections.abc import Sequence

from confirmo.policies.catalog import Problem


class WorkerError(Exception):
    """Base of all errors of this package."""


class ConfigurationError(WorkerError):
    """The three files or the settings cannot be used.

    Attributes:
        problems: Every problem, with file, line and key; those of the settings are the environment's.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Name the number of problems; the caller lists them."""
        super().__init__(f"The configuration has {len(problems)} error(s); nothing was started.")
        self.problems = tuple(problems)


class ServerUnavailable(WorkerError):
    """Temporal, its namespace, or a port that is needed cannot be had."""
