"""What is asked right before a call is sent."""

from collections.abc import Awaitable, Callable

Guard = Callable[[], Awaitable[None] | None]
"""Raises where the call must not be sent."""


async def passed(guard: Guard) -> None:
    """Ask a guard; what it raises keeps the call from being sent."""
    waiting = guard()
    if waiting is not None:
        await waiting
