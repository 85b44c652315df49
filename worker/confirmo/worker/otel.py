"""OpenTelemetry where an endpoint is set: spans, and events as log records, over OTLP (http/protobuf).

Everything is configured by the standard ``OTEL_*`` variables. The SDK comes with the extra ``otel``; nothing here
loads it before an endpoint is set.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

_logger = logging.getLogger("confirmo.worker")

_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_PROTOCOL: Final = "OTEL_EXPORTER_OTLP_PROTOCOL"
_HTTP: Final = "http/protobuf"


@contextmanager
def exporting(environ: Mapping[str, str], service: str, patience: float = 10.0) -> Iterator[None]:
    """Export for the length of the block, and send what is left at its end; nothing where no endpoint is set.

    A provider that the process has already stays: whoever set it configures it.

    Args:
        environ: With the ``OTEL_*`` variables.
        service: What this process is called where they do not say.
        patience: Seconds for the end; a collector that is away does not hold up a process for longer.
    """
    wanted = wanted_signals(environ)
    stops: list[Callable[[], object]] = []
    if wanted and not _extra_is_there():
        _logger.warning(
            "%s is set, but nothing is exported: install the extra with pip install 'confirmo[otel]'.",
            _ENDPOINT,
        )
        wanted = frozenset()
    if wanted:
        from confirmo.worker.otel_export import start

        stops = start(wanted, service, environ)
    try:
        yield
    finally:
        ending = [threading.Thread(target=stop, daemon=True) for stop in stops]
        deadline = time.monotonic() + patience
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join(max(0.0, deadline - time.monotonic()))


def _extra_is_there() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False


def wanted_signals(environ: Mapping[str, str]) -> frozenset[str]:
    """Return which of ``TRACES`` and ``LOGS`` are to be exported."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return frozenset()
    return frozenset(signal for signal in ("TRACES", "LOGS") if _wanted(signal, environ))


def _wanted(signal: str, environ: Mapping[str, str]) -> bool:
    own = f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"
    if not (environ.get(own) or environ.get(_ENDPOINT)):
        return False
    if environ.get(f"OTEL_{signal}_EXPORTER", "otlp") != "otlp":
        return False
    protocol = environ.get(f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL") or environ.get(_PROTOCOL) or _HTTP
    if protocol == _HTTP:
        return True
    _logger.warning(
        "%s asks for another protocol than %s, the only one that is spoken here: no %s are exported. "
        "Set it, and the collector's HTTP port (4318).",
        _PROTOCOL,
        _HTTP,
        signal.lower(),
    )
    return False
