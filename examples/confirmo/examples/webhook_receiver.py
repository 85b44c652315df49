"""A receiver of Confirmo's webhook: checks each delivery, takes it once, and prints it as a JSON line.

``WEBHOOK_SECRETS=whsec_… python -m confirmo.examples.webhook_receiver`` starts it on port 8300. With ``--confirm`` it
says yes to every question: a loop to look at, and nothing for production.
"""

import argparse
import json
import os
import sqlite3
import sys
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from confirmo.client import ConfirmoError, TransactionClient
from confirmo.examples.serve import serve_app


class Receiver:
    """Holds the secrets, several while they are exchanged, and the ids that were taken."""

    def __init__(self, secrets: list[str], db: str, confirms: bool) -> None:
        self._webhooks = [Webhook(secret) for secret in secrets]
        self._taken = sqlite3.connect(db, isolation_level=None)
        self._taken.execute("CREATE TABLE IF NOT EXISTS taken (id TEXT PRIMARY KEY)")
        self._confirms = confirms

    async def receive(self, request: Request) -> Response:
        """Answer 401 to what is forged or over five minutes old, 400 to no event, else 204; act on it once."""
        told = self._verified(await request.body(), dict(request.headers))
        if not (isinstance(told, dict) and isinstance(told.get("data"), dict) and "type" in told):
            return Response(status_code=401 if told is None else 400)
        id = request.headers["webhook-id"]
        new = self._taken.execute("INSERT OR IGNORE INTO taken VALUES (?)", (id,)).rowcount == 1
        print(json.dumps({"id": id, "new": new} | told), flush=True)  # noqa: T201
        answers = new and self._confirms and told["type"] == "confirmation.requested"
        after = BackgroundTask(_confirm, told["data"]) if answers else None
        return Response(status_code=204, background=after)

    def _verified(self, body: bytes, headers: dict[str, str]) -> Any:
        for webhook in self._webhooks:
            try:
                return webhook.verify(body, headers) or {}
            except (WebhookVerificationError, ValueError, RecursionError):
                continue
        return None


async def _confirm(question: dict[str, Any]) -> None:
    decision = {"decision": "confirm", "digest": question["digest"]}
    try:
        await (await TransactionClient.connect()).confirm(question["transaction_id"], decision)
    except ConfirmoError as error:
        print(json.dumps({"not_confirmed": str(error)}), flush=True)  # noqa: T201


def main() -> int:
    """Serve until a signal; returns the exit code, 2 for wrong use."""
    parser = argparse.ArgumentParser(description="A receiver of Confirmo's webhook.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8300, help="0 for any free one")
    parser.add_argument("--db", metavar="FILE", default=":memory:", help="keeps the ids that were taken")
    parser.add_argument("--confirm", action="store_true", help="say yes to every question")
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args()
    secrets = os.environ.get("WEBHOOK_SECRETS", "").replace(",", " ").split()
    receive = Receiver(secrets or parser.error("set WEBHOOK_SECRETS"), options.db, options.confirm).receive
    routes = [Route("/webhook", receive, methods=["POST"])]
    return serve_app("webhook_receiver", Starlette(routes=routes), options, "/webhook")


if __name__ == "__main__":
    sys.exit(main())
