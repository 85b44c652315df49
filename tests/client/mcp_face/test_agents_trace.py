"""An agent's trace goes through a face to the tool server, whether it comes in ``_meta`` or in HTTP headers."""

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from confirmo.client.connection import address_of
from harness.collector import Collector
from harness.forking import CONFIRMO, command
from harness.person import YES, Person

FIRST, SECOND = "4bf92f3577b34da6a3ce929d0e0e4736", "a3ce929d0e0e47364bf92f3577b34da6"


def parent(trace: str) -> dict[str, str]:
    return {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}


async def test_an_agents_trace_goes_on_to_the_tool_server(client, tools, as_process, mode):
    tools.on["ligar"] = {"success": True}
    async with Collector().running() as collector:
        target = ["--wrap", tools.endpoint, "--transport", "streamable-http", "--port", "0", "--locale", "en"]
        program, *arguments = command(CONFIRMO, "mcp", *target)
        given = StdioServerParameters(
            command=program,
            args=arguments,
            env=collector.environ | {"TEMPORAL_ADDRESS": address_of(client)},
        )
        async with as_process(given) as url:
            async with Client(url, mode=mode, elicitation_callback=Person([YES])) as agent:
                in_meta = await agent.call_tool("ligar", {}, meta=parent(FIRST))
            async with (
                httpx2.AsyncClient(headers=parent(SECOND)) as http,
                Client(
                    streamable_http_client(url, http_client=http),
                    mode=mode,
                    elicitation_callback=Person([YES]),
                ) as agent,
            ):
                in_headers = await agent.call_tool("ligar", {})
    assert not in_meta.is_error, in_meta
    assert not in_headers.is_error, in_headers
    assert [call.meta["traceparent"].split("-")[1] for call in tools.calls] == [FIRST, SECOND]
    assert collector.traces("StartUpdateWithStartWorkflow", "RunWorkflow", "MCP send tools/call ligar") == {
        FIRST,
        SECOND,
    }
    assert {who for who, _ in collector.spans} == {"confirmo-mcp"}
