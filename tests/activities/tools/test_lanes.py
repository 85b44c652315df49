import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2

from confirmo.activities.tools.lanes import LanesTransport


@dataclass
class Server:
    """Answers each request once ``hold`` is set, and counts its connections."""

    port: int = 0
    opened: int = 0
    closed: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    held: int = 0
    all_held: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    wanted: int = 1

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.held += 1
                if self.held >= self.wanted:
                    self.all_held.set()
                await self.go.wait()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            self.closed.release()


@asynccontextmanager
async def serving(wanted: int = 1) -> AsyncIterator[Server]:
    server = Server(wanted=wanted)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield server


@asynccontextmanager
async def client_of(server: Server, idle_seconds: float = 60.0) -> AsyncIterator[httpx2.AsyncClient]:
    transport = LanesTransport(httpx2.AsyncHTTPTransport, idle_seconds)
    address = f"http://127.0.0.1:{server.port}"
    async with httpx2.AsyncClient(transport=transport, base_url=address) as client:
        yield client


async def test_one_request_after_another_shares_a_connection() -> None:
    async with serving() as server, client_of(server) as client:
        server.go.set()
        for _ in range(3):
            assert (await client.get("/")).text == "ok"
        assert server.opened == 1


async def test_requests_at_once_have_a_connection_each_and_share_them_later() -> None:
    async with serving(wanted=4) as server, client_of(server) as client:
        calls = [asyncio.create_task(client.get("/")) for _ in range(4)]
        async with asyncio.timeout(10):
            await server.all_held.wait()
        server.go.set()
        assert [(await call).text for call in calls] == ["ok"] * 4
        assert (await asyncio.gather(*(client.get("/") for _ in range(4))))[0].text == "ok"
        assert server.opened == 4


async def test_lanes_that_nobody_needs_any_more_are_closed() -> None:
    async with serving(wanted=3) as server, client_of(server, idle_seconds=-1.0) as client:
        calls = [asyncio.create_task(client.get("/")) for _ in range(3)]
        async with asyncio.timeout(10):
            await server.all_held.wait()
            server.go.set()
            await asyncio.gather(*calls)
            await client.get("/")
            for _ in range(2):
                await server.closed.acquire()


async def test_a_cancelled_request_leaves_its_lane_usable() -> None:
    async with serving() as server, client_of(server) as client:
        call = asyncio.create_task(client.get("/"))
        async with asyncio.timeout(10):
            await server.all_held.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        server.go.set()
        assert (await client.get("/")).text == "ok"


async def test_closing_the_client_closes_every_connection() -> None:
    async with serving(wanted=2) as server:
        async with client_of(server) as client:
            calls = [asyncio.create_task(client.get("/")) for _ in range(2)]
            async with asyncio.timeout(10):
                await server.all_held.wait()
            server.go.set()
            await asyncio.gather(*calls)
        async with asyncio.timeout(10):
            for _ in range(2):
                await server.closed.acquire()
