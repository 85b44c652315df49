"""No plain text to workers that encrypt: what a client without the key sends would stand in the history as it is."""

import contextlib
from datetime import timedelta

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from confirmo.client.errors import PayloadEncrypted
from confirmo.policies import names
from confirmo.workflows.encryption import encrypts

RPC_TIMEOUT = timedelta(seconds=5)


class Sealing:
    """Asks once whether the workers of a task queue encrypt; only a client that does not has to know."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._mark = names.encrypted_mark(task_queue)
        self._known = encrypts(client.data_converter)

    async def check(self) -> None:
        """Return where a message may be sent.

        Raises:
            PayloadEncrypted: The workers encrypt, and this client has no key; nothing was sent.
        """
        if self._known:
            return
        request = DescribeNamespaceRequest(namespace=self._client.namespace)
        # Who may not ask is not kept from sending: the message itself tells what is wrong then.
        with contextlib.suppress(RPCError):
            answer = await self._client.workflow_service.describe_namespace(request, timeout=RPC_TIMEOUT)
            if answer.namespace_info.data.get(self._mark) == names.ENCRYPTED:
                raise PayloadEncrypted(
                    "The workers encrypt, and this client has no key, so nothing was sent: set "
                    "CONFIRMO_ENCRYPTION_KEYS_FILE to a copy of the workers' file."
                )
            self._known = True
