"""An HTTP front before a tool server: where a test says so, it answers ``tools/call`` in the server's place."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Page:
    """An HTTP answer; ``after`` the tool behind has done its work, else before."""

    status: int
    body: bytes = b""
    content_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)
    after: bool = False


class Front:
    """ASGI application: ``pages[tool]`` yields a page per call, or null to let the call pass."""

    def __init__(self, app: Any, pages: Mapping[str, Iterator[Page | None]], seen: Any) -> None:
        self._app, self._pages, self._seen = app, pages, seen

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        again = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Any:
            return again.pop() if again else await receive()

        page = self._page(json.loads(body)) if body else None
        if page is None:
            await self._app(scope, replay, send)
            return
        if page.after:
            await self._app(scope, replay, _swallow)
        headers = dict(page.headers) | {
            "content-type": page.content_type,
            "content-length": str(len(page.body)),
        }
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": page.status, "headers": raw})
        await send({"type": "http.response.body", "body": page.body})

    def _page(self, message: dict[str, Any]) -> Page | None:
        if message.get("method") != "tools/call":
            return None
        self._seen(message["params"])
        return next(self._pages.get(message["params"]["name"], iter(())), None)


async def _swallow(_message: Any) -> None:
    return
