"""The pages about events, errors, settings and search attributes."""

from typing import Any

from pydantic_settings import BaseSettings

from confirmo.client import errors as doors
from confirmo.client.settings import ClientSettings
from confirmo.policies import names
from confirmo.policies.errors import CallFailureKind, UpdateErrorType
from confirmo.policies.events import EventName
from confirmo.policies.models import Event, ReasonCode
from confirmo.worker.settings import Settings
from docs.generating.details import event_details
from docs.generating.markdown import code, from_docstring, page, table
from docs.generating.meanings import EVENTS, REASONS, SEARCH_ATTRIBUTES, UPDATE_ERRORS
from docs.generating.source import attribute_docs, member_docs


def events_page() -> str:
    """Return the page about ``IC.TRANSACTION_*``."""
    common = ", ".join(code(name) for name in Event.model_fields)
    introduction = f"""
Each transition of a transaction is one event, emitted once and not again on replay. It is in the worker's log
(`confirmo_event` of the record) and in `recent_events` of the state. All of them have {common}; the details below come
on top. `event_id` is stable, so that a receiver can take each once. None holds an argument value.
"""
    details = event_details()
    rows = [
        [code(event.value), EVENTS[event], ", ".join(code(name) for name in details.get(event, []))]
        for event in EventName
    ]
    return page("Events", introduction, table(["name", "when", "details"], rows))


def errors_page() -> str:
    """Return the page about refused updates, reason codes, failed calls and the errors of the Python door."""
    docs = member_docs(CallFailureKind)
    refusals = {error.type: error for error in doors.UpdateRefused.__subclasses__()}
    updates = [
        [
            code(each.value),
            from_docstring(refusals[each].__doc__ or "").splitlines()[0].split(" Attributes:")[0],
            UPDATE_ERRORS[each],
        ]
        for each in UpdateErrorType
    ]
    return page(
        "Errors",
        "## Refused updates",
        "`type` of the `ApplicationError`, in the order in which they are checked. Nothing was changed.",
        table(["type", "what is so", "what to do"], updates),
        "## Reason codes",
        "`reason_code` beside a `reason` text, of a transaction or of an item. What follows from each for a "
        "person and for an operator: [What can happen to an item](../what-can-happen-to-an-item.md).",
        table(["code", "of", "meaning"], [[code(each.value), *REASONS[each]] for each in ReasonCode]),
        "## Failed calls",
        "`type` of a failed activity: what it proves about the effect.",
        table(
            ["type", "meaning"],
            [[code(kind.value), from_docstring(docs[kind.name])] for kind in CallFailureKind],
        ),
        "## In Python",
        "Below `confirmo.client.ConfirmoError`; the refused updates above are subclasses of `UpdateRefused`.",
        table(["error", "below", "meaning"], _door_errors(doors.ConfirmoError)),
    )


def _door_errors(base: type[Exception]) -> list[list[str]]:
    rows: list[list[str]] = []
    for error in base.__subclasses__():
        if base is not doors.UpdateRefused and error.__module__ == doors.__name__:
            meaning = from_docstring((error.__doc__ or "").split("\n")[0])
            rows += [[code(error.__name__), code(base.__name__), meaning], *_door_errors(error)]
    return rows


def settings_page() -> str:
    """Return the page about ``CONFIRMO_*``."""
    return page(
        "Settings",
        "From the environment. What they are for, with examples: [Operations](../operations.md#settings).",
        "## Of a worker",
        "Read by `confirmo worker`, `confirmo dev`, and by `confirmo check` where they are set.",
        _settings(Settings),
        "## Of a client",
        _settings(ClientSettings),
    )


def _settings(model: type[BaseSettings]) -> str:
    docs = attribute_docs(model)
    prefix = str(model.model_config["env_prefix"])
    rows = [
        [
            code(f"{prefix}{name.upper()}"),
            _default(info.get_default(call_default_factory=True)),
            _bounds(info),
            from_docstring(docs[name]),
        ]
        for name, info in model.model_fields.items()
    ]
    return table(["variable", "default", "bounds", "meaning"], rows)


def _default(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return code(str(value).lower())
    return code(f"{value:g}" if isinstance(value, float) else str(value))


def _bounds(info: Any) -> str:
    bounds = {
        name: getattr(each, name)
        for each in info.metadata
        for name in ("ge", "gt", "le", "lt")
        if hasattr(each, name)
    }
    words = {"ge": "from", "gt": "above", "le": "to", "lt": "below"}
    return " ".join(f"{words[name]} {value:,}" for name, value in bounds.items())


def search_attributes_page() -> str:
    """Return the page about Temporal's search attributes."""
    rows = [[code(name), "Keyword", SEARCH_ATTRIBUTES[name]] for name in names.SEARCH_ATTRIBUTES]
    example = "temporal workflow list --query 'ConfirmoStatus = \"AWAITING_CONFIRMATION\"'"
    return page(
        "Search attributes",
        "Created by `confirmo setup` and `confirmo dev`. A worker looks at its start, and does without them where "
        "they are absent. They hold no argument value.",
        table(["name", "type", "meaning"], rows),
        f"```text\n{example}\n```",
    )
