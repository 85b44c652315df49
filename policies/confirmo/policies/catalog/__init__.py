"""The three configuration files to one frozen catalogue, or to all their errors at once."""

from confirmo.policies.catalog.loader import LoadedCatalog, load_catalog, load_texts
from confirmo.policies.catalog.problems import Problem
from confirmo.policies.catalog.report import check_report

__all__ = ["LoadedCatalog", "Problem", "check_report", "load_catalog", "load_texts"]
