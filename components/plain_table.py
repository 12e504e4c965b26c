"""A table as the browser takes it."""

from typing import Any

import pandas as pd


def plain_table(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """{"columns", "rows"} as JSON; what is missing is null."""
    rows = frame.astype(object).where(frame.notna(), None)
    return {"columns": [str(name) for name in frame.columns], "rows": rows.to_numpy().tolist()}
