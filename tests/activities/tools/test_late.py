import asyncio
import gc
import weakref
from contextvars import ContextVar

import pytest

from confirmo.activities.tools.late import Late
from confirmo.policies.models import ToolAnswer


class Activity:
    """Stands for what a context holds: an activity with its whole request."""


HELD: ContextVar[Activity | None] = ContextVar("held", default=None)


@pytest.mark.parametrize("ends", ["answers", "refuses", "says nothing"])
async def test_an_ended_exchange_keeps_its_answer_and_lets_the_activity_go(ends: str) -> None:
    go, raws, activity = asyncio.Event(), list[dict[str, str]](), Activity()
    gone = weakref.ref(activity)

    async def exchange() -> str | None:
        await go.wait()
        if ends == "answers":
            raws.append({"done": "yes"})
        return "refused" if ends == "refuses" else None

    token = HELD.set(activity)
    task = asyncio.create_task(exchange())
    HELD.reset(token)
    del token, activity
    late = Late(task, lambda: raws[0] if raws else None, lambda returned: returned == "refused")
    late.reading(lambda raw: ToolAnswer(structured=dict(raw), has_structured=True))
    del task
    assert (late.over, late.answered) == (False, False)
    go.set()
    answer = await late.answer(10)
    assert late.over
    assert late.answered is (ends != "says nothing")
    assert (answer.structured if answer else None) == ({"done": "yes"} if ends == "answers" else None)
    assert await late.answer(10) == answer
    await asyncio.sleep(0)
    gc.collect()
    assert gone() is None


async def test_an_exchange_that_is_forgotten_is_over_and_was_not_answered() -> None:
    late = Late(asyncio.create_task(asyncio.Event().wait()), lambda: None)
    late.forget()
    assert await late.answer(10) is None
    assert (late.over, late.answered) == (True, False)
