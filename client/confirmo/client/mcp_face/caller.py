"""Who calls: as the verified token says where the face asks for one, else as the command's options. No call says it."""

from dataclasses import dataclass
from typing import Any, Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from confirmo.client.mcp_face.asking import Context
from confirmo.client.mcp_face.options import FaceOptions
from confirmo.policies.access import Anyone
from confirmo.policies.json_text import canonical
from confirmo.policies.models import Actor
from confirmo.policies.snapshot import transaction_id_for

NOBODY: Final = "The call came without a verified token; nothing was done."


class Unidentified(Exception):
    """A face that asks for tokens got a call without one."""


class VerifiedToken(AccessToken):
    """An access token that was verified, with what it says of its bearer."""

    tenant: str
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Caller:
    """The person or program behind one call.

    Attributes:
        tenant: Of every transaction that it starts or finds.
        actor: Requester and decider; null where nobody is named.
        anyone: Whom ``confirmation.by: any`` means.
        verified: Whether a token says so.
    """

    tenant: str
    actor: Actor | None
    anyone: Anyone
    verified: bool = False

    @classmethod
    def of(cls, context: Context, options: FaceOptions) -> "Caller":
        """Read who sent this very message: roles may have changed since a session's first.

        Raises:
            Unidentified: There is no verified token, and has to be.
        """
        if not options.tokens:
            return cls(options.tenant, options.actor, Anyone.TENANT)
        token = _token(context.request)
        if token is None or not token.subject:
            raise Unidentified(NOBODY)
        return cls(token.tenant, Actor(id=token.subject, roles=token.roles), options.anyone, verified=True)

    def transaction_id(self, request_id: str) -> str:
        """Return the id of the transaction of a request id: with tokens, of this person's own request ids."""
        if not self.verified or self.actor is None:
            return transaction_id_for(self.tenant, request_id)
        return transaction_id_for(self.tenant, canonical([self.actor.id, request_id]))


def _token(request: Any) -> VerifiedToken | None:
    user = request.scope.get("user") if request is not None else None
    token = user.access_token if isinstance(user, AuthenticatedUser) else None
    return token if isinstance(token, VerifiedToken) else None
