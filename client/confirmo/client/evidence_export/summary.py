"""What an evidence file says, on a page for an auditor."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from confirmo.policies.evidence_file import bodies
from confirmo.policies.evidence_file.contents import Told
from confirmo.policies.evidence_file.verifying import Verdict
from confirmo.policies.texts import one_line

_SHOWN = 60


def summary_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the lines of the page. Names of people, items and tools stand in it, argument values do not."""
    yield from _about(verdict.told)
    for time, question in verdict.told.questions:
        yield _question(time, question)
    for time, decision in verdict.told.decisions:
        yield _decision(time, decision)
    yield from _ending(verdict.told)
    yield from _seal(verdict)


def _short(value: Any) -> str:
    return one_line(str(value), _SHOWN)


def _about(told: Told) -> Iterator[str]:
    header, request = told.header, told.request
    if header is None:
        return
    yield f"Transaction  {_short(header.transaction_id)}, run {_short(header.run_id)}: {_short(header.status)}"
    if header.redrive_of is not None:
        yield f"Takes up     {_short(header.redrive_of)}, first of the chain {_short(header.root)}"
    if request is not None:
        asker = _short(request.requester.id) if request.requester else "nobody named"
        yield f"Requested    {_short(request.tool_name)} by {asker}, tenant {_short(request.tenant)}"


def _question(time: str, question: bodies.Question) -> str:
    frozen = question.frozen
    needs = f"{question.approvals_needed} approval(s) by {_short(question.by)}"
    return (
        f"Question {question.number}   {_short(time)}: {_short(frozen.tool_name)}, {len(frozen.items)} item(s), "
        f"needs {needs}, digest {_short(question.digest)[:16]}…"
    )


def _decision(time: str, decision: bodies.Decision) -> str:
    said = decision.decision if isinstance(decision.decision, dict) else {}
    actor = said.get("actor")
    who = _short(actor.get("id")) if isinstance(actor, dict) else "nobody named"
    why = f" ({_short(decision.refusal_type)})" if decision.refusal_type else ""
    return f"Decision     {_short(time)}: {_short(said.get('decision'))} by {who}: {decision.effect}{why}"


def _ending(told: Told) -> Iterator[str]:
    yield f"Calls        {told.calls} handed over"
    if told.result is not None:
        counts = Counter(_outcomes(told.result))
        items = ", ".join(f"{count} {_short(outcome)}" for outcome, count in sorted(counts.items()))
        status = _short(told.result.get("transaction_status"))
        yield f"Result       {status}" + (f": {items}" if items else "")
    elif told.end is not None:
        yield f"Result       none: the run is {_short(told.end.status)}"


def _outcomes(result: dict[str, Any]) -> list[str]:
    inner = result.get("result")
    output = inner.get("output") if isinstance(inner, dict) else None
    own = output.get(str(result.get("tool_name"))) if isinstance(output, dict) else None
    entries = own.get("results") if isinstance(own, dict) else None
    return [
        str(entry.get("outcome"))
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    ]


def _seal(verdict: Verdict) -> Iterator[str]:
    seal = verdict.seal
    if seal is None:
        return
    yield f"Sealed       {verdict.lines} lines at {seal.signed_at} by {seal.exporter}, head {seal.head}"
    yield f"Signature    {_signature(verdict)}"


def _signature(verdict: Verdict) -> str:
    seal = verdict.seal
    if seal is None or not seal.signed:
        return "NONE: anybody who had the file could have written it"
    if verdict.trusted:
        return f"good, by the key you named: {seal.key_id}"
    return (
        f"NOT TRUSTED: it fits the key that the file itself brings ({seal.key_id}), and a forger brings one, too; "
        "name the key that you know with --public-key"
    )
