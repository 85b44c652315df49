"""The MCP face: every tool of a catalogue as an MCP tool that asks before it acts. Loaded by ``confirmo mcp`` alone."""

from confirmo.client.mcp_face.health import health_routes
from confirmo.client.mcp_face.options import FaceOptions, Wrapped
from confirmo.client.mcp_face.server import NameTaken, build_server
from confirmo.client.mcp_face.serving import Tokens, address, http_app, serve_http, serve_stdio

__all__ = [
    "FaceOptions",
    "NameTaken",
    "Tokens",
    "Wrapped",
    "address",
    "build_server",
    "health_routes",
    "http_app",
    "serve_http",
    "serve_stdio",
]
