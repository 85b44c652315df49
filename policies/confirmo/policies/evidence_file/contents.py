"""Whether the lines of a file agree with each other: digests, keys, and nothing sent before the yes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from confirmo.policies.compensation import undo_root
from confirmo.policies.decisions import may_confirm
from confirmo.policies.evidence_file import bodies
from confirmo.policies.evidence_file.asked import YES, Asked
from confirmo.policies.evidence_file.chain import FORMAT, Line
from confirmo.policies.evidence_file.outcomes_told import OutcomesTold
from confirmo.policies.evidence_file.sent import Sent
from confirmo.policies.json_text import same
from confirmo.policies.keys import call_key, item_key
from confirmo.policies.models import Actor, TransactionRequest
from confirmo.policies.snapshot import digest_of, request_digest
from confirmo.policies.tool_spec import ConfirmationPolicy, ResolvedPolicy, ToolSpec

MAX_PROBLEMS: Final = 20


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong. ``line`` counts from 1; no value is quoted."""

    line: int
    kind: str
    message: str


@dataclass
class Told:
    """What the lines say, for a summary."""

    header: bodies.Header | None = None
    request: TransactionRequest | None = None
    questions: list[tuple[str, bodies.Question]] = field(default_factory=list)
    decisions: list[tuple[str, bodies.Decision]] = field(default_factory=list)
    calls: int = 0
    result: dict[str, Any] | None = None
    end: bodies.End | None = None


class Contents:
    """Reads line after line and notes what does not agree.

    Attributes:
        problems: At most ``MAX_PROBLEMS``.
        told: What was read.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.told = Told()
        self._number, self._kind = 0, ""
        self._asked = {"execute": Asked(), "undo": Asked()}
        self._tools: dict[str, ToolSpec] = {}
        self._sent = Sent()
        self._events, self._people = 0, 1
        self._outcomes = OutcomesTold()
        self._takers: dict[str, Callable[[str, Any], None]] = {
            "header": self._header,
            "request": self._request,
            "policy": self._policy,
            "question": self._question,
            "decision": self._decision,
            "call": self._call,
            "answer": self._answer,
            "event": self._event,
            "result": self._result,
            "end": self._end,
        }

    def take(self, line: Line) -> None:
        """Read one line."""
        self._number, self._kind = line.seq + 1, line.kind
        model = bodies.BODIES.get(line.kind)
        if model is None:
            self._wrong("a line of this kind is not known to this version")
            return
        try:
            body = model.model_validate(line.body)
        except ValidationError as error:
            places = sorted({".".join(str(part) for part in item["loc"]) for item in error.errors()})
            self._wrong(f"it has another form than its kind has, at {', '.join(places)[:120]}")
            return
        self._check_place(line)
        taker = self._takers.get(line.kind)
        if taker is not None:
            taker(line.time, body)

    def finish(self, number: int) -> None:
        """Note what is missing at the end; ``number`` is the seal's line."""
        self._number, self._kind = number, "seal"
        for name in ("header", "end"):
            if getattr(self.told, name) is None:
                self._wrong(f"the file has no line of kind {name}")

    def _wrong(self, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(self._number, self._kind, message))

    def _check_place(self, line: Line) -> None:
        if (line.seq == 0) != (line.kind == "header"):
            self._wrong("the header is the first line, and only that")
        if self.told.end is not None:
            self._wrong("it comes after the line that says how the run stood at the end")

    @property
    def _id(self) -> str:
        return self.told.header.transaction_id if self.told.header else ""

    @property
    def _root(self) -> str:
        return self.told.header.root if self.told.header else ""

    def _header(self, time: str, header: bodies.Header) -> None:
        self.told.header = header
        if header.format != FORMAT:
            self._wrong(f"the file is not of the format {FORMAT}")

    def _request(self, time: str, body: bodies.Request) -> None:
        try:
            request = TransactionRequest.model_validate(body.request)
        except ValidationError:
            return  # what started the run was no request, and the run says so
        self.told.request = request
        redrive = request.redrive
        self._outcomes.redrive = redrive
        if body.request_digest is not None and body.request_digest != request_digest(request):
            self._wrong("the request is not the one that its fingerprint is of")
        expected = (redrive.root, redrive.of) if redrive else (self._id, None)
        if self.told.header and expected != (self._root, self.told.header.redrive_of):
            self._wrong("the request belongs to another chain of redrives than the header says")

    def _policy(self, time: str, body: bodies.Policy) -> None:
        try:
            resolved = ResolvedPolicy.model_validate(body.resolved)
        except ValidationError:
            self._wrong("it holds no policy")
            return
        self._people = resolved.people
        self._tools |= resolved.related | ({resolved.tool.name: resolved.tool} if resolved.tool else {})

    def _question(self, time: str, body: bodies.Question) -> None:
        self.told.questions.append((time, body))
        if digest_of(body.frozen.model_dump()) != body.digest:
            self._wrong("the digest is not that of the question as it stands here")
        tool = self._tools.get(body.frozen.tool_name)
        if tool is None or tool.version != body.frozen.policy_version:
            self._wrong("the policy that it names is not in the file")
        elif body.approvals_needed < tool.confirmation.approvals:
            self._wrong("the policy asks for more approvals than the question did")
        for asked in self._asked.values():
            asked.superseded()
        self._asked[body.purpose] = Asked(body)

    def _decision(self, time: str, body: bodies.Decision) -> None:
        self.told.decisions.append((time, body))
        open_one = next((asked for asked in self._asked.values() if asked.open), None)
        for message in (open_one or Asked()).decide(time, body, self._people):
            self._wrong(message)
        if open_one is not None and body.effect in YES:
            self._check_actor(open_one.question, body.decision)

    def _check_actor(self, question: bodies.Question | None, decision: Any) -> None:
        tool = self._tools.get(question.frozen.tool_name) if question else None
        requester = self.told.request.requester if self.told.request else None
        try:
            actor = Actor.model_validate(decision["actor"]) if decision.get("actor") is not None else None
        except (ValidationError, AttributeError):
            self._wrong("it names no actor in the form that one has")
            return
        rules = {tool.confirmation.by if tool else "any", question.by if question else "any"}
        if not all(may_confirm(actor, requester, ConfirmationPolicy(by=by), self._people) for by in rules):
            self._wrong("the policy does not let this actor say yes")

    def _call(self, time: str, body: bodies.Call) -> None:
        self.told.calls += 1
        for message in self._sent.call(time, body, self._tools.get(body.tool_name)):
            self._wrong(message)
        if body.role in ("primary", "undo"):
            self._check_key(body)
            self._check_yes(time, body)

    def _check_key(self, body: bodies.Call) -> None:
        root = self._root
        if body.role == "undo":
            expected = call_key(undo_root(root, body.item_id or ""))
        else:
            expected = call_key(root) if body.item_id is None else item_key(root, body.item_id)
        if body.idempotency_key != expected:
            self._wrong("the idempotency key does not follow from the transaction and the item")
        if any(item_key(root, item) != key for item, key in (body.item_keys or {}).items()):
            self._wrong("an item's idempotency key does not follow from the transaction and the item")

    def _check_yes(self, time: str, body: bodies.Call) -> None:
        asked = self._asked["undo" if body.role == "undo" else "execute"]
        tool = self._tools.get(body.tool_name)
        if asked.question is None:
            if tool is None or tool.require_confirmation:
                self._wrong("it was handed over to be sent, and nobody had been asked")
            return
        ids = [body.item_id] if body.item_id is not None else body.item_ids or []
        for message in asked.may_send(time, body.tool_name, ids):
            self._wrong(message)
        if body.role != "primary" or tool is None or body.arguments is None:
            return
        expected = asked.arguments_of(tool, body)
        if expected and not any(same(one, body.arguments) for one in expected):
            self._wrong("the arguments are not those of the question that was answered")

    def _answer(self, time: str, body: bodies.Answer) -> None:
        for message in self._sent.answer(time, body):
            self._wrong(message)
        self._outcomes.answer(body)

    def _event(self, time: str, body: bodies.Event) -> None:
        number = body.event_id.removeprefix(f"{self._id}/")
        known = number.isascii() and number.isdigit() and len(number) < 12
        if body.transaction_id != self._id or not known or int(number) <= self._events:
            self._wrong("the event is of another transaction, or out of order")
        else:
            self._events = int(number)

    def _result(self, time: str, body: bodies.Result) -> None:
        if self.told.result is not None:
            self._wrong("there is a result already")
        self.told.result = body.result
        for message in self._outcomes.check(self._id, body.result):
            self._wrong(message)

    def _end(self, time: str, body: bodies.End) -> None:
        self.told.end = body
        if self.told.header and body.status != self.told.header.status:
            self._wrong("the header says another status")
        if (body.status == "completed") != (self.told.result is not None):
            self._wrong("a run has a result where it completed, and only there")
