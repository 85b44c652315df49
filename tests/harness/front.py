"""An HTTP front before a tool server: where a test says so, it answers ``tools/call`` in the server's place."""

import inspect
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Page:
    """An HTTP answer; ``after`` the tool behind has done its work, else before.

    ``result`` or ``error`` stands for the JSON-RPC answer with exactly that in it.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)
    after: bool = False
    result: Any = None
    error: Any = None

    def written(self, id: Any) -> tuple[bytes, str]:
        """The body, and its type."""
        told = {"result": self.result} if self.result is not None else {"error": self.error}
        if None in told.values():
            return self.body, self.content_type
        return json.dumps({"jsonrpc": "2.0", "id": id} | told).encode(), "application/json"


Pages = Iterator[Page | None] | Callable[[Any], Page | Awaitable[Page | None] | None]


class Front:
    """ASGI application: ``pages[tool]`` yields a page per call (or is a function of it); null lets the call pass."""

    def __init__(self, app: Any, pages: Mapping[str, Pages], seen: Any) -> None:
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

        message = json.loads(body) if body else {}
        page = self._page(message)
        if inspect.isawaitable(page):
            page = await page
        if page is None:
            await self._app(scope, replay, send)
            return
        if page.after:
            await self._app(scope, replay, _swallow)
        content, kind = page.written(message["id"])
        headers = dict(page.headers) | {"content-type": kind, "content-length": str(len(content))}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": page.status, "headers": raw})
        await send({"type": "http.response.body", "body": content})

    def _page(self, message: dict[str, Any]) -> Page | Awaitable[Page | None] | None:
        if message.get("method") != "tools/call":
            return None
        call = self._seen(message["params"])
        pages = self._pages.get(call.tool, iter(()))
        return pages(call) if callable(pages) else next(pages, None)


async def _swallow(_message: Any) -> None:
    return
