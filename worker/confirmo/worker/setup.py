"""Search attributes of a namespace: which are there, and creating those that are missing."""

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError

from confirmo.policies.names import SEARCH_ATTRIBUTES


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
