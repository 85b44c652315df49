"""The configuration files to one frozen ``Catalog``, or to everything that is wrong with them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from confirmo.policies.catalog.advice import advise
from confirmo.policies.catalog.after import read_compensation, read_steps
from confirmo.policies.catalog.compose import compose
from confirmo.policies.catalog.crosscheck import House, check
from confirmo.policies.catalog.decode import MAX_BYTES, decode
from confirmo.policies.catalog.nodes import Node
from confirmo.policies.catalog.policies_file import RawPolicies, read_policies
from confirmo.policies.catalog.problems import Problem, Source, TextsError, UnreadableError
from confirmo.policies.catalog.readers import At, nearest
from confirmo.policies.catalog.resolve import gather, resolve, versioned
from confirmo.policies.catalog.servers_file import read_servers
from confirmo.policies.catalog.texts_file import TEXTS_FILES, is_texts_file, read_overrides
from confirmo.policies.catalog.tools_file import RawTool, read_tools
from confirmo.policies.tool_spec import Catalog, ServerSpec, TextOverrides, ToolSpec

TOOLS, POLICIES, SERVERS = "tools.yaml", "tool_policies.yaml", "mcp_servers.yaml"

T = TypeVar("T")


@dataclass(frozen=True)
class LoadedCatalog:
    """What became of the files.

    Attributes:
        catalog: The catalogue, or null where there is an error.
        errors: Everything that refuses the files, file by file and line by line.
        warnings: What is safe and may not have been meant.
    """

    catalog: Catalog | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def load_catalog(directory: Path, environ: Mapping[str, str]) -> LoadedCatalog:
    """Load ``tools.yaml``, ``tool_policies.yaml``, ``mcp_servers.yaml`` and the files of texts from a directory.

    Args:
        directory: Where they are. That it is missing is an error among the others.
        environ: Where ``${NAME}`` in ``mcp_servers.yaml`` is read from.
    """
    if not os.path.isdir(directory):
        shown = directory.name or str(directory)
        message = "This is not a directory. Give the one that holds tools.yaml."
        return LoadedCatalog(None, (Problem(shown, None, None, message),))
    files = {name: _bytes(directory / name) for name in (TOOLS, POLICIES, SERVERS)}
    return _load(files | _text_files(directory), environ)


def load_overrides(directory: Path) -> dict[str, TextOverrides]:
    """Load only the files of texts, for who talks with people and has no tool servers: overrides by locale.

    Raises:
        TextsError: With every problem.
    """
    sources: list[Source] = []
    found = _overrides(_text_files(directory), sources)
    errors = tuple(problem for source in sources for problem in source.listed_errors())
    if not os.path.isdir(directory):
        errors = (Problem(directory.name or str(directory), None, None, "This is not a directory."),)
    if errors:
        raise TextsError(errors)
    return found


def load_texts(texts: Mapping[str, bytes | None], environ: Mapping[str, str]) -> LoadedCatalog:
    """Load the same from memory.

    Args:
        texts: File name to its bytes; null or absent means that there is no such file.
        environ: As for ``load_catalog``.
    """
    files: dict[str, bytes | UnreadableError | None] = {
        name: texts.get(name) for name in (TOOLS, POLICIES, SERVERS)
    }
    return _load(files | {name: data for name, data in texts.items() if is_texts_file(name)}, environ)


def _text_files(directory: Path) -> dict[str, bytes | UnreadableError | None]:
    try:
        names = sorted(name for name in os.listdir(directory) if is_texts_file(name))
    except OSError:
        return {}
    return {name: _bytes(directory / name) if name in TEXTS_FILES else None for name in names}


def _bytes(path: Path) -> bytes | UnreadableError | None:
    try:
        if path.is_file():
            with path.open("rb") as file:
                return file.read(MAX_BYTES + 1)
        if path.exists() or path.is_symlink():
            return UnreadableError(None, "This is not a file. Put a file here.")
        other = path.with_suffix(".yml")
        if other.exists():
            return UnreadableError(None, f"The file is missing, and there is a {other.name}. Rename it.")
    except OSError as error:
        return UnreadableError(None, f"The file cannot be read ({error.strerror}). Check its permissions.")
    return None


_Files = Mapping[str, "bytes | UnreadableError | None"]


def _load(files: _Files, environ: Mapping[str, str]) -> LoadedCatalog:
    sources = [Source(TOOLS), Source(POLICIES), Source(SERVERS, shows_values=False)]
    tools_source, policies_source, servers_source = sources
    tools = _read(files[TOOLS], tools_source, read_tools)
    servers = _read(files[SERVERS], servers_source, lambda root, at: read_servers(root, at, environ))
    if files[POLICIES] is None:
        message = "The file is missing: every tool takes the defaults, and nothing is validated beforehand."
        policies_source.warn((), message)
    policies = _read(files[POLICIES], policies_source, read_policies)
    _report_missing(files, tools_source, servers_source)
    specs = _put_together(tools or {}, policies, servers, tools_source, policies_source)
    texts = _overrides(files, sources)
    errors = tuple(problem for source in sources for problem in source.listed_errors())
    warnings = tuple(problem for source in sources for problem in source.warnings)
    catalog = None if errors else Catalog(tools=specs, servers=dict(servers or {}), texts=texts)
    return LoadedCatalog(catalog, errors, warnings)


def _overrides(files: _Files, sources: list[Source]) -> dict[str, TextOverrides]:
    """Read every file of texts; its source is added to ``sources``."""
    found: dict[str, TextOverrides] = {}
    for name in sorted(name for name in files if is_texts_file(name)):
        source = Source(name)
        sources.append(source)
        locale = TEXTS_FILES.get(name)
        if locale is None:
            source.error(
                (),
                f"There are texts for no such locale, or the name is spelled otherwise. {nearest(name, TEXTS_FILES)}",
            )
            continue
        read = _read(files[name], source, partial(read_overrides, locale=locale))
        if read is not None:
            found[locale] = read
    return found


def _read(data: bytes | UnreadableError | None, source: Source, reader: Callable[[Node, At], T]) -> T | None:
    if data is None:
        return None
    try:
        if isinstance(data, UnreadableError):
            raise data
        return reader(compose(decode(data), source), At(source))
    except UnreadableError as error:
        source.error((), error.message, error.line)
        return None


def _report_missing(files: _Files, tools_source: Source, servers_source: Source) -> None:
    if files[TOOLS] is None:
        tools_source.error((), "The file is missing. Declare the tools in it.")
    if files[SERVERS] is None:
        servers_source.error((), "The file is missing. Declare the tool servers in it.")


def _put_together(
    tools: Mapping[str, RawTool],
    policies: RawPolicies | None,
    servers: Mapping[str, ServerSpec] | None,
    tools_source: Source,
    policies_source: Source,
) -> dict[str, ToolSpec]:
    stated = gather(tools, policies or RawPolicies())
    specs = {name: resolve(each) for name, each in stated.items()}
    house = House(stated, specs, policies or RawPolicies(), servers, tools_source, policies_source)
    if tools:
        check(house)
    if not policies_source.errors:
        advise(house)
    return {name: _finished(name, house) for name in specs}


def _finished(name: str, house: House) -> ToolSpec:
    steps = house.stated[name].policy.after or ()
    after = read_steps(name, steps, house.origin(name, "after"), house.policies_source, house.tools)
    undo = house.stated[name].policy.compensate
    origin = house.origin(name, "compensate")
    compensate = undo and read_compensation(name, undo, origin, house.policies_source, house.tools)
    return versioned(house.tools[name].model_copy(update={"after": after, "compensate": compensate}))
