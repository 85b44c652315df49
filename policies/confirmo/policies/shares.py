"""What one worker takes of a tool server's limits, and of its own slots for calls."""

from math import ceil

from confirmo.policies.tool_spec import ServerSpec

SERVER_SHARE = 4
"""On its own queue, a server takes at most this part of a worker's slots."""
PACED_SECONDS = 30.0
"""A worker takes as many calls of a paced server as it may make in this time: long enough for slow ones."""
PACED_ITEM_ACTIVITIES = 1000
"""Up to this many items of a paced server are activities of their own, which Temporal paces over all workers.

About 3.5 events and 4 KB of history each.
"""


def share_of(server: ServerSpec, workers: int) -> ServerSpec:
    """Return the server with one worker's share of its limits.

    Args:
        server: As declared, for all workers together.
        workers: How many share the task queue. A worker always takes one call at least.
    """
    most, rate = server.max_concurrency, server.max_calls_per_second
    return server.model_copy(
        update={
            "max_concurrency": None if most is None else max(1, most // workers),
            "max_calls_per_second": None if rate is None else rate / workers,
        }
    )


def queue_slots(share: ServerSpec, slots: int) -> int:
    """Return how many activities of the server's own queue a worker takes at once, of its ``slots``."""
    bounds = [max(1, slots // SERVER_SHARE)]
    if share.max_concurrency is not None:
        bounds = [share.max_concurrency]
    if share.max_calls_per_second is not None:
        bounds.append(max(1, ceil(share.max_calls_per_second * PACED_SECONDS)))
    return min(bounds)


def may_take(of_server: int, of_all: int, slots: int) -> bool:
    """Whether a worker takes another call of a server from the queue that all servers share.

    At most half of what is free: a server that hangs gets a third of the slots, two of them a quarter each, and so on.
    Something is always free, and no setting has to say how many servers may hang.

    Args:
        of_server: Its calls under way.
        of_all: Calls of all servers under way.
        slots: How many the worker takes at once.
    """
    return of_server < max(1, (slots - of_all) // 2)


def paced_items(share: ServerSpec, item_activities: int, slice_items: int) -> tuple[int, int]:
    """Return up to how many items are activities of their own, and how many are in a slice above that."""
    rate = share.max_calls_per_second
    if rate is None:
        return item_activities, slice_items
    return max(item_activities, PACED_ITEM_ACTIVITIES), min(slice_items, max(1, int(rate * PACED_SECONDS)))
