"""The rules of large sets: slices, pages, models made without validation, and the shortcut of freezing."""

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confirmo.policies import slicing
from confirmo.policies.bounding import PAYLOAD_BYTES, bound_state, bytes_of
from confirmo.policies.constructing import construct
from confirmo.policies.evidence import CallReport, ItemOutcome
from confirmo.policies.item_pages import item_page, shown_first
from confirmo.policies.items import _frozen, freeze
from confirmo.policies.models import FrozenItem, ItemsAsked, ItemState, Outcome, TransactionState

POSITIVE = st.integers(1, 5_000)


@given(POSITIVE, POSITIVE, st.floats(0, 100))
def test_the_next_slice_lasts_about_two_seconds_within_its_bounds(size, reached, seconds):
    wanted = slicing.next_size(size, reached, seconds)
    assert 1 <= wanted <= min(max(size * 4, 1), slicing.MAX_SLICE_ITEMS)
    if 1 < wanted < min(size * 4, slicing.MAX_SLICE_ITEMS):
        assert wanted * seconds / reached <= slicing.TARGET_SECONDS + 1e-6


def test_a_slice_that_reached_nothing_keeps_its_size():
    assert slicing.next_size(200, 0, 5.0) == 200


@given(st.lists(st.integers(1, 400_000), min_size=1, max_size=30), st.integers(1, 10))
@settings(max_examples=60, deadline=None)
def test_slices_cover_the_set_in_order_and_none_is_too_large(sizes, size):
    items = freeze([f"{number}-{'x' * length}" for number, length in enumerate(sizes)])
    at, seen = 0, 0
    while at < len(items):
        end = slicing.next_slice(items, at, size)
        part = items[at:end]
        assert 1 <= len(part) <= size
        assert len(part) == 1 or sum(map(bytes_of, part)) <= slicing.SLICE_BYTES
        seen, at = seen + len(part), end
    assert seen == len(items)


def outcomes_of(items, words):
    kinds = {"s": Outcome.SUCCEEDED, "f": Outcome.FAILED, "u": Outcome.UNKNOWN}
    return {
        item.item_id: ItemOutcome(item_id=item.item_id, outcome=kinds[word])
        for item, word in zip(items, words, strict=True)
        if word in kinds
    }


words = st.text(alphabet="sfu-", max_size=40)


@given(words, st.integers(0, 45))
def test_a_state_shows_what_failed_first_in_the_sets_order(given_words, limit):
    items = freeze([f"C-{number}" for number in range(len(given_words))])
    shown = shown_first(items, outcomes_of(items, given_words), limit)
    assert len(shown) == min(limit, len(items))
    positions = [items.index(item) for item in shown]
    assert positions == sorted(positions)
    rank = {"f": 0, "u": 1}
    left_out = [rank.get(word, 2) for at, word in enumerate(given_words) if at not in positions]
    kept = [rank.get(given_words[at], 2) for at in positions]
    assert not kept or not left_out or max(kept) <= min(left_out) or set(kept) >= set()
    for bad in (0, 1):
        assert bad not in left_out or all(own <= bad for own in kept)


@given(words, st.integers(1, 7), st.sampled_from([None, *Outcome]))
@settings(deadline=None)
def test_pages_hold_every_item_once(given_words, limit, wanted):
    items = freeze([f"C-{number}" for number in range(len(given_words))])
    outcomes = outcomes_of(items, given_words)
    expected = [
        item.item_id
        for item in items
        if wanted is None or (item.item_id in outcomes and outcomes[item.item_id].outcome is wanted)
    ]
    found, cursor = [], 0
    while cursor is not None:
        page = item_page(None, items, outcomes, ItemsAsked(cursor=cursor, limit=limit, outcome=wanted), "tx")
        assert page.items_count == len(expected)
        assert len(page.items) <= limit
        found += [entry["item_id"] for entry in page.items]
        cursor = page.next_cursor
    assert found == expected


def test_a_page_of_large_items_is_short_and_the_next_one_goes_on():
    items = freeze([{"id": f"C-{number}", "name": "n" * 300_000} for number in range(8)])
    found, cursor = [], 0
    while cursor is not None:
        page = item_page(None, items, {}, ItemsAsked(cursor=cursor, limit=8), "tx")
        assert page.items
        assert bytes_of(page) < PAYLOAD_BYTES
        found += [entry["item_id"] for entry in page.items]
        cursor = page.next_cursor
    assert found == [item.item_id for item in items]


def test_a_cursor_behind_the_end_is_an_empty_last_page():
    page = item_page(None, freeze(["C-1"]), {}, ItemsAsked(cursor=9, limit=5), "tx")
    assert (page.items, page.items_count, page.next_cursor) == ((), 1, None)


@pytest.mark.parametrize(
    "validated",
    [
        FrozenItem(item_id="C-1", label="C-1", data="C-1", aliases=("C-1",)),
        ItemOutcome(item_id="C-1", outcome=Outcome.SUCCEEDED, entry={"success": True}),
        CallReport(items=(ItemOutcome(item_id="C-1", outcome=Outcome.SUCCEEDED),)),
    ],
)
def test_a_constructed_model_is_a_validated_one(validated):
    model = type(validated)
    values = {name: getattr(validated, name) for name in model.model_fields}
    made = construct(model, dict(values))
    for own in (
        made,
        copy.copy(made),
        copy.deepcopy(made),
        pickle.loads(pickle.dumps(made)),
        made.model_copy(),
        made.model_copy(deep=True),
        model.model_validate_json(made.model_dump_json()),
    ):
        assert own == validated
        assert hash(repr(own)) == hash(repr(validated))
        assert own.model_dump() == validated.model_dump()
        assert own.model_dump_json() == validated.model_dump_json()
    first = next(iter(model.model_fields))
    assert made.model_copy(update={first: values[first]}) == validated
    assert made.model_dump(exclude_unset=True) == model(**values).model_dump(exclude_unset=True)
    with pytest.raises(Exception, match="frozen"):
        setattr(made, first, None)


plain_texts = st.one_of(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,12}", fullmatch=True),
    st.text(alphabet="aA0._:/- \n\x00éK٣", min_size=1, max_size=8),
    st.sampled_from(["0", "007", "1e5", "true", "null", "NaN", "a" * 5_000, "1.0", "a\n", "٣", "Ka"]),
)


@given(st.lists(plain_texts, max_size=8), st.sampled_from([None, "id", "codigo"]))
@settings(max_examples=150, deadline=None)
def test_a_plain_text_freezes_as_the_long_way_does(entries, item_key):
    class NotPlain(str):  # takes the long way, being no plain text
        __slots__ = ()

    short = freeze(entries, item_key)
    long = freeze([NotPlain(entry) for entry in entries], item_key)
    assert short == long
    assert [item.model_dump_json() for item in short] == [item.model_dump_json() for item in long]
    for item in short:
        assert item == _frozen(item.data, item_key)


def test_a_state_of_long_items_shows_fewer_of_them_the_failed_ones_among_them():
    name = "n" * 800
    items = tuple(
        ItemState(item_id=f"{name}{n}", label=name, outcome=Outcome.FAILED if n == 2_000 else None)
        for n in range(2_001)
    )
    state = TransactionState(
        transaction_id="tx", status="EXECUTING", tool_name="t", requested_tool_name="t", items=items
    )
    cut = bound_state(state)
    assert (len(cut.items), cut.items_omitted) == (500, 1_501)
    assert cut.items[:499] == items[:499]
    assert cut.items[499] == items[2_000]
    assert bytes_of(cut) < 1_700_000
