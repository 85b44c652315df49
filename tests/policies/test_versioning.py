import pytest

from confirmo.policies.tool_spec import Catalog, ConfirmationPolicy, ToolSpec
from confirmo.policies.versioning import behaviour_of


@pytest.mark.parametrize(
    ("seconds", "wanted", "behaviour"),
    [
        (900, None, "pinned"),
        (3600, None, "pinned"),
        (3601, None, "auto_upgrade"),
        (86_400, "pinned", "pinned"),
        (60, "auto_upgrade", "auto_upgrade"),
    ],
)
def test_short_questions_pin_a_transaction_to_its_build(seconds: float, wanted, behaviour: str) -> None:
    tool = ToolSpec(name="t", confirmation=ConfirmationPolicy(expires_seconds=seconds))
    assert behaviour_of(Catalog(tools={"t": tool}), wanted) == behaviour
