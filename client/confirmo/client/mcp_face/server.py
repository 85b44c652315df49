"""The MCP server of a face: lists the tools, and hands each call to the conductor."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import mcp_types as types
from mcp.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from confirmo.client.errors import ConfirmoError
from confirmo.client.mcp_face.answers import problem
from confirmo.client.mcp_face.asking import CONFIRMATION, Context, asked_before, reading
from confirmo.client.mcp_face.caller import Unidentified
from confirmo.client.mcp_face.calls import Call, UnusableRequestId
from confirmo.client.mcp_face.conduct import Conductor, Outcome
from confirmo.client.mcp_face.control import CONTROL_NAMES, CONTROL_TOOLS, Controls
from confirmo.client.mcp_face.listing import mcp_tools, offered
from confirmo.client.mcp_face.options import FaceOptions
from confirmo.client.transactions import TransactionClient
from confirmo.policies.tool_spec import Catalog

NAME: Final = "confirmo"
INSTRUCTIONS: Final = (
    "Every tool here starts a transaction that is validated, asked for and carried out item by item, never twice. "
    "Where a result has the status AWAITING_CONFIRMATION nothing was executed yet: do what its text says, and never "
    "answer for the person. Tell the person what the result's message says, item by item."
)
_SPARE_SECONDS: Final = 60.0


class NameTaken(ValueError):
    """A tool of the catalogue has the name of one of the face's own."""


def build_server(client: TransactionClient, catalog: Catalog, options: FaceOptions) -> Server[str]:
    """Return the server of one face.

    Args:
        client: Its task queue is the one of the catalogue's worker.
        catalog: The tools.
        options: Whose transactions these are.

    Raises:
        NameTaken: Two tools would have one name.
        ValueError: The state key is too short.
    """
    taken = sorted(CONTROL_NAMES & offered(catalog).keys())
    if taken:
        raise NameTaken(
            f"The name {taken[0]!r} is one of confirmo mcp's own tools. Rename or disable that tool; "
            "a server that lists it cannot be wrapped."
        )
    face = _Face(client, catalog, options)
    server: Server[str] = Server(
        NAME,
        version=_version(),
        instructions=INSTRUCTIONS,
        lifespan=_session,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
    )
    server.middleware.append(RequestStateBoundary(_security(catalog, options), default_audience=NAME))
    return server


class _Face:
    def __init__(self, client: TransactionClient, catalog: Catalog, options: FaceOptions) -> None:
        self._offered = offered(catalog)
        self._tools = [*mcp_tools(catalog, options), *CONTROL_TOOLS]
        self._conductor = Conductor(client, catalog, options)
        self._controls = Controls(client, self._conductor)
        self._options = options

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Outcome:
        if params.name not in self._offered and params.name not in CONTROL_NAMES:
            raise MCPError(code=types.INVALID_PARAMS, message="There is no tool of this name.")
        try:
            return await self._call(Call.of(context, params, self._options), params)
        except (ConfirmoError, UnusableRequestId, Unidentified) as error:
            return problem(str(error))

    async def _call(self, call: Call, params: types.CallToolRequestParams) -> Outcome:
        asked = asked_before(params.request_state) if params.request_state is not None else None
        if asked is not None:
            reply = (params.input_responses or {}).get(CONFIRMATION)
            return await self._conductor.resume(call, asked, reading(reply))
        if params.name in CONTROL_NAMES:
            return await self._controls.call(call, params.name, params.arguments or {})
        return await self._conductor.begin(call, params.name, params.arguments or {})


@asynccontextmanager
async def _session(_server: Server[str]) -> AsyncIterator[str]:
    """Name a connection that has no session id of its own: the one of stdio."""
    yield f"mcp-{uuid.uuid4().hex}"


def _security(catalog: Catalog, options: FaceOptions) -> RequestStateSecurity:
    """Seal for as long as the longest question lasts."""
    ttl = _SPARE_SECONDS + max(
        (tool.confirmation.expires_seconds for tool in catalog.tools.values()), default=900.0
    )
    if options.state_key is None:
        return RequestStateSecurity.ephemeral(ttl=ttl)
    return RequestStateSecurity(keys=[options.state_key], ttl=ttl)


def _version() -> str:
    try:
        return version("confirmo")
    except PackageNotFoundError:
        return ""
