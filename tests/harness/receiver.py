"""A webhook receiver in the test's own loop: it records what came, and answers as a test says."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.serving import serving

BOUND = 60.0


@dataclass(frozen=True)
class Delivered:
    """One request as it came."""

    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass
class WebhookReceiver:
    """Answers each request with the next of ``answers`` (a status, a response, or a function), then with 204."""

    answers: Iterator[int | Response | Callable[[], Any]] = field(default_factory=lambda: iter(()))
    came: list[Delivered] = field(default_factory=list)
    url: str = ""

    def answering(self, *answers: int | Response | Callable[[], Any]) -> None:
        self.answers = iter(answers)

    async def _receive(self, request: Request) -> Response:
        self.came.append(Delivered(dict(request.headers), await request.body()))
        answer = next(self.answers, 204)
        if callable(answer) and not isinstance(answer, Response):
            answer = await answer()
        return answer if isinstance(answer, Response) else Response(status_code=answer)

    def of(self, kind: str) -> list[Delivered]:
        return [one for one in self.came if one.told["type"] == kind]

    def kinds(self) -> list[str]:
        return [one.told["type"] for one in self.came]

    async def until(self, kind: str, times: int = 1) -> list[Delivered]:
        """Wait for so many deliveries of a type; bounded."""
        async with asyncio.timeout(BOUND):
            while len(found := self.of(kind)) < times:
                await asyncio.sleep(0.01)
        return found

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator["WebhookReceiver"]:
        routes: Iterable[Route] = [Route("/{rest:path}", self._receive, methods=["POST", "GET"])]
        async with serving(Starlette(routes=list(routes)), port) as bound:
            self.url = f"http://127.0.0.1:{bound}/webhook"
            yield self
