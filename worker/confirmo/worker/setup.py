"""What a namespace holds of Confirmo's: search attributes, and whether the workers of a task queue encrypt."""

import logging

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.namespace.v1 import UpdateNamespaceInfo
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from confirmo.policies.names import ENCRYPTED, SEARCH_ATTRIBUTES, encrypted_mark

_logger = logging.getLogger("confirmo.worker")


async def missing_search_attributes(client: Client) -> tuple[str, ...]:
    """Return Confirmo's search attributes that the namespace lacks."""
    answer = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace)
    )
    return tuple(name for name in SEARCH_ATTRIBUTES if name not in answer.custom_attributes)


async def has_search_attributes(client: Client) -> bool:
    """Whether all of them are there; false also where the caller may not ask."""
    try:
        return not await missing_search_attributes(client)
    except RPCError:
        return False


async def create_search_attributes(client: Client) -> tuple[str, ...]:
    """Create what is missing and return its names; nothing happens where all is there."""
    missing = await missing_search_attributes(client)
    if missing:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(
                namespace=client.namespace,
                search_attributes=dict.fromkeys(missing, IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD),
            )
        )
    return missing


async def mark_encrypted(client: Client, task_queue: str) -> None:
    """Let the namespace say that these workers encrypt, so that a client without the key sends them nothing."""
    mark, service = encrypted_mark(task_queue), client.workflow_service
    try:
        known = await service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
        if known.namespace_info.data.get(mark) == ENCRYPTED:
            return
        update = UpdateNamespaceInfo(
            description=known.namespace_info.description,
            owner_email=known.namespace_info.owner_email,
            data={mark: ENCRYPTED},
        )
        await service.update_namespace(UpdateNamespaceRequest(namespace=client.namespace, update_info=update))
    except RPCError as error:
        _logger.warning(
            "The namespace %s could not be told that payloads are encrypted (%s): a client without the key is not "
            "kept from sending plain text. Let the workers' credentials update the namespace once.",
            client.namespace,
            error.status.name,
        )
