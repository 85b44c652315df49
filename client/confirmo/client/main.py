"""The command line's entry point: ``confirmo``."""

import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

from confirmo.client.commands import build_app
from confirmo.client.console import flush, note
from confirmo.client.errors import ConfirmoError
from confirmo.client.exits import Exit, of_error
from confirmo.client.inputs import WrongUse
from confirmo.policies.masking import masked
from confirmo.policies.texts import one_line

INTERRUPTED = 130
BUG = 70
_USAGE_ERROR = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "UsageError")
"""Typer brings its own click; which one is its business."""


def main() -> None:
    """Run the command line and end the process.

    The interpreter is not torn down: Temporal's threads abort short-lived processes now and then while it is
    (https://github.com/temporalio/sdk-python/issues/300).
    """
    code = run(sys.argv[1:])
    flush()
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; whatever goes wrong is one sentence on standard error."""
    try:
        code: Any = build_app()(args=list(arguments), prog_name="confirmo", standalone_mode=False)
    except ConfirmoError as error:
        note(str(error))
        return of_error(error)
    except WrongUse as error:
        note(str(error))
        return Exit.WRONG_USE
    except (KeyboardInterrupt, typer.Abort, asyncio.CancelledError):
        return INTERRUPTED
    except BrokenPipeError:
        return Exit.DONE
    except Exception as error:
        return _unexpected(error)
    return int(code or 0)


def _unexpected(error: Exception) -> int:
    if isinstance(error, _USAGE_ERROR):
        return _usage(error)
    note(
        f"This is a bug ({type(error).__name__}: {one_line(masked(str(error)), 300)}): please report it with this line."
    )
    return BUG


def _usage(error: Any) -> int:
    path = error.ctx.command_path if getattr(error, "ctx", None) else "confirmo"
    message = one_line(error.format_message())
    if not message:
        note(f"Name a command: {path} --help lists them.")
        return Exit.WRONG_USE
    note(f"{message.rstrip('.')}. See {path} --help.")
    return Exit.WRONG_USE


if __name__ == "__main__":
    main()
