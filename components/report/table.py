"""A table of text, and its HTML."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Table(NamedTuple):
    """Cells are plain text. notes are told below."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    @property
    def html(self) -> str:
        heads = "".join(f"<th scope='col'>{escape(head)}</th>" for head in self.heads)
        rows = "".join(f"<tr>{_cells(row)}</tr>" for row in self.rows)
        notes = "".join(f"<p class='note'>{escape(note)}</p>" for note in self.notes)
        return (
            f"<figure class='table'><figcaption>{escape(self.title)}</figcaption>"
            f"<div class='wide'><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f"</div>{notes}</figure>"
        )


def _cells(row: Sequence[str]) -> str:
    """A figure with its interval stays on one line."""
    return "".join(f"<td{_kept(cell)}>{escape(cell)}</td>" for cell in row)


def _kept(cell: str) -> str:
    return " class='figure'" if cell[:1].isdigit() and len(cell) < 24 else ""
