"""The builds of the workers: which one new transactions go to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.api.enums.v1 import WorkerDeploymentVersionStatus
from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
    SetWorkerDeploymentRampingVersionRequest,
)
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from confirmo.client.connection import address_of, fault
from confirmo.client.errors import BuildNotFound, InvalidRequest

RPC_TIMEOUT = timedelta(seconds=10)
_ENUM = "WORKER_DEPLOYMENT_VERSION_STATUS_"


@dataclass(frozen=True)
class Deployment:
    """Where new transactions go.

    Attributes:
        name: Of all builds together.
        current: Build that new transactions go to, null before there is one: they go to workers without a build then.
        ramping: Build that a part of them goes to, or null.
        percent: That part.
        builds: Status of each build by its id: ``inactive``, ``current``, ``ramping``, ``draining`` (transactions that
            began on it are still open) or ``drained``.
    """

    name: str
    current: str | None
    ramping: str | None
    percent: float
    builds: Mapping[str, str]


class Deployments:
    """The builds of one deployment."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self._name = client, name

    async def describe(self) -> Deployment:
        """Return what goes where. Raises ``BuildNotFound`` where no versioned worker of it was ever seen."""
        request = DescribeWorkerDeploymentRequest(
            namespace=self._client.namespace, deployment_name=self._name
        )
        call = self._client.workflow_service.describe_worker_deployment
        info = (await self._asked(call, request)).worker_deployment_info
        routing = info.routing_config
        return Deployment(
            name=self._name,
            current=routing.current_deployment_version.build_id or None,
            ramping=routing.ramping_deployment_version.build_id or None,
            percent=routing.ramping_version_percentage,
            builds={
                summary.deployment_version.build_id: _word(summary.status)
                for summary in info.version_summaries
            },
        )

    async def make_current(self, build_id: str) -> Deployment:
        """Send all new transactions to a build.

        Raises:
            BuildNotFound: None of its workers has polled.
            InvalidRequest: Temporal refuses, as where the build does not poll a task queue of the one before.
        """
        request = SetWorkerDeploymentCurrentVersionRequest(
            namespace=self._client.namespace,
            deployment_name=self._name,
            build_id=build_id,
            identity=self._client.identity,
        )
        await self._asked(
            self._client.workflow_service.set_worker_deployment_current_version, request, build_id
        )
        return await self.describe()

    async def ramp(self, build_id: str, percent: float) -> Deployment:
        """Send ``percent`` of the new transactions to a build; raises as ``make_current``."""
        request = SetWorkerDeploymentRampingVersionRequest(
            namespace=self._client.namespace,
            deployment_name=self._name,
            build_id=build_id,
            percentage=percent,
            identity=self._client.identity,
        )
        await self._asked(
            self._client.workflow_service.set_worker_deployment_ramping_version, request, build_id
        )
        return await self.describe()

    async def _asked(self, call: Any, request: Any, build_id: str | None = None) -> Any:
        try:
            return await call(request, timeout=RPC_TIMEOUT)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise BuildNotFound(self._nobody(build_id)) from None
            if error.status in (RPCStatusCode.FAILED_PRECONDITION, RPCStatusCode.INVALID_ARGUMENT):
                raise InvalidRequest(f"Temporal refuses: {error.message}.") from None
            raise fault(error, address=address_of(self._client), namespace=self._client.namespace) from None

    def _nobody(self, build_id: str | None) -> str:
        if build_id is None:
            return (
                f"No worker of the deployment {self._name!r} has polled yet: start one with CONFIRMO_BUILD_ID set, "
                "or name another with --deployment."
            )
        return (
            f"No worker of the build {build_id!r} of the deployment {self._name!r} has polled yet: start one with "
            f"CONFIRMO_BUILD_ID={build_id}; confirmo deploy status lists the builds that have."
        )


def _word(status: int) -> str:
    return WorkerDeploymentVersionStatus.Name(status).removeprefix(_ENUM).lower()  # type: ignore[arg-type]
