"""``/healthz`` and ``/readyz`` of a face that listens on a network."""

import httpx2
from starlette.applications import Starlette
from temporalio.client import Client

from confirmo.client.mcp_face import health_routes
from harness.proxy import Fault, Proxy


async def asked(temporal: Client) -> dict[str, int]:
    app = httpx2.ASGITransport(Starlette(routes=health_routes(temporal)))
    async with httpx2.AsyncClient(transport=app, base_url="http://face") as http:
        return {path: (await http.get(path)).status_code for path in ("/healthz", "/readyz")}


async def test_a_face_is_healthy_as_long_as_it_answers_and_ready_while_temporal_does(client: Client) -> None:
    port = int(client.service_client.config.target_host.rpartition(":")[2])
    async with Proxy(port).running() as proxy:
        far = await Client.connect(f"127.0.0.1:{proxy.port}")
        assert await asked(far) == {"/healthz": 200, "/readyz": 200}
        proxy.fault = Fault.REFUSE
        proxy.reset()
        assert await asked(far) == {"/healthz": 200, "/readyz": 503}
        proxy.fault = Fault.NONE
        assert await asked(far) == {"/healthz": 200, "/readyz": 200}
