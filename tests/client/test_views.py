"""What the command line shows beside the message."""

from confirmo.client.views import state_lines
from confirmo.policies.models import ItemState, Outcome, Status, TransactionResult, TransactionState


def over(**fields):
    result = TransactionResult(
        transaction_id="tx-1",
        tool_name="t",
        ok=False,
        transaction_status=Status.FAILED,
        message="Feito em parte.",
        metadata={"needs_review": fields.pop("needs_review", False)},
    )
    return TransactionState(
        transaction_id="tx-1",
        status=Status.FAILED,
        tool_name="t",
        requested_tool_name="t",
        result=result,
        **fields,
    )


def test_an_unknown_item_is_followed_by_what_can_be_done():
    item = ItemState(item_id="1", label="um", outcome=Outcome.UNKNOWN)
    lines = state_lines(over(items=(item,), needs_review=True))
    assert any(line.startswith("needs review") for line in lines)
    assert lines[-1].startswith("next: confirmo redrive tx-1 --unknown")


def test_a_redriven_transaction_names_the_other_one_and_no_next_step():
    item = ItemState(item_id="1", label="um", outcome=Outcome.UNKNOWN)
    lines = state_lines(over(items=(item,), redriven_as="tx-1-r", redrive_of="tx-0"))
    assert lines[-2:] == ["redrive of tx-0", "redriven as tx-1-r"]


def test_what_was_not_an_argument_is_named():
    assert "ignored, not arguments of this tool: cor" in state_lines(over(ignored_arguments=("cor",)))


def test_a_plain_end_has_no_remarks():
    assert state_lines(over())[1:] == ["Feito em parte."]
