"""The Contas tool server: services on a telecom bill, their cancellation and the dispute of charges.

``python -m confirmo.examples.contas`` starts it on port 8100.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from confirmo.examples import vas, vas_effects, vas_validation
from confirmo.examples.desk import Desk, call_key, item_keys
from confirmo.examples.ledger import Answer, Dedupe, Demand, KnobKind, Ledger, Outcome
from confirmo.examples.products import cancel_product, product_identity
from confirmo.examples.serve import run
from confirmo.examples.tooling import ADDITIVE, DESTRUCTIVE, READ_ONLY, build_server, failed, structured

PORT = 8100

Subject = Annotated[str, Field(description="Um ou mais serviços, nas palavras do cliente.")]
OneSubject = Annotated[str, Field(description="Nome de exatamente um serviço.")]
Amount = Annotated[float, Field(description="Valor em reais.", allow_inf_nan=False)]
Items = Annotated[list[Any], Field(description="Produtos: mapas com id e name, ou só os ids.")]
Key = Annotated[
    str | None, Field(description="Chave de idempotência: a mesma chave nunca executa duas vezes.")
]


class Contas:
    """The tools; a method's name is the tool's name."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._ledger = desk.ledger

    async def consultar_vas(self, context: Context, subject: Subject = "") -> Answer:
        """List the customer's services; with a subject only those, one entry in ``results`` each."""
        if not subject.strip():
            services = [vas_effects.describe(service, self._is_cancelled) for service in vas.SERVICES]
            return self._desk.answer(context, "consultar_vas", "", {"services": services})
        results = [vas_effects.look_up(name, self._is_cancelled) for name in vas.split(subject)]
        return self._desk.answer(context, "consultar_vas", subject, {"results": results})

    async def validar_vas_subject(
        self, context: Context, subject: Subject, target_tool: str | None = None
    ) -> Answer:
        """Resolve what a person named, item by item, and say whether it can be cancelled."""
        answer = vas_validation.validate_cancellation(subject, self._is_refused)
        return self._desk.answer(context, "validar_vas_subject", subject, answer)

    async def cancelar_vas_avulso(
        self, context: Context, subject: OneSubject, idempotency_key: Key = None
    ) -> Answer:
        """Cancel exactly one service."""
        demand = Demand(vas_effects.canonical(subject), call_key(context, idempotency_key))
        return await self._desk.act(
            context, "cancelar_vas_avulso", demand, lambda name: vas_effects.cancel(name, self._is_refused)
        )

    async def tratar_vas_estrategico(
        self, context: Context, subject: OneSubject, idempotency_key: Key = None
    ) -> Answer:
        """Open a retention case for one strategic service."""
        demand = Demand(vas_effects.canonical(subject), call_key(context, idempotency_key))
        return await self._desk.act(context, "tratar_vas_estrategico", demand, vas_effects.open_retention)

    async def cancelar_produtos(self, context: Context, items: Items) -> Answer:
        """Cancel several products in one call; one entry in ``results`` each, in the given order."""
        given = {product_identity(item): item for item in items}
        demands = [Demand(*pair) for pair in zip(given, item_keys(context, list(given)), strict=True)]

        def cancel(identity: str) -> Outcome:
            refused = self._refuses_repeated("cancelar_produtos") and self._ledger.has_effect(
                ["cancelar_produtos"], identity
            )
            return cancel_product(identity, given[identity], refused)

        return {"results": await self._desk.act_on_all(context, "cancelar_produtos", demands, cancel)}

    async def validar_contestacao(
        self, context: Context, subject: Subject, valor: Amount, target_tool: str | None = None
    ) -> Answer:
        """Say whether a charge can be disputed."""
        answer = vas_validation.validate_dispute(subject, valor)
        return self._desk.answer(context, "validar_contestacao", subject, answer)

    async def contestar_cobranca(
        self, context: Context, subject: OneSubject, valor: Amount, motivo: str | None = None
    ) -> Answer:
        """Open a dispute. The key is kept as a reference only: a second call opens a second dispute."""

        def dispute(name: str) -> Outcome:
            return vas_effects.open_dispute(name, valor, motivo, self._ledger.next_number())

        demand = Demand(vas_effects.canonical(subject), call_key(context))
        return await self._desk.act(context, "contestar_cobranca", demand, dispute, dedupe=Dedupe.NEVER)

    async def consultar_contestacao(self, context: Context, idempotency_key: str) -> Answer:
        """Look up a dispute by the key that it was opened with."""
        rows = self._ledger.effects(tool="contestar_cobranca", idempotency_key=idempotency_key)
        answer: Answer = {"found": True, **rows[0].answer} if rows else {"found": False}
        return self._desk.answer(context, "consultar_contestacao", idempotency_key, answer)

    async def notificar_cliente(
        self,
        context: Context,
        mensagem: Annotated[str, Field(description="Texto do aviso.")],
        canal: Annotated[str, Field(description="sms ou email.")] = "sms",
        simular_falha: Annotated[bool, Field(description="Faz o aviso falhar, para testes.")] = False,
        idempotency_key: Key = None,
    ) -> Annotated[CallToolResult, Answer]:
        """Send a notice. A gateway that fails is a tool error, with the gateway's own text."""
        down = self._ledger.knobs.take([KnobKind.SMS_GATEWAY_DOWN], "notificar_cliente", [canal])
        if simular_falha or (canal == "sms" and down):
            text = f"{canal.upper()} gateway 502"
            self._desk.answer(context, "notificar_cliente", canal, {"success": False, "error": text})
            return failed(text)

        def send(channel: str) -> Outcome:
            protocol = f"AVISO-2026-{self._ledger.next_number():04d}"
            return Outcome({"success": True, "canal": channel, "protocol": protocol}, effect=True)

        demand = Demand(canal, call_key(context, idempotency_key))
        return structured(await self._desk.act(context, "notificar_cliente", demand, send))

    def _is_cancelled(self, name: str) -> bool:
        return self._ledger.has_effect([vas_validation.CANCEL_TOOL], name)

    def _is_refused(self, name: str) -> bool:
        return self._refuses_repeated(vas_validation.CANCEL_TOOL) and self._is_cancelled(name)

    def _refuses_repeated(self, tool: str) -> bool:
        return bool(self._ledger.knobs.armed([KnobKind.REFUSE_REPEATED], tool))


def create_server(ledger: Ledger) -> MCPServer[Any]:
    """Return the Contas server on this ledger; closing the ledger is the caller's."""
    contas = Contas(Desk(ledger))
    return build_server(
        "contas",
        "Serviços de valor agregado (VAS) na conta do cliente: consulta, cancelamento e contestação.",
        [
            (
                contas.consultar_vas,
                READ_ONLY,
                "Lista os serviços do cliente com preços; aceita um ou vários nomes.",
            ),
            (
                contas.validar_vas_subject,
                READ_ONLY,
                "Resolve os serviços citados e diz quais podem ser cancelados.",
            ),
            (contas.cancelar_vas_avulso, DESTRUCTIVE, "Cancela um serviço VAS."),
            (
                contas.tratar_vas_estrategico,
                ADDITIVE,
                "Abre um atendimento de retenção para um serviço estratégico.",
            ),
            (contas.cancelar_produtos, DESTRUCTIVE, "Cancela um ou mais produtos do cliente."),
            (contas.validar_contestacao, READ_ONLY, "Diz se uma cobrança pode ser contestada."),
            (contas.contestar_cobranca, ADDITIVE, "Contesta uma cobrança na fatura."),
            (
                contas.consultar_contestacao,
                READ_ONLY,
                "Procura uma contestação pela chave com que foi aberta.",
            ),
            (contas.notificar_cliente, ADDITIVE, "Envia um aviso ao cliente por SMS ou e-mail."),
        ],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until it is told to stop; returns the exit code."""
    return run("contas", create_server, PORT, arguments)


if __name__ == "__main__":
    sys.exit(main())
