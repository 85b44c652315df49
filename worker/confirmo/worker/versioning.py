"""Worker versioning: a worker that says which build it is, so that a new build can be brought in step by step."""

from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.worker import WorkerDeploymentConfig

from confirmo.policies.tool_spec import Catalog
from confirmo.policies.versioning import behaviour_of
from confirmo.worker.settings import Settings

_BEHAVIOURS = {"pinned": VersioningBehavior.PINNED, "auto_upgrade": VersioningBehavior.AUTO_UPGRADE}


def deployment_of(settings: Settings, catalog: Catalog) -> WorkerDeploymentConfig | None:
    """Return how the worker is versioned; null where it has no build id."""
    if settings.build_id is None:
        return None
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(settings.deployment_name, settings.build_id),
        use_worker_versioning=True,
        default_versioning_behavior=_BEHAVIOURS[behaviour_of(catalog, settings.versioning)],
    )
