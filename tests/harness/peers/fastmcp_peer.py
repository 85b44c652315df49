"""``fastmcp``'s client, of either major version, as a process."""

import asyncio
from typing import Any

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from wire import openings, serve


async def main() -> None:
    async for given in openings():
        await session(given)


async def session(given: dict[str, Any]) -> None:
    shown, heard = [], []

    async def user(message: str, _type: Any, _params: Any, _context: Any) -> ElicitResult:
        shown.append(message)
        reply = given["replies"].pop(0)
        return ElicitResult(action=reply["action"], content=reply.get("content"))

    async def progress(done: float, total: float | None, _message: str | None) -> None:
        heard.append([done, total])

    more = {} if given["replies"] is None else {"elicitation_handler": user}
    if given["mode"] is not None:
        more["mode"] = given["mode"]
    to = given["to"]
    if isinstance(to, dict):
        to = StdioTransport(to["command"], to["args"], env=to["env"])
    async with Client(to, progress_handler=progress, **more) as client:

        async def answer(asked: dict[str, Any]) -> dict[str, Any]:
            if asked["do"] == "tools":
                return {"tools": [tool.name for tool in await client.list_tools()]}
            done = await client.call_tool(
                asked["name"], asked["arguments"], raise_on_error=False, meta=asked["meta"]
            )
            return {
                "is_error": done.is_error,
                "structured": done.structured_content,
                "text": "\n".join(block.text for block in done.content),
                "shown": shown,
                "heard": heard,
            }

        await serve(answer)


asyncio.run(main())
