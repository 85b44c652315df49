"""``confirmo verify``."""

import json as json_module
import os
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confirmo.client.commands.common import Config, Json, quiet_core, with_worker_errors
from confirmo.client.console import Output, note
from confirmo.client.exits import Exit
from confirmo.client.inputs import WrongUse
from confirmo.worker.logs import log_to_stderr

if TYPE_CHECKING:
    from confirmo.worker.verification import Report

_LOUDEST = 60
_WORDS = {"held": "held", "broken": "BROKEN", "not_applicable": "n/a", "not_run": "NOT RUN"}


def verify(
    config: Config,
    tool: Annotated[
        list[str] | None, typer.Option("--tool", metavar="NAME", help="Only this tool; may be repeated.")
    ] = None,
    arguments: Annotated[
        Path | None,
        typer.Option(
            "--arguments", metavar="FILE", help="JSON: arguments by tool, where made up ones do not do."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Try the guarantees on your policies, with simulated tool servers; exits 1 where one does not hold."""
    quiet_core()
    log_to_stderr(_LOUDEST)
    given = _given(arguments)
    from confirmo.worker.app import load_or_fail
    from confirmo.worker.verification import verify as run

    async def work() -> "Report":
        catalog = load_or_fail(config, os.environ)
        unknown = [name for name in [*(tool or ()), *given] if name not in catalog.tools]
        if unknown:
            raise WrongUse(
                f"There is no tool {unknown[0]!r} in {config}: see confirmo tools --config {config}."
            )
        return await run(catalog, given, tool or ())

    return with_worker_errors(work(), lambda report: _tell(report, Output(json)))


def _given(file: Path | None) -> dict[str, dict[str, Any]]:
    if file is None:
        return {}
    try:
        given = json_module.loads(file.read_text(encoding="utf-8"))
    except RecursionError:
        raise WrongUse(f"--arguments {file} cannot be read as JSON: nested too deeply.") from None
    except (OSError, ValueError) as error:
        raise WrongUse(f"--arguments {file} cannot be read as JSON: {error}") from None
    if not isinstance(given, dict) or not all(isinstance(value, dict) for value in given.values()):
        raise WrongUse(
            f'--arguments {file} must be a JSON object such as {{"a_tool": {{"an_argument": "value"}}}}.'
        )
    return given


def _tell(report: "Report", output: Output) -> Exit:
    output.document(report.document())
    for tool, findings in groupby(report.findings, key=lambda finding: finding.tool):
        output.lines([tool])
        output.lines(
            f"  {_WORDS[finding.verdict]:8} {finding.guarantee:18} {finding.what}" for finding in findings
        )
    output.lines(f"{tool}: skipped, {reason}" for tool, reason in report.skipped)
    counts = {word: sum(finding.verdict == word for finding in report.findings) for word in _WORDS}
    output.lines(["", ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in counts.items())])
    if report.ok:
        return Exit.DONE
    note(
        "Not everything held, or could be tried: see the lines above. Nothing was sent to your tool servers."
    )
    return Exit.NOT_SUCCEEDED


def add_to(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(verify)
