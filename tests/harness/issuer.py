"""An issuer of tokens: real keys, its key set and configuration over HTTP, and tokens of every kind."""

import asyncio
import functools
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from confirmo.client.settings import TokenSettings
from harness.person import Person
from harness.serving import serving

AUDIENCE = "https://confirmo.example/mcp"


@functools.cache
def rsa_key(name: str) -> Any:
    """The RSA key of a name; made once, as that takes long."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@functools.cache
def ec_key(name: str) -> Any:
    """The same on P-256."""
    return ec.generate_private_key(ec.SECP256R1())


@dataclass
class Issuer:
    """An issuer at ``url``.

    ``published`` maps key ids to algorithm and private key; what is served are the public halves.
    """

    url: str = ""
    published: dict[str, tuple[str, Any]] = field(
        default_factory=lambda: {"r1": ("RS256", rsa_key("r1")), "e1": ("ES256", ec_key("e1"))}
    )
    fetched: list[str] = field(default_factory=list)
    down: bool = False

    @property
    def jwks(self) -> dict[str, Any]:
        keys = []
        for kid, (algorithm, key) in self.published.items():
            kind = jwt.algorithms.RSAAlgorithm if algorithm[0] in "RP" else jwt.algorithms.ECAlgorithm
            keys.append(
                json.loads(kind.to_jwk(key.public_key())) | {"kid": kid, "alg": algorithm, "use": "sig"}
            )
        return {"keys": keys}

    def token(self, sub: str = "u-ana", *, kid: str = "r1", key: Any = None, **changes: Any) -> str:
        """A good token of the tenant ``t-1``, with changes laid over its claims; null removes one."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": AUDIENCE, "sub": sub, "tenant": "t-1", "iat": now, "exp": now + 600}
        claims = {name: value for name, value in (claims | changes).items() if value is not None}
        algorithm, own = self.published.get(kid, ("RS256", None))
        return jwt.encode(claims, key or own, algorithm=algorithm, headers={"kid": kid})

    @asynccontextmanager
    async def client(
        self, url: str, sub: str, person: Person | None = None, mode: str = "2026-07-28", **claims: Any
    ) -> AsyncIterator[Client]:
        """The official client of a face at ``url``, with a token of ``sub``."""
        headers = {"authorization": f"Bearer {self.token(sub, **claims)}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(
                streamable_http_client(url, http_client=http), mode=mode, elicitation_callback=person
            ) as client,
        ):
            yield client

    def settings(self, **changes: Any) -> TokenSettings:
        return TokenSettings(**{"issuer": self.url, "audience": AUDIENCE} | changes)

    async def _serve(self, request: Request) -> Response:
        self.fetched.append(request.url.path)
        if self.down:
            return Response(status_code=503)
        if request.url.path.endswith("openid-configuration"):
            return JSONResponse({"issuer": self.url, "jwks_uri": f"{self.url}/jwks"})
        return JSONResponse(self.jwks)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Issuer"]:
        routes = [Route("/.well-known/openid-configuration", self._serve), Route("/jwks", self._serve)]
        async with serving(Starlette(routes=routes)) as port:
            self.url = f"http://127.0.0.1:{port}"
            yield self


async def read(verifier: Any, token: str) -> Any:
    """Verify in a thread, as the face does, and let refusals through."""
    return await asyncio.to_thread(verifier.read, token)
