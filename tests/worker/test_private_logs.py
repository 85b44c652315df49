"""Log records without personal data."""

import copy
import io
import logging

import pytest

from confirmo.worker import private_logs

CPF = "111.444.777-35"


class Named:
    def __str__(self):
        return f"cliente {CPF}"


@pytest.fixture
def logged():
    """What a handler of anybody's writes, for a logger that nobody has heard of."""
    private_logs.install(["nome"])
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("somebody.else")
    logger.addHandler(handler)
    logger.setLevel(1)
    logger.propagate = False
    yield logger, stream.getvalue
    logger.removeHandler(handler)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("x %s %d %s", CPF, 5, Named()), "x <cpf> 5 cliente <cpf>"),
        (("+55 (11) 9%s", "0000-0001"), "<phone>"),
        (({"cpf": "11144477735"},), "{'cpf': '<cpf>'}"),
        ((Named(),), "cliente <cpf>"),
        (("%d", 11144477735), "<cpf>"),
        (("%(nome)s", {"nome": "Ana"}), "<masked>"),
        (("nome=%s", "Ana Silva"), "nome=<masked>"),
        (("100% certain",), "100% certain"),
        (("%s %s", "one"), "%s %s (its arguments cannot be shown)"),
    ],
)
def test_a_line_holds_no_personal_data(logged, arguments, line):
    logger, text = logged
    logger.debug(*arguments)
    assert text() == f"{line}\n"


def test_a_traceback_holds_no_personal_data(logged):
    logger, text = logged
    try:
        try:
            raise KeyError(CPF)
        except KeyError as error:
            raise ValueError("90000-0001 is no number") from error
    except ValueError:
        logger.exception("it failed", stack_info=True)
    assert "ValueError: <phone> is no number" in text()
    assert "KeyError: '<cpf>'" in text()
    assert CPF not in text().replace(f'KeyError("{CPF}")', "")


def test_what_comes_as_extra_is_masked_and_stays_what_it_is(logged):
    private_logs.install(["nome"])
    extra = {
        "confirmo_event": {"nome": "Ana", "cpf": [11144477735], "count": 2},
        "nome": "Ana",
        "who": Named(),
    }
    record = copy.copy(logging.getLogger("x").makeRecord("x", 10, "f", 1, "m", (), None, extra=extra))
    assert record.confirmo_event == {"nome": "<masked>", "cpf": ["<cpf>"], "count": 2}
    assert (record.nome, record.who) == ("<masked>", "cliente <cpf>")
    assert "error" not in vars(record)
