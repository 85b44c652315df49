"""``confirmo deploy``: which build of the workers new transactions go to."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated

import typer

from confirmo.client.commands.common import Json, connected
from confirmo.client.console import Output
from confirmo.client.deployments import Deployment, Deployments
from confirmo.client.exits import Exit
from confirmo.client.settings import ClientSettings
from confirmo.client.transactions import TransactionClient

app = typer.Typer(
    help="Bring in a new build of the workers, all at once or step by step.", no_args_is_help=True
)

Build = Annotated[
    str, typer.Argument(metavar="BUILD", help="CONFIRMO_BUILD_ID of its workers.", show_default=False)
]
Name = Annotated[
    str | None,
    typer.Option(
        "--deployment",
        metavar="NAME",
        help="What all builds belong to; default CONFIRMO_DEPLOYMENT_NAME, else confirmo.",
    ),
]


@app.command()
def status(deployment: Name = None, json: Json = False) -> int:
    """Show where new transactions go, and which builds still have open ones."""
    return _changed(deployment, json, lambda builds: builds.describe())


@app.command()
def current(build: Build, deployment: Name = None, json: Json = False) -> int:
    """Send all new transactions to a build."""
    return _changed(deployment, json, lambda builds: builds.make_current(build))


@app.command()
def ramp(
    build: Build,
    percent: Annotated[
        float, typer.Option("--percent", min=0, max=100, help="Of the new transactions.", show_default=False)
    ],
    deployment: Name = None,
    json: Json = False,
) -> int:
    """Send a part of the new transactions to a build; the rest go where they went."""
    return _changed(deployment, json, lambda builds: builds.ramp(build, percent))


def _changed(name: str | None, json: bool, change: Callable[[Deployments], Awaitable[Deployment]]) -> int:
    async def work(client: TransactionClient) -> Exit:
        known = await change(Deployments(client.temporal, name or ClientSettings().deployment_name))
        output = Output(json)
        output.document(asdict(known))
        output.lines(_lines(known))
        return Exit.DONE

    return connected(work)


def _lines(known: Deployment) -> list[str]:
    lines = [f"new transactions go to {known.current or 'workers without a build'}"]
    if known.ramping is not None:
        lines.append(f"{known.percent:g} % of them go to {known.ramping}")
    return [*lines, *(f"  {build}  {status}" for build, status in known.builds.items())]
