"""All commands under one name."""

import typer

from confirmo.client.commands import (
    changing,
    chat,
    configuring,
    deciding,
    demo,
    deploying,
    encrypting,
    evidence,
    history,
    looking,
    mcp,
    redriving,
    schema,
    serving,
    starting,
    verifying,
)


def build_app() -> typer.Typer:
    """Return the ``confirmo`` application."""
    app = typer.Typer(
        name="confirmo",
        help="Confirmed, itemised and idempotent tool calls of agents, on Temporal.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for module in (
        demo,
        chat,
        serving,
        configuring,
        schema,
        starting,
        deciding,
        changing,
        looking,
        redriving,
        mcp,
        verifying,
        encrypting,
    ):
        module.add_to(app)
    app.add_typer(history.app, name="history")
    app.add_typer(deploying.app, name="deploy")
    app.add_typer(encrypting.keys, name="keys")
    app.add_typer(evidence.app, name="evidence")
    return app
