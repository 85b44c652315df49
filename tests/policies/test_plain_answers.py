"""The shortcut through plain answers says exactly what the long way says, or nothing."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from confirmo.policies.catalog import load_texts
from confirmo.policies.evidence import _report, report_items
from confirmo.policies.items import freeze
from confirmo.policies.models import ToolAnswer
from confirmo.policies.plain_answers import plain_success
from confirmo.policies.reading import read_answer
from confirmo.policies.reconcile import takes_envelope

KEYS = [
    "success", "ok", "successful", "sucesso", "item_id", "id", "name", "nome", "names", "result", "results",
    "output", "status", "protocolo", "protocol", "message", "error", "reason", "ids", "conta_id", "contas",
    "conta", "codigo", "eligible", "found", "is_error", "é", "", "SUCCESS", "\ud800", "valor",
]  # fmt: skip
OWN = ["C-1", "C-2", "c-1", " C-1", "Conta Um"]
scalars = st.one_of(
    st.sampled_from(
        [True, True, True, False, None, 0, 1, -1, 2**53, 2**53 - 1, 10**30, "", "true", "é", "\ud800", "\x00"]
    ),
    st.sampled_from(OWN),
    st.text(max_size=5),
    st.integers(),
    st.floats(allow_nan=True, allow_infinity=True),
)
values = st.one_of(
    scalars, st.lists(scalars, max_size=2), st.dictionaries(st.sampled_from(KEYS), scalars, max_size=2)
)
bodies = st.one_of(
    st.dictionaries(st.sampled_from(KEYS), scalars, max_size=4),
    st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=4)), values, max_size=4),
    st.dictionaries(
        st.sampled_from(["success", "protocolo", "item_id", "valor"]), scalars, min_size=1, max_size=4
    ),
    values,
)
items = st.sampled_from(
    ["C-1", {"id": "C-1"}, {"id": "C-1", "name": "Conta Um"}, {"codigo": "C-1", "valor": 3}]
)
shapes = st.sampled_from(["array", "string", "map"])


def tool_of(shape, item_key, envelope):
    arguments = {
        "array": {"contas": {"type": "array"}},
        "string": {"conta_id": "string"},
        "map": {"contas": {"type": "array", "items": {"type": "object"}}},
    }[shape]
    execution = {"call": "per_item"} | ({"item_key": item_key} if item_key else {})
    execution |= {"evidence": "envelope"} if envelope else {}
    texts = {
        "tools.yaml": {
            "tools": {
                "t": {"mcp_server": "s", "tool_type": "action", "description": "d", "args_schema": arguments}
            }
        },
        "tool_policies.yaml": {
            "version": 1,
            "tool_policies": {
                "t": {"operation_type": "transactional", "requires": list(arguments), "execution": execution}
            },
        },
        "mcp_servers.yaml": {"servers": {"s": {"endpoint": "http://127.0.0.1:1/mcp"}}},
    }
    loaded = load_texts({name: json.dumps(text).encode() for name, text in texts.items()}, {})
    assert loaded.catalog is not None, loaded.errors
    return loaded.catalog.tools["t"]


TOOLS = {
    (shape, key, envelope): tool_of(shape, key, envelope)
    for shape in ("array", "string", "map")
    for key in (None, "codigo")
    for envelope in (False, True)
}


def dumped(value):
    try:
        return json.dumps(value)
    except (ValueError, TypeError):
        return "{}"


@st.composite
def answers(draw):
    body = draw(bodies)
    repeated = st.sampled_from(
        [dumped(body), json.dumps(body, indent=1), json.dumps(body, ensure_ascii=False)]
    )
    texts = st.lists(st.one_of(repeated, repeated, bodies.map(dumped), st.text(max_size=6)), max_size=2)
    return ToolAnswer.model_construct(
        structured=body,
        has_structured=True,
        texts=tuple(draw(texts)),
        is_error=draw(st.sampled_from([False] * 5 + [True])),
    )


def answer(body, *texts):
    return ToolAnswer(structured=body, has_structured=True, texts=texts)


@settings(max_examples=500, deadline=None)
@given(answers(), items, st.sampled_from(sorted(TOOLS, key=str)))
@example(answer({"success": True, "protocolo": "P-1"}), "C-1", ("array", None, False))
@example(
    answer({"success": True, "valor": 1.10}, '{"success": true, "valor": 1.10}'),
    "C-1",
    ("array", None, False),
)
@example(
    answer({"success": True, "valor": 1}, '{"success": true, "valor": true}'), "C-1", ("array", None, False)
)
@example(answer({"success": True}, '{"success": true, "success": false}'), "C-1", ("array", None, False))
@example(answer({"success": True}, '[["success", true]]'), "C-1", ("array", None, False))
@example(answer({"success": True, "item_id": "C-1"}), "C-1", ("array", None, False))
@example(answer({"success": True, "item_id": "C-2"}), "C-1", ("array", None, False))
def test_the_shortcut_says_what_the_long_way_says_or_nothing(given_answer, entry, kind):
    tool = TOOLS[kind]
    (item,) = freeze([entry], tool.execution.item_key)
    short = plain_success(given_answer, item, tool)
    if short is not None:
        long = _report(read_answer(given_answer), (item,), tool, envelope=takes_envelope(tool))
        assert short == long
        assert short.model_dump_json() == long.model_dump_json()
        assert short.model_dump() == report_items(given_answer, (item,), tool).model_dump()


def test_the_commonest_answers_take_the_shortcut():
    tool = TOOLS["array", None, False]
    (item,) = freeze(["C-1"])
    body = {"success": True, "protocolo": "P-1", "vezes": 2, "nota": None}
    for given_answer in (
        answer(body),
        answer(body, json.dumps(body)),
        answer(body | {"item_id": "C-1"}, json.dumps(body | {"item_id": "C-1"})),
    ):
        assert plain_success(given_answer, item, tool) is not None
