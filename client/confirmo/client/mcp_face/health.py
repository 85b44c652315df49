"""``GET /healthz`` and ``GET /readyz`` beside ``/mcp``: 200 or 503, without credentials and without content."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from temporalio.client import Client
from temporalio.service import RPCError

_CHECK = timedelta(seconds=2)


def health_routes(temporal: Client) -> list[Route]:
    """Return both endpoints of a face. It is healthy while it answers, and ready while Temporal answers it."""

    async def healthz(_request: Request) -> JSONResponse:
        return _answer(True)

    async def readyz(_request: Request) -> JSONResponse:
        return _answer(await _reached(temporal))

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


async def _reached(temporal: Client) -> bool:
    try:
        return await temporal.service_client.check_health(timeout=_CHECK)
    except RPCError:
        return False


def _answer(good: bool) -> JSONResponse:
    return JSONResponse({"ok": good}, status_code=200 if good else 503)
