"""``langchain-mcp-adapters`` as a process: its tools as LangChain calls them, each call in a session of its own."""

import asyncio
from typing import Any

from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from mcp.types import ElicitResult
from wire import openings, serve


async def main() -> None:
    async for given in openings():
        await session(given)


async def session(given: dict[str, Any]) -> None:
    shown, heard = [], []

    async def user(_mcp: Any, params: Any, _context: Any) -> ElicitResult:
        shown.append(params.message)
        reply = given["replies"].pop(0)
        return ElicitResult(action=reply["action"], content=reply.get("content"))

    async def progress(done: float, total: float | None, _message: str | None, _context: Any) -> None:
        heard.append([done, total])

    to = given["to"]
    stdio = isinstance(to, dict)
    connection = {"transport": "stdio", **to} if stdio else {"transport": "streamable_http", "url": to}
    callbacks = Callbacks(on_progress=progress, on_elicitation=None if given["replies"] is None else user)
    client = MultiServerMCPClient({"confirmo": connection}, callbacks=callbacks)
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["do"] == "tools":
            return {"tools": list(tools)}
        called = {"type": "tool_call", "id": "1", "name": asked["name"], "args": asked["arguments"]}
        done = await tools[asked["name"]].ainvoke(called)
        return {
            "is_error": done.status == "error",
            "structured": (done.artifact or {}).get("structured_content"),
            "text": "\n".join(block["text"] for block in done.content),
            "shown": shown,
            "heard": heard,
        }

    await serve(answer)


asyncio.run(main())
