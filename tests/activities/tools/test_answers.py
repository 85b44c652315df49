"""What a tool answered arrives whole, or is doubt; our own reading never loses it."""

import json

import pytest

from confirmo.policies.errors import CallFailureKind

BIG = 123456789012345678901234567890


def text(value):
    return {"type": "text", "text": value}


async def answered(raw, connect, result):
    raw.on["tools/call"] = lambda wire: wire.result(result)
    answer = await connect(raw.endpoint).call()
    answer.model_dump_json()
    return answer


async def test_pa_01_structured_content_alone_is_an_answer(raw, connect):
    answer = await answered(raw, connect, {"content": [], "structuredContent": {"results": []}})
    assert (answer.structured, answer.has_structured, answer.texts) == ({"results": []}, True, ())
    assert answer.is_error is False


async def test_pa_02_an_absent_is_error_is_no_error(raw, connect):
    answer = await answered(raw, connect, {"content": [text('{"a": 1}')]})
    assert (answer.texts, answer.is_error, answer.has_structured) == (('{"a": 1}',), False, False)


async def test_pa_07_all_text_blocks_come_in_order(raw, connect):
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    answer = await answered(raw, connect, {"content": [text("one"), image, text(""), text("two")]})
    assert answer.texts == ("one", "", "two")


async def test_pa_09_an_error_keeps_its_structured_content(raw, connect):
    answer = await answered(
        raw, connect, {"content": [text("no")], "structuredContent": {"results": [1]}, "isError": True}
    )
    assert answer.is_error
    assert answer.structured == {"results": [1]}


async def test_pa_13_integers_keep_every_digit_in_both_directions(raw, connect):
    raw.on["tools/call"] = lambda wire: wire.result({"content": [], "structuredContent": {"id": BIG}})
    answer = await connect(raw.endpoint).call(id=BIG, ids=[9007199254740993])
    sent = next(request for request in raw.seen if request.method == "tools/call")
    assert sent.message["params"]["arguments"] == {"id": BIG, "ids": [9007199254740993]}
    assert answer.structured == {"id": BIG}


async def test_ex_22_a_null_inside_an_argument_stays(raw, connect):
    await connect(raw.endpoint).call(a=None, b={"c": None})
    sent = next(request for request in raw.seen if request.method == "tools/call")
    assert sent.message["params"]["arguments"] == {"a": None, "b": {"c": None}}


@pytest.mark.parametrize("events", [False, True])
async def test_nan_and_lone_surrogates_become_text_that_can_be_stored(raw, connect, events):
    values = (
        '{"a": NaN, "b": -Infinity, "c": "x\\ud800", "\\udfff": 1, "d": "\\ud83d\\ude00", "e": "\\\\ud800"}'
    )

    async def answer(wire):
        result = f'{{"content": [], "structuredContent": {values}}}'
        body = f'{{"jsonrpc": "2.0", "id": {wire.request.message["id"]}, "result": {result}}}'
        if not events:
            await wire.reply(200, body.encode(), "application/json")
            return
        await wire.begin_events()
        await wire.event(body)

    raw.on["tools/call"] = answer
    answer = await connect(raw.endpoint).call()
    assert answer.structured == {"a": "NaN", "b": "-Infinity", "c": "x�", "�": 1, "d": "😀", "e": "\\ud800"}
    assert json.loads(answer.model_dump_json())["structured"] == answer.structured


async def test_an_answer_of_many_megabytes_comes_through_an_event_stream(raw, connect):
    async def answer(wire):
        await wire.begin_events()
        await wire.event({"id": wire.request.message["id"], "result": {"content": [text("x" * 5_000_000)]}})

    raw.on["tools/call"] = answer
    assert len((await connect(raw.endpoint).call()).texts[0]) == 5_000_000


@pytest.mark.parametrize(
    ("result", "texts"),
    [
        ({"content": "plain"}, ("plain",)),
        ({"content": ["plain", {"text": "untyped"}, 7, {"type": "text"}]}, ("plain", "untyped")),
        ({"content": [text("kept")], "structuredContent": [1, 2]}, ("kept",)),
        ({"content": [text("kept")], "isError": None}, ("kept",)),
        ({"structuredContent": {"a": 1}}, ()),
        ({"content": [], "structuredContent": None}, ()),
    ],
)
async def test_a_result_out_of_shape_gives_back_what_can_be_read(raw, connect, result, texts):
    answer = await answered(raw, connect, result)
    assert answer.texts == texts
    assert answer.structured == result.get("structuredContent")


@pytest.mark.parametrize(
    "result", [{}, {"isError": False}, {"content": 7}, {"content": [], "isError": "false"}]
)
async def test_a_result_that_says_nothing_reliable_is_doubt(raw, connect, result):
    raw.on["tools/call"] = lambda wire: wire.result(result)
    assert (await connect(raw.endpoint).fail()).kind is CallFailureKind.DOUBT


async def test_an_answer_that_breaks_the_listed_output_schema_is_still_an_answer(raw, connect, helpers):
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    raw.on["tools/list"] = lambda wire: wire.result({"tools": [helpers.tool("t", outputSchema=schema)]})
    raw.on["tools/call"] = lambda wire: wire.result({"content": [], "structuredContent": {"a": 1}})
    caller = connect(raw.endpoint)
    await caller.servers.tools("s")
    assert (await caller.call()).structured == {"a": 1}
