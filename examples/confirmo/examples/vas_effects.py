"""What the operator's system makes of one service. Pure: the ledger decides whether it is asked at all."""

from collections.abc import Callable

from confirmo.examples.ledger import Answer, Outcome
from confirmo.examples.vas import Service, resolve
from confirmo.examples.vas_validation import NOT_CANCELLABLE, NOT_FOUND


def canonical(subject: str) -> str:
    """Return the service's full name where the subject means exactly one, else the subject as it is."""
    service = _only(subject)
    return service.name if service else subject


def describe(service: Service, is_cancelled: Callable[[str], bool]) -> Answer:
    """Return a service as the bill shows it."""
    return {
        "name": service.name,
        "price": service.price,
        "category": service.category,
        "status": "CANCELADO" if is_cancelled(service.name) else "ATIVO",
    }


def look_up(name: str, is_cancelled: Callable[[str], bool]) -> Answer:
    """Return one entry of ``results`` for a name in a person's words."""
    meant = resolve(name)
    if len(meant) != 1:
        reason = "ambiguous" if meant else NOT_FOUND
        return {"subject": name, "success": False, "reason": reason}
    return {"subject": meant[0].name, "success": True, **describe(meant[0], is_cancelled)}


def cancel(subject: str, is_refused: Callable[[str], bool]) -> Outcome:
    """Cancel one service.

    Some that are on the bill are unknown to the operator's system: what the validator found, the execution
    may not.
    """
    service = _only(subject)
    if service is None:
        return _no(subject, "not_found")
    reason = NOT_CANCELLABLE.get(service.category) or service.refusal
    if reason is None and is_refused(service.name):
        reason = "already_cancelled"
    if reason is not None:
        return _no(subject, reason)
    protocol = f"VAS-2026-{service.code}"
    answer = {"subject": service.name, "success": True, "protocol": protocol, "price": service.price}
    return Outcome(answer, effect=True)


def open_retention(subject: str) -> Outcome:
    """Open a retention case for one strategic service."""
    service = _only(subject)
    if service is None:
        return _no(subject, "not_found")
    if service.category != "estrategico":
        return _no(subject, "servico_nao_estrategico")
    answer = {
        "subject": service.name,
        "success": True,
        "protocol": f"RET-2026-{service.code}",
        "status": "ATENDIMENTO_ABERTO",
    }
    return Outcome(answer, effect=True)


def open_dispute(subject: str, amount: float, cause: str | None, number: int) -> Outcome:
    """Open a dispute over one charge; ``number`` makes its protocol."""
    service = _only(subject)
    if service is None:
        return _no(subject, "not_found")
    if service.category == "plano":
        return _no(subject, "categoria_nao_contestavel")
    answer = {
        "subject": service.name,
        "valor": amount,
        "success": True,
        "protocol": f"CONT-2026-{number:04d}",
        "status": "ABERTA",
    }
    return Outcome(answer | ({"motivo": cause} if cause else {}), effect=True)


def _only(subject: str) -> Service | None:
    meant = resolve(subject)
    return meant[0] if len(meant) == 1 else None


def _no(subject: str, reason: str) -> Outcome:
    return Outcome({"subject": subject, "success": False, "reason": reason}, effect=False)
