"""What a worker takes of a server's limits, and of its slots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirmo.policies.shares import may_take, paced_items, queue_slots, share_of
from confirmo.policies.tool_spec import ServerSpec


@pytest.mark.parametrize(
    ("limit", "workers", "share"), [(8, 1, 8), (8, 3, 2), (2, 5, 1), (None, 4, None), (1, 1, 1)]
)
def test_each_worker_takes_its_part_and_one_call_at_least(limit, workers, share):
    assert share_of(ServerSpec(name="s", max_concurrency=limit), workers).max_concurrency == share


def test_a_rate_is_divided():
    assert share_of(ServerSpec(name="s", max_calls_per_second=10), 4).max_calls_per_second == 2.5


@given(st.integers(1, 10_000), st.integers(1, 50))
def test_the_parts_of_all_workers_are_no_more_than_the_limit_where_it_suffices(limit, workers):
    part = share_of(ServerSpec(name="s", max_concurrency=limit), workers).max_concurrency
    assert part * workers <= max(limit, workers)


@pytest.mark.parametrize(
    ("limits", "slots"),
    [
        ({}, 50),
        ({"max_concurrency": 3}, 3),
        ({"max_concurrency": 300}, 300),
        ({"max_calls_per_second": 0.01}, 1),
        ({"max_calls_per_second": 1}, 30),
        ({"max_calls_per_second": 100}, 50),
        ({"max_concurrency": 100, "max_calls_per_second": 1}, 30),
    ],
)
def test_slots_of_a_servers_own_queue(limits, slots):
    assert queue_slots(ServerSpec(name="s", **limits), 200) == slots


@given(st.integers(3, 500), st.integers(1, 20))
def test_however_many_servers_hang_a_slot_is_free_for_the_next_one(slots, servers):
    """Each takes as much as it may, in turns; where there are more servers than slots nothing can help."""
    taken = [0] * servers
    for _ in range(slots):
        for number, count in enumerate(taken):
            if sum(taken) < slots and may_take(count, sum(taken), slots):
                taken[number] += 1
    if servers < slots:
        assert sum(taken) < slots
        assert may_take(0, sum(taken), slots)


def test_one_hanging_server_gets_a_third_of_the_slots():
    taken = 0
    while may_take(taken, taken, 200):
        taken += 1
    assert taken == 67


@pytest.mark.parametrize(
    ("rate", "expected"), [(None, (20, 200)), (1, (1000, 30)), (0.01, (1000, 1)), (1000, (1000, 200))]
)
def test_items_of_a_paced_server_are_activities_of_their_own_for_longer(rate, expected):
    assert paced_items(ServerSpec(name="s", max_calls_per_second=rate), 20, 200) == expected
