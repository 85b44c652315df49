"""The configuration files to one frozen catalogue, or to all their errors at once."""

from confirmo.policies.catalog.loader import LoadedCatalog, load_catalog, load_overrides, load_texts
from confirmo.policies.catalog.problems import Problem, TextsError
from confirmo.policies.catalog.report import check_report

__all__ = [
    "LoadedCatalog",
    "Problem",
    "TextsError",
    "check_report",
    "load_catalog",
    "load_overrides",
    "load_texts",
]
