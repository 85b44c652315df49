"""The scenarios of the seed documents, and how each of them must end."""

from dataclasses import dataclass, field
from typing import Any

from confirmo.policies.models import Outcome, Status

DONE, NOT_DONE = Outcome.SUCCEEDED, Outcome.FAILED


@dataclass(frozen=True)
class Scenario:
    """One conversation.

    Attributes:
        title: In the words of the documents.
        said: What the person says to the agent.
        tool_name: What the agent calls.
        arguments: With what.
        asked: Whether a question must be asked; the person then says yes.
        status: How it must end.
        outcomes: Of each item, in the confirmed order; empty for a tool without items.
        multi_item_status: Null with fewer than two items.
        effects: How many things must have changed in the systems behind the tools, the primary tool's only.
        notice_fails: The text message of afterwards must fail, and change nothing.
    """

    title: str
    said: str
    tool_name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    asked: bool = True
    status: Status = Status.COMPLETED
    outcomes: tuple[Outcome, ...] = ()
    multi_item_status: str | None = None
    effects: int = 1
    notice_fails: bool = False


SCENARIOS = (
    Scenario(
        title="Um pedido, confirmado e cancelado",
        said="quero cancelar o pedido PED-1001",
        tool_name="cancelar_pedido",
        arguments={"order_id": "PED-1001"},
    ),
    Scenario(
        title="Um pedido já entregue: recusado antes de qualquer pergunta",
        said="quero cancelar o pedido PED-ENTREGUE",
        tool_name="cancelar_pedido",
        arguments={"order_id": "PED-ENTREGUE"},
        asked=False,
        status=Status.OUT_OF_SCOPE,
        effects=0,
    ),
    Scenario(
        title="Três serviços em uma frase: sucesso parcial",
        said="cancela TIM Fashion, Aya Audiobooks e Neymar Jr",
        tool_name="cancelar_vas_avulso",
        arguments={"subject": "TIM Fashion, Aya Audiobooks, Neymar Jr"},
        outcomes=(DONE, NOT_DONE, DONE),
        multi_item_status="PARTIAL_SUCCESS",
        effects=2,
    ),
    Scenario(
        title="Um lote de pedidos em uma só chamada",
        said="cancela os pedidos P-100, P-101 e P-102",
        tool_name="cancelar_pedidos",
        arguments={"order_ids": ["P-100", "P-101", "P-102"]},
        outcomes=(DONE, NOT_DONE, DONE),
        multi_item_status="PARTIAL_SUCCESS",
        effects=2,
    ),
    Scenario(
        title="O aviso de depois falha, e o que foi feito continua feito",
        said="cancela o Tamboro e a Banca Jornais e Revistas",
        tool_name="cancelar_vas_avulso",
        arguments={"subject": "Tamboro, Banca Jornais e Revistas"},
        outcomes=(DONE, DONE),
        multi_item_status="SUCCESS",
        effects=2,
        notice_fails=True,
    ),
)
