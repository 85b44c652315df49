"""What the words mean, one sentence each. A word of the code that is not here stops the generator."""

from typing import Final

from confirmo.client.exits import Exit
from confirmo.policies import names
from confirmo.policies.errors import UpdateErrorType
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode

EXITS: Final = {
    Exit.DONE: "done",
    Exit.NOT_SUCCEEDED: "a result was returned, and it is a failure, partial or unknown",
    Exit.WRONG_USE: "wrong use, or a configuration that cannot be used",
    Exit.REFUSED: "rejected, expired, cancelled, blocked, out of scope, or an update that the transaction did not take",
    Exit.UNREACHABLE: "Temporal, its namespace, a worker or a server cannot be reached",
    Exit.NOT_FOUND: "no transaction has this id",
}

EVENTS: Final = {
    EventName.STARTED: "a transaction began",
    EventName.PARAMETERS_REQUIRED: "required arguments are missing or invalid, and somebody is asked for them",
    EventName.PREVALIDATION_REQUESTED: "the validator is about to be asked",
    EventName.PREVALIDATION_PASSED: "the validator lets the operation pass",
    EventName.PREVALIDATION_REJECTED: "the validator said no, could not be asked, or resolved to nothing",
    EventName.PREVALIDATION_PARAMETER_REJECTED: "the validator asks for one argument again",
    EventName.PREVALIDATION_BYPASSED: "the validator was unavailable, and `fail_open` let the question be asked",
    EventName.RETARGETED: "the validator named another tool, whose policy now applies",
    EventName.CONFIRMATION_REQUIRED: "a question is frozen and waits",
    EventName.CONFIRMED: "a yes counts; with several approvals, each of them",
    EventName.REJECTED: "a person said no",
    EventName.DECISION_REFUSED: "a decision was not taken",
    EventName.AMENDED: "the set was changed before the yes; a new question follows",
    EventName.EXPIRED: "nobody answered in time",
    EventName.CANCELLED: "somebody stopped it",
    EventName.BLOCKED: "policy or configuration forbids it",
    EventName.EXECUTION_STARTED: "effects may begin",
    EventName.ITEM_COMPLETED: "the outcome of one item is known, or known to be unknown",
    EventName.AUXILIARY_FAILED: "a step of `after` or `compensate` failed; what the primary tool did stands",
    EventName.UNREQUESTED_RESULT: "the tool told about items that nobody asked for",
    EventName.COMPLETED: "over, and at least one item succeeded",
    EventName.FAILED: "over, and nothing is known to have succeeded",
}

REASONS: Final = {
    ReasonCode.REJECTED: ("transaction", "a person said no"),
    ReasonCode.CANCELLED: ("transaction", "somebody stopped it"),
    ReasonCode.EXPIRED: ("transaction", "nobody answered in time"),
    ReasonCode.NOT_ELIGIBLE: ("both", "the validator said no: to the whole, or to this item"),
    ReasonCode.PREVALIDATION_ERROR: (
        "transaction",
        "the validator could not be asked, or its answer was malformed",
    ),
    ReasonCode.NOTHING_TO_DO: (
        "transaction",
        "the set that was resolved is empty, or there is nothing to undo",
    ),
    ReasonCode.UNKNOWN_TOOL: ("transaction", "`tools.yaml` declares no such tool"),
    ReasonCode.TOOL_DISABLED: ("transaction", "the tool has `enabled: false`"),
    ReasonCode.TARGET_NOT_ALLOWED: (
        "transaction",
        "the validator named a tool that is unknown or disabled, or hopped too often",
    ),
    ReasonCode.TOO_LARGE: ("transaction", "more items, or a larger question, than is allowed"),
    ReasonCode.TOO_MANY_ATTEMPTS: (
        "transaction",
        "an argument was asked for again three times and still not taken",
    ),
    ReasonCode.REQUESTER_REQUIRED: ("transaction", "`by: requester`, and the request names none"),
    ReasonCode.NOT_EXECUTED: (
        "item",
        "provably not done: never sent, or refused before anything was done; or a status tool says so",
    ),
    ReasonCode.LOST_ANSWER: ("item", "sent, and no answer that can be used came back"),
    ReasonCode.MISSING_RESULT: ("item", "the tool answered, and said nothing about this item"),
    ReasonCode.INVALID_FLAG: (
        "item",
        "its entry has no flag, flags that disagree, or one that is not a boolean",
    ),
    ReasonCode.CONFLICTING_EVIDENCE: ("item", "told twice, with opposite flags"),
    ReasonCode.UNRECOGNISED_ANSWER: ("item", "the answer has a form that proves nothing"),
}

UPDATE_ERRORS: Final = {
    UpdateErrorType.INVALID_DECISION: "send a `Decision` as it is defined, with the digest that was shown",
    UpdateErrorType.INVALID_ARGUMENTS: "correct the arguments or items that the message names",
    UpdateErrorType.ALREADY_CLOSED: "read the recorded state; to take up what failed, `confirmo redrive`",
    UpdateErrorType.NOT_AWAITING_CONFIRMATION: "read the state: it is collecting, validating or executing",
    UpdateErrorType.CONFIRMATION_EXPIRED: "start a new transaction",
    UpdateErrorType.NOT_ALLOWED: "let somebody decide whom `confirmation.by` allows, and name the `actor`",
    UpdateErrorType.DIGEST_MISMATCH: "show the question that is open now, and decide about that one",
    UpdateErrorType.CONFLICTING_DECISION: "the first decision stands; read the state",
    UpdateErrorType.REQUEST_MISMATCH: "use another `request_id` for another request",
}

SEARCH_ATTRIBUTES: Final = {
    names.SEARCH_STATUS: "where the transaction stands: a status",
    names.SEARCH_TOOL: "the tool that will run, or the one that was asked for",
    names.SEARCH_TENANT: "whose it is",
    names.SEARCH_OUTCOME: "once it is over: `SUCCESS`, `PARTIAL_SUCCESS`, `FAILED`; the status where nothing ran",
}
