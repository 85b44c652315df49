"""An episode as a person reads it, in the product's own pt-BR."""

from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from confirmo.client.demonstration.playing import Episode
from confirmo.policies.texts import clean_text, one_line

_STYLES = {"SUCCEEDED": "green", "FAILED": "red", "UNKNOWN": "yellow"}


def episode_view(number: int, episode: Episode) -> RenderableType:
    """Return what was said, asked, executed and proved."""
    parts: list[RenderableType] = [
        Text(f"\n{number}. {episode.scenario.title}", style="bold cyan"),
        Text(f"Pessoa: {episode.scenario.said}"),
    ]
    if episode.asked.question:
        parts += [_panel("Pergunta", episode.asked.question), Text("Pessoa: sim")]
    if episode.evidence:
        parts += [Text(f"Executado: {_executed(episode)}"), _evidence(episode.evidence)]
    else:
        parts.append(Text("Executado: nada"))
    parts.append(_panel("Resposta", episode.result.message))
    ok = not episode.problems
    verdict = "✓ como esperado" if ok else f"✗ {'; '.join(episode.problems)}"
    status = f"{episode.result.transaction_status.value} {episode.result.multi_item_status or ''}".strip()
    return Group(*parts, Text(f"{status} · {verdict}", style="green" if ok else "bold red"))


def _executed(episode: Episode) -> str:
    effects = [f"{effect['tool']}({effect['item']})" for effect in episode.effects]
    return one_line(", ".join(effects) or "nenhum efeito")


def _evidence(entries: list[dict[str, Any]]) -> Table:
    table = Table(title="Evidência", title_justify="left", box=None, pad_edge=False)
    for column in ("item", "resultado", "protocolo ou motivo"):
        table.add_column(column, overflow="fold")
    for entry in entries:
        outcome = str(entry.get("outcome"))
        name = entry.get("subject") or entry.get("item_id") or entry.get("order_id") or ""
        fact = entry.get("protocol") or entry.get("reason") or ""
        table.add_row(_text(name), Text(outcome, style=_STYLES.get(outcome, "")), _text(fact))
    return table


def _panel(title: str, text: str) -> Panel:
    return Panel(Text(clean_text(text)), title=title, title_align="left")


def _text(value: Any) -> Text:
    return Text(one_line(str(value)))
