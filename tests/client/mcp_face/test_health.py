"""``/healthz`` and ``/readyz`` of a face that listens on a network."""

import httpx2
from starlette.applications import Starlette
from temporalio.client import Client

from confirmo.client.mcp_face import health_routes
from confirmo.worker.processes import free_port


async def asked(temporal: Client) -> dict[str, int]:
    app = httpx2.ASGITransport(Starlette(routes=health_routes(temporal)))
    async with httpx2.AsyncClient(transport=app, base_url="http://face") as http:
        return {path: (await http.get(path)).status_code for path in ("/healthz", "/readyz")}


async def test_a_face_is_ready_while_temporal_answers(client: Client) -> None:
    assert await asked(client) == {"/healthz": 200, "/readyz": 200}


async def test_a_face_without_temporal_is_healthy_and_not_ready() -> None:
    nobody = await Client.connect(f"127.0.0.1:{free_port()}", lazy=True)
    assert await asked(nobody) == {"/healthz": 200, "/readyz": 503}
