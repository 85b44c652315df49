"""``confirmo check``, ``confirmo tools`` and ``confirmo setup``."""

import os
from typing import Annotated, Any

import typer
from temporalio.service import RPCError

from confirmo.client.commands.common import (
    Config,
    Json,
    connected,
    print_problems,
    problem_text,
    quiet_core,
    with_worker_errors,
)
from confirmo.client.connection import address_of, fault
from confirmo.client.console import Output, note
from confirmo.client.exits import Exit
from confirmo.client.transactions import TransactionClient

Report = dict[str, Any]


def check(
    config: Config,
    offline: Annotated[bool, typer.Option("--offline", help="Do not ask the tool servers.")] = False,
    json: Json = False,
) -> int:
    """Check the three YAML files as the worker does at start, and compare them with the tool servers."""
    return _with_report(config, offline, lambda report: _tell_check(report, Output(json)))


def tools(config: Config, json: Json = False) -> int:
    """List the tools of a catalogue and how each is treated."""
    return _with_report(config, True, lambda report: _tell_tools(report, Output(json)))


def _with_report(config: Any, offline: bool, then: Any) -> int:
    quiet_core()
    from confirmo.worker.check import check as make_report

    return with_worker_errors(make_report(config, os.environ, offline=offline), then)


def _tell_check(report: Report, output: Output) -> Exit:
    output.document(report)
    for kind in ("errors", "warnings"):
        output.lines(f"{kind[:-1]}: {problem_text(problem)}" for problem in report[kind])
    for server in report["servers"]:
        reachable = "reachable" if server["reachable"] else f"not reachable: {server['error']}"
        output.lines([f"server {server['name']}: {reachable}"])
    count = len(report["errors"])
    output.lines([f"{len(report['tools'])} tools, {count} errors, {len(report['warnings'])} warnings"])
    if report["ok"]:
        return Exit.DONE
    note(f"The configuration has {count} error(s): the worker would not start.")
    return Exit.WRONG_USE


def _tell_tools(report: Report, output: Output) -> Exit:
    if not report["ok"]:
        print_problems(report["errors"])
        note("The catalogue cannot be used: see confirmo check.")
        return Exit.WRONG_USE
    output.document(report["tools"])
    output.lines(_tool_line(tool) for tool in report["tools"])
    return Exit.DONE


def _tool_line(tool: Report) -> str:
    asks = "asks for confirmation" if tool["require_confirmation"] else "runs without confirmation"
    needs = f"  needs {', '.join(tool['requires'])}" if tool["requires"] else ""
    return f"{tool['name']}  {tool['operation_type']}  {asks}  {tool['call']}  {tool['effect']}{needs}"


def setup(json: Json = False) -> int:
    """Create Confirmo's search attributes in the namespace; what is there already stays."""

    async def work(client: TransactionClient) -> Exit:
        from confirmo.worker.setup import create_search_attributes

        temporal = client.temporal
        try:
            created = await create_search_attributes(temporal)
        except RPCError as error:
            raise fault(error, address=address_of(temporal), namespace=temporal.namespace) from None
        output = Output(json)
        output.document({"namespace": temporal.namespace, "created": created})
        output.lines([f"created: {', '.join(created)}" if created else "everything is there already"])
        return Exit.DONE

    return connected(work)


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    for command in (check, tools, setup):
        app.command()(command)
