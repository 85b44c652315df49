"""The reference pages say what the code does: keys and defaults, settings, the splitter, refusing statuses."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from pydantic import BaseModel

from confirmo.activities.tools.failures import REFUSING_STATUSES
from confirmo.client.settings import TokenSettings
from confirmo.policies.argument_text import split_list
from confirmo.policies.catalog import fields as schema_words
from confirmo.policies.catalog import policies_file, servers_file, texts_file, tools_file
from confirmo.policies.catalog.compose import compose
from confirmo.policies.catalog.decode import decode
from confirmo.policies.catalog.problems import Source
from confirmo.policies.catalog.readers import At
from confirmo.policies.checking import CompositionReport
from confirmo.policies.errors import UpdateErrorType
from confirmo.policies.events import EventName
from confirmo.policies.models import ReasonCode, Status, TransactionState
from confirmo.policies.texts import catalogue
from confirmo.policies.tool_spec import (
    AuxiliaryStep,
    Compensation,
    ConfirmationPolicy,
    ExecutionPolicy,
    PreValidationPolicy,
    ServerSpec,
)
from confirmo.worker.settings import Settings

PAGE = "docs/files.md"
ENTRY_ONLY = {key: reader for key, reader in schema_words._ENTRY.items() if key not in schema_words._FIELD}
RECORDS: dict[str, tuple[Mapping[str, Any], Any]] = {
    "A tool": (tools_file._TOOL, tools_file.RawTool),
    "An argument": (schema_words._FIELD, None),
    "A schema of entries": (ENTRY_ONLY, None),
    "execution_policy": (tools_file._EXECUTION_POLICY, None),
    "cache": (tools_file._CACHE, None),
    "The policies file": (policies_file._FILE, None),
    "A policy": (policies_file._POLICY, None),
    "pre_validation": (policies_file._PRE_VALIDATION, PreValidationPolicy),
    "confirmation": (policies_file._CONFIRMATION, ConfirmationPolicy),
    "execution": (policies_file._EXECUTION, ExecutionPolicy),
    "A step of after": (policies_file._STEP, AuxiliaryStep),
    "compensate": (policies_file._COMPENSATE, Compensation),
    "A server": (servers_file._SERVER, ServerSpec),
}


def defaults_of(model: Any) -> dict[str, Any]:
    """Field to its default; ``MISSING`` where it has none."""
    if issubclass(model, BaseModel):
        return {
            name: MISSING if info.is_required() else info.get_default()
            for name, info in model.model_fields.items()
        }
    return {
        each.name: each.default_factory() if each.default_factory is not MISSING else each.default
        for each in fields(model)
    }


def written(value: Any) -> str:
    """A default as the page writes it."""
    if value is MISSING:
        return "required"
    if value is None:
        return "—"
    if value == "":
        return '`""`'
    if isinstance(value, Enum | str):
        return f"`{value}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, float | int):
        return f"`{value:g}`"
    return "`{}`" if isinstance(value, Mapping) else f"`{list(value)}`"


@pytest.mark.parametrize("heading", RECORDS)
def test_the_page_lists_the_keys_that_the_loader_reads(heading: str, tables: Any) -> None:
    readers, _ = RECORDS[heading]
    assert sorted(row[0].strip("`") for row in tables(PAGE, heading)) == sorted(readers)


LEFT_TO_THE_LOADER = {
    ("A tool", "mcp_server"): "required",
    ("A tool", "args_schema"): "—",
    ("A tool", "execution_policy"): "—",
    ("A tool", "selection_keywords"): "`[]`",
    ("A tool", "response"): "—",
    ("execution", "workflow"): "—",
    ("execution", "version"): "—",
}
"""Defaults that no model holds."""


@pytest.mark.parametrize("heading", [heading for heading, (_, model) in RECORDS.items() if model])
def test_the_page_gives_the_defaults_of_the_models(heading: str, tables: Any) -> None:
    readers, model = RECORDS[heading]
    defaults = defaults_of(model)
    expected = {key: LEFT_TO_THE_LOADER.get((heading, key)) or written(defaults[key]) for key in readers}
    assert {row[0].strip("`"): row[1] for row in tables(PAGE, heading)} == expected


def test_the_page_gives_the_settings_of_the_worker(tables: Any) -> None:
    rows = {row[0].strip("`"): row[1] for row in tables("docs/operations.md", "Settings")}
    assert rows.keys() == {f"CONFIRMO_{name.upper()}" for name in Settings.model_fields}
    for name, info in Settings.model_fields.items():
        if info.default is not None:
            assert rows[f"CONFIRMO_{name.upper()}"] == written(info.default), name


def test_the_page_gives_the_settings_of_tokens(tables: Any) -> None:
    rows = {row[0].strip("`"): row[1] for row in tables("docs/who-may-confirm.md", "Settings of tokens")}
    assert rows == {
        f"CONFIRMO_OIDC_{name.upper()}": written(info.default)
        for name, info in TokenSettings.model_fields.items()
    }


def test_the_splitter_does_what_its_table_says(tables: Any) -> None:
    rows = tables("docs/arguments.md", "The splitter")
    assert len(rows) >= 5
    for text, parts in rows:
        assert split_list(text.strip("`")) == re.findall(r"`([^`]+)`", parts), text


def test_the_refusing_statuses_are_those_of_the_code(pages: dict[str, str]) -> None:
    (listed,) = re.findall(r"a refusing status \(([^)]+)\)", pages["docs/what-can-happen-to-an-item.md"])
    spans = (part.strip().split("–") for part in listed.split(","))
    named = {status for span in spans for status in range(int(span[0]), int(span[-1]) + 1)}
    assert named == REFUSING_STATUSES


def test_the_contract_names_every_field_of_the_state(pages: dict[str, str]) -> None:
    section = pages["docs/contract.md"].split("### TransactionState")[1].split("###")[0]
    assert [name for name in TransactionState.model_fields if f"`{name}`" not in section] == []


def test_the_page_of_outcomes_says_what_to_do_for_every_reason_code(pages: dict[str, str]) -> None:
    looked_up = pages["docs/what-can-happen-to-an-item.md"].split("## Look it up")[1].split("\n## ")[0]
    assert [code for code in ReasonCode if f"`{code.value}`" not in looked_up] == []


def test_the_picture_shows_every_status(root: Path) -> None:
    picture = (root / "docs/images/states.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"\b[A-Z][A-Z_]{5,}\b", picture)) == {status.value for status in Status}


def test_the_contract_lists_the_reason_codes_events_and_update_errors_of_the_code(
    pages: dict[str, str],
) -> None:
    contract = pages["docs/contract.md"]
    (codes,) = re.findall(r"^- `reason_code`: (.*)$", contract, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", codes)) == {code.value for code in ReasonCode}
    section = contract.split("## 7. Events")[1].split("Each is")[0]
    assert {f"IC.TRANSACTION_{name}" for name in re.findall(r"`([A-Z_]+)`", section)} == {
        event.value for event in EventName
    }
    assert [error for error in UpdateErrorType if f"`{error.value}`" not in contract] == []


def test_the_page_of_texts_lists_every_key_with_its_placeholders(tables: Any) -> None:
    rows = {
        row[0].strip("`"): (set(re.findall(r"\{(\w+)\}", row[1])), row[2])
        for row in tables("docs/texts.md", "The keys")
    }
    built_in = catalogue("pt-BR")
    assert rows.keys() == built_in.keys() - texts_file.NOT_REPLACED
    for key, (named, sentence) in rows.items():
        assert named == {name for _, name, _, _ in Formatter().parse(built_in[key]) if name}
        assert sentence == built_in[key].strip()


def test_the_page_of_texts_lists_every_finding(tables: Any) -> None:
    findings = [name for name in CompositionReport.model_fields if name != "ok"]
    assert [row[0].strip("`") for row in tables("docs/texts.md", "When a model words the answer")] == findings


def test_the_texts_that_the_page_shows_load(pages: dict[str, str]) -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", pages["docs/texts.md"], re.DOTALL)
    source = Source("texts.pt-BR.yaml")
    read = texts_file.read_overrides(compose(decode(shown.encode()), source), At(source), "pt-BR")
    assert source.errors == []
    assert read.operation_nouns == (("trocar_plano", "a troca de plano"),)
