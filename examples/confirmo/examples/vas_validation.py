"""What the two Contas validators answer. Pure: no state, no effect."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from confirmo.examples.ledger import Answer
from confirmo.examples.vas import Service, resolve, split
from confirmo.examples.words import enumerate_names

CANCEL_TOOL = "cancelar_vas_avulso"
RETENTION_TOOL = "tratar_vas_estrategico"

NOT_FOUND = "item_nao_encontrado"
NOT_CANCELLABLE = {
    "estrategico": "servico_estrategico",
    "bundle": "servico_incluso_no_plano",
    "plano": "item_de_plano",
}


@dataclass(frozen=True, slots=True)
class _Named:
    """One name of the expression: the service it means, or none."""

    text: str
    service: Service | None


def validate_cancellation(subject: str, is_cancelled: Callable[[str], bool]) -> Answer:
    """Answer ``validar_vas_subject``.

    Args:
        subject: One or several services in a person's words.
        is_cancelled: Tells of a service's name whether it must be refused as cancelled already.
    """
    names = split(subject)
    if not names:
        return _ask("Qual serviço ou quais serviços você quer cancelar?")
    for name in names:
        if len(meant := resolve(name)) > 1:
            return _ask_which(name, meant)
    named = _distinct([_Named(name, next(iter(resolve(name)), None)) for name in names])
    if all(entry.service and entry.service.category == "estrategico" for entry in named):
        return _retarget(subject, [entry.service.name for entry in named if entry.service])
    items = [_item(entry, is_cancelled) for entry in named]
    eligible = [str(item["name"]) for item in items if item["eligible"]]
    if not eligible:
        return _not_eligible(subject, items)
    answer = _decision(subject, eligible, items, CANCEL_TOOL)
    answer["status"] = "ELIGIBLE" if len(eligible) == len(items) else "PARTIALLY_ELIGIBLE"
    answer["transaction_decision"]["confirmation_message"] = (
        f"Você confirma o cancelamento de {enumerate_names(eligible)}?"
    )
    return answer


def validate_dispute(subject: str, amount: float) -> Answer:
    """Answer ``validar_contestacao``.

    Args:
        subject: The charged service in a person's words.
        amount: The amount in reais that is disputed.
    """
    names = split(subject)
    if len(names) != 1:
        return _ask("Conteste uma cobrança por vez: qual é a cobrança?")
    meant = resolve(names[0])
    if len(meant) > 1:
        return _ask_which(names[0], meant, "Qual deles você quer contestar?")
    if not meant:
        return _refuse(subject, f"Não há cobrança de “{names[0]}” na fatura.")
    service = meant[0]
    if service.category == "plano":
        return _refuse(
            subject, f"{service.name} é o plano contratado (categoria plano) e não pode ser contestado."
        )
    if amount <= 0:
        return _refuse(subject, "O valor contestado precisa ser maior que zero.")
    return {
        "eligible": True,
        "status": "ELIGIBLE",
        "subject": subject,
        "resolved_subject": service.name,
        "transaction_decision": {
            "resolved_arguments": {"subject": service.name, "valor": amount},
            "confirmation_message": f"Você confirma a contestação de {_reais(amount)} "
            f"cobrados por {service.name}?",
        },
    }


def _distinct(named: Sequence[_Named]) -> list[_Named]:
    by_name: dict[str, _Named] = {}
    for entry in named:
        by_name.setdefault(entry.service.name if entry.service else entry.text, entry)
    return list(by_name.values())


def _item(entry: _Named, is_cancelled: Callable[[str], bool]) -> Answer:
    if entry.service is None:
        return {"name": entry.text, "eligible": False, "reason": NOT_FOUND}
    name, category = entry.service.name, entry.service.category
    if reason := NOT_CANCELLABLE.get(category):
        return {"name": name, "eligible": False, "reason": reason}
    if is_cancelled(name):
        return {"name": name, "eligible": False, "reason": "already_cancelled"}
    return {"name": name, "eligible": True}


def _retarget(subject: str, names: list[str]) -> Answer:
    answer = _decision(subject, names, [{"name": name, "eligible": True} for name in names], RETENTION_TOOL)
    answer["status"] = "ELIGIBLE"
    subjects = enumerate_names(names)
    how = "é um serviço estratégico e segue" if len(names) == 1 else "são serviços estratégicos e seguem"
    answer["transaction_decision"] |= {
        "action_changed": True,
        "requires_reconfirmation": True,
        "confirmation_message": f"{subjects} {how} para a equipe de retenção. "
        f"Você confirma a abertura do atendimento para {subjects}?",
    }
    return answer


def _decision(subject: str, names: list[str], items: list[Answer], target: str) -> Answer:
    joined = ", ".join(names)
    return {
        "eligible": True,
        "subject": subject,
        "resolved_subject": joined,
        "resolved_subjects": names,
        "transaction_decision": {
            "resolved_arguments": {"subject": joined, "items": items},
            "target_tool": target,
        },
    }


def _not_eligible(subject: str, items: list[Answer]) -> Answer:
    names = enumerate_names([str(item["name"]) for item in items])
    found_none = all(item["reason"] == NOT_FOUND for item in items)
    what = "não encontrado na sua conta" if found_none else "não pode ser cancelado por esta operação"
    many = "não encontrados na sua conta" if found_none else "não podem ser cancelados por esta operação"
    return _refuse(subject, f"{names}: {what if len(items) == 1 else many}.") | {"items": items}


def _refuse(subject: str, reason: str) -> Answer:
    return {"eligible": False, "status": "NOT_ELIGIBLE", "subject": subject, "reason": reason}


def _ask_which(
    name: str, meant: Sequence[Service], question: str = "Quais deles você quer cancelar?"
) -> Answer:
    options = enumerate_names([service.name for service in meant])
    return _ask(f"“{name}” pode ser mais de um serviço: {options}. {question}")


def _ask(message: str) -> Answer:
    return {
        "eligible": False,
        "status": "NEEDS_PARAMETER",
        "parameter": "subject",
        "parameter_message": message,
    }


def _reais(amount: float) -> str:
    text = f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))
    return f"R$ {text}"
