"""What a client says: as markdown, and in a deployment's own words."""

import pytest

from confirmo.client import (
    Conversation,
    Session,
    answer_text,
    check_composition,
    load_overrides,
    question_text,
)
from confirmo.policies.tool_spec import TextOverrides
from harness.shop import F1

CALL = {"tool_name": F1[0], "arguments": F1[1]}
RUNNING = "Ainda não sei, *um momento*."


@pytest.fixture
async def chat(door):
    """Open a conversation: ``await chat(format=…)``."""

    async def open_one(**options):
        shop = await door()
        return Conversation(shop.client, **options)

    return open_one


async def test_a_conversation_speaks_markdown(chat):
    talk, session = await chat(format="markdown"), Session()
    asked = await talk.turn(session, "encerra", CALL)
    assert asked.text == question_text(asked.state, "markdown")
    assert "**" in asked.text
    again = await talk.turn(session, "hum")
    assert again.text.endswith("\n\n" + asked.text)
    told = await talk.turn(session, "sim")
    assert told.text == answer_text(told.state.result, "markdown")
    assert told.text.count("\n- **") == 3
    assert check_composition(told.text, told.state.result).ok


async def test_a_conversation_speaks_in_the_deployments_words(chat, tmp_path):
    (tmp_path / "texts.pt-BR.yaml").write_text("texts: {turn_nothing_open: 'Nada em aberto, *ok*.'}")
    (tmp_path / "texts.en.yaml").write_text("texts: {turn_nothing_open: Nothing here.}")
    texts = load_overrides(tmp_path)
    talk = await chat(texts=texts)
    assert (await talk.turn(Session(), "sim")).text == "Nada em aberto, *ok*."
    assert (await talk.turn(Session(locale="en"), "yes")).text == "Nothing here."
    marked = await chat(texts=texts, format="markdown")
    assert (await marked.turn(Session(), "sim")).text == "Nada em aberto, \\*ok\\*."
    assert (
        await (await chat()).turn(Session(), "sim")
    ).text == "Não há nenhuma pergunta aberta; nada foi executado."


async def test_why_an_answer_was_not_taken_is_said_in_those_words_too(chat):
    own = TextOverrides(
        texts={"reply_hesitation": "Isso é um sim?", "reply_acknowledgement": "Um sim inteiro, por favor."}
    )
    talk, session = await chat(texts={"pt-BR": own}), Session()
    await talk.turn(session, "encerra", CALL)
    assert (await talk.turn(session, "ok")).text.startswith("Um sim inteiro, por favor.\n")


async def test_the_command_line_prints_markdown(cli, shop):
    started = await cli(
        "start", F1[0], "--arguments", '{"alvo": "rádio maré, clube leitura e cofre fotos"}', "--id", "tx-md"
    )
    assert started.code == 0
    asked = await cli("status", "tx-md", "--markdown")
    assert "**" in asked.out
    assert "tx-md" not in asked.out
    await cli("confirm", "tx-md", "--yes")
    told = await cli("result", "tx-md", "--markdown")
    assert told.out.count("\n- **") == 3
    assert (await cli("status", "tx-md", "--markdown")).out == told.out
