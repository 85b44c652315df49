"""The log of a process that serves: lines for people, or one JSON object each, on standard error."""

import json
import logging
import sys
import time
from typing import Any, Final, Literal

from confirmo.workflows.payload_drivers import PayloadProblem

EVENT_LOGGER: Final = "temporalio.workflow"
"""Where the workflow logs its events; silent on replay."""

_TEXT: Final = "%(asctime)s %(levelname)s %(message)s"


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON: time, level, logger, message, and an event's fields beside them."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. An event's ``time`` is its own, and its name is the message."""
        event = event_of(record)
        fields: dict[str, Any] = {
            "time": self._moment(record.created),
            **(event or {}),
            "level": record.levelname,
            "logger": record.name,
            "message": event["name"] if event else record.getMessage(),
        }
        # Where records are private, the traceback is masked text already.
        told = record.exc_text or (self.formatException(record.exc_info) if record.exc_info else None)
        if told:
            fields["exception"] = told
        return json.dumps(fields, ensure_ascii=False, default=str)

    @staticmethod
    def _moment(seconds: float) -> str:
        whole, fraction = divmod(seconds, 1)
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int(fraction * 1000):03}Z"


def event_of(record: logging.LogRecord) -> dict[str, Any] | None:
    """Return the event that a record tells; null where it tells none."""
    event = getattr(record, "confirmo_event", None)
    return event if isinstance(event, dict) else None


def handler_for(log_format: Literal["text", "json"], level: int) -> logging.Handler:
    """Return the one handler of a process.

    Events are written from ``level`` INFO down; other records as their loggers' levels say.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else logging.Formatter(_TEXT))
    handler.addFilter(lambda record: level <= record.levelno or event_of(record) is None)
    return handler


def log_to_stderr(level: int, log_format: Literal["text", "json"] = "text") -> None:
    """Write the log to standard error; other people's libraries only from a warning on."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(handler_for(log_format, level))
        root.setLevel(logging.WARNING)
    logging.getLogger("confirmo").setLevel(level)
    logging.getLogger(EVENT_LOGGER).setLevel(level)
    # Every expected retry is a warning with a traceback there; the attempt and its reason are in the history.
    logging.getLogger("temporalio.activity").setLevel(logging.ERROR)
    for name in ("temporalio.worker._workflow", "temporalio.worker._activity"):
        logging.getLogger(name).addFilter(_as_sentence)


def _as_sentence(record: logging.LogRecord) -> bool:
    """Tell a payload store that is away in a sentence: it is no mistake of the workflow, whose task is tried again."""
    problem = getattr(record, "error", None) or (record.exc_info[1] if record.exc_info else None)
    if isinstance(problem, PayloadProblem):
        record.msg, record.args = "%s It is tried again.", (problem.message,)
        record.exc_info = record.exc_text = None
    return True
