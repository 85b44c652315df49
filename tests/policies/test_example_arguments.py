import pytest

from confirmo.policies.arguments import collect
from confirmo.policies.example_arguments import NoExample, example_arguments, example_items
from confirmo.policies.tool_spec import ArgumentSpec, ExecutionPolicy, ToolSpec


def tool(*arguments: ArgumentSpec, **more: object) -> ToolSpec:
    return ToolSpec(name="t", arguments=arguments, requires=tuple(spec.name for spec in arguments), **more)


SPECS = [
    ArgumentSpec(name="a"),
    ArgumentSpec(name="a", enum=("x", "y")),
    ArgumentSpec(name="a", pattern="^[0-9]{11}$"),
    ArgumentSpec(name="a", min_length=40),
    ArgumentSpec(name="a", type="integer", minimum=7),
    ArgumentSpec(name="a", type="number", maximum=0.5),
    ArgumentSpec(name="a", type="boolean"),
    ArgumentSpec(name="a", type="object"),
    ArgumentSpec(name="a", type="array"),
    ArgumentSpec(name="a", type="array", items={"type": "integer"}, min_items=5),
    ArgumentSpec(name="a", type="array", items={"type": "object"}),
    ArgumentSpec(name="a", type="array", items={"type": "string", "enum": ["p", "q"]}),
    ArgumentSpec(name="a", type="array", max_items=1),
    ArgumentSpec(name="a", default="d", has_default=True),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_what_is_made_up_is_taken_by_the_tool(spec: ArgumentSpec) -> None:
    made = example_arguments(tool(spec))
    collected = collect(made, tool(spec), "en")
    assert not collected.missing
    assert not collected.invalid


def test_a_value_that_cannot_be_made_up_is_asked_for_by_name() -> None:
    with pytest.raises(NoExample, match="for code: give one with --arguments"):
        example_arguments(tool(ArgumentSpec(name="code", pattern="^ZZ-[0-9]{9}-[a-f]{3}$")))


def test_a_given_value_is_used_as_it_is_and_a_wrong_one_is_named() -> None:
    spec = ArgumentSpec(name="code", pattern="^ZZ-[0-9]$")
    assert example_arguments(tool(spec), {"code": "ZZ-1"}) == {"code": "ZZ-1"}
    with pytest.raises(NoExample, match="code"):
        example_arguments(tool(spec), {"code": "no"})


def test_optional_arguments_are_left_out() -> None:
    optional = ToolSpec(name="t", arguments=(ArgumentSpec(name="a"), ArgumentSpec(name="b")), requires=("b",))
    assert example_arguments(optional) == {"b": "exemplo"}


def test_items_carry_the_fields_that_the_policy_names() -> None:
    policy = ExecutionPolicy(item_key="sku", item_field="title")
    items = example_items(tool(ArgumentSpec(name="subject"), execution=policy), {"subject": "x"})
    assert len(items) == 3
    assert all({"sku", "title", "subject"} <= item.keys() for item in items)
