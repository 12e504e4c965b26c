"""Results of bench side by side: paired ratios, by category, and the machine's drift."""

from collections.abc import Callable, Sequence
from statistics import median

import plotly.graph_objects as go

from components import theme
from components.report.result import Result, interval, is_peer, pair_label

MARKS = (  # colour role and symbol, one per result
    ("draft", "circle"),
    ("bonus", "diamond"),
    ("recycled", "square"),
    ("suffix", "cross"),
    ("ngram", "triangle-up"),
    ("stale", "x"),
)
Found = dict | None
"""A median with the bounds of its interval."""


def mark(index: int) -> tuple[str, str]:
    role, symbol = MARKS[index % len(MARKS)]
    return theme.colour(role), symbol


def pairs(results: Sequence[Result]) -> list[str]:
    """Every pair that some result compares, in the first one's order."""
    return list(dict.fromkeys(pair for result in results for pair in result.document["speedup"]))


def paired(results: Sequence[Result]) -> go.Figure:
    """Pair × ratio: the median with its interval, and every prompt behind it.

    Of comparisons with other programs only EAGLEY's and vanilla's are drawn: a table has all.
    """
    names = [pair for pair in pairs(results) if _is_drawn(results, pair)]
    labels = {name: pair_label(name, _first(results, name)) for name in names}
    figure = _rows_of_marks(
        results,
        [labels[name] for name in names],
        lambda result: [result.document["speedup"].get(name) for name in names],
    )
    for index, result in enumerate(results):
        figure.add_trace(_prompts(result, index, labels))
    told = [f"{labels[n]} {interval(r.document['speedup'].get(n))}" for r in results for n in names]
    return _laid_out(figure, len(names), "Speed ratios per prompt: ", told)


def _is_drawn(results: Sequence[Result], pair: str) -> bool:
    ours, _, base = pair.rpartition("_vs_")
    return ours in ("eagley", "vanilla") or not is_peer(_first(results, pair), base)


def _first(results: Sequence[Result], pair: str) -> Result:
    return next(result for result in results if pair in result.document["speedup"])


def _prompts(result: Result, index: int, labels: dict[str, str]) -> go.Scatter:
    points = [(ratio, labels[pair]) for pair in labels for ratio in result.ratios(pair)]
    return go.Scatter(
        x=[ratio for ratio, _ in points],
        y=[name for _, name in points],
        mode="markers",
        name=f"{result.name}, every prompt",
        offsetgroup=result.name,
        orientation="h",
        showlegend=False,
        marker={"size": 4, "opacity": 0.25, "color": mark(index)[0]},
        hovertemplate="%{y}<br>%{x:.2f}<extra>one prompt</extra>",
    )


def by_category(results: Sequence[Result], pair: str) -> go.Figure:
    """Category × ratio of one pair."""
    parts = [result.document["by_category"] for result in results]
    names = sorted({name for part in parts for name in part})
    figure = _rows_of_marks(
        results,
        [name or "all" for name in names],
        lambda result: [
            result.document["by_category"].get(name, {}).get("speedup", {}).get(pair)
            for name in names
        ],
    )
    told = [
        f"{name or 'all'} {interval(part[name]['speedup'].get(pair))}"
        for part in parts
        for name in names
        if name in part
    ]
    about = f"{pair_label(pair)} by category: "
    return _laid_out(figure, len(names), about, told)


def _rows_of_marks(
    results: Sequence[Result], labels: Sequence[str], found: Callable[[Result], list[Found]]
) -> go.Figure:
    figure = go.Figure()
    for index, result in enumerate(results):
        known = [
            (name, i)
            for name, i in zip(labels, found(result), strict=True)
            if i and i["median"] is not None
        ]
        figure.add_trace(_marks(result, index, known))
    return figure


def _marks(result: Result, index: int, known: list[tuple[str, dict]]) -> go.Scatter:
    colour, symbol = mark(index)
    return go.Scatter(
        x=[i["median"] for _, i in known],
        y=[name for name, _ in known],
        mode="markers",
        name=result.name,
        offsetgroup=result.name,
        orientation="h",
        marker={"size": 9, "symbol": symbol, "color": colour},
        error_x={
            "array": [i["high"] - i["median"] for _, i in known],
            "arrayminus": [i["median"] - i["low"] for _, i in known],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        customdata=[[i["low"], i["high"]] for _, i in known],
        hovertemplate="%{y}<br>%{x:.3f} (%{customdata[0]:.3f} to %{customdata[1]:.3f})",
    )


def _laid_out(figure: go.Figure, n_rows: int, about: str, told: list[str]) -> go.Figure:
    height = 130 + (18 + 10 * sum(bool(trace.error_x.array) for trace in figure.data)) * n_rows
    layout = theme.layout(about + (", ".join(told) or "nothing") + ".", height=height)
    layout["xaxis"] = theme.axis("ratio of speeds, per prompt")
    layout["yaxis"] = theme.axis(showgrid=False, autorange="reversed", automargin=True)
    layout["scattermode"], layout["scattergap"] = "group", 0.4
    line = {"color": theme.colour("muted"), "width": 1, "dash": "dot"}
    layout["shapes"] = [
        {"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "yref": "paper", "line": line}
    ]
    return figure.update_layout(layout)


def drift(results: Sequence[Result]) -> go.Figure:
    """Minutes × vanilla's speed, run by run, with the medians of the first and last third."""
    figure, told = go.Figure(), []
    for index, result in enumerate(results):
        points = _speeds(result)
        if points:
            figure.add_trace(_runs(result, index, points))
            figure.add_trace(_thirds(index, points))
            found = (result.document.get("drift") or {}).get("ratio")
            told.append(f"{result.name}, last third over first {interval(found)}")
    alt = f"Vanilla's speed by time: {'; '.join(told) or 'not recorded'}."
    layout = theme.layout(alt, height=300)
    layout["xaxis"] = theme.axis("minutes since the first run")
    layout["yaxis"] = theme.axis("vanilla, tokens/s", rangemode="tozero")
    return figure.update_layout(layout)


def _speeds(result: Result) -> list[tuple[float, float]]:
    """When each of vanilla's runs began, and how fast it was."""
    rows = [row for row in result.rows("vanilla") if row.get("at") is not None]
    begun = min((row["at"] for row in rows), default=0.0)
    known = [
        ((row["at"] - begun) / 60, row["decode_tokens_per_second"])
        for row in rows
        if row["decode_tokens_per_second"]
    ]
    return sorted(known)


def _runs(result: Result, index: int, points: list[tuple[float, float]]) -> go.Scatter:
    colour, symbol = mark(index)
    return go.Scatter(
        x=[at for at, _ in points],
        y=[speed for _, speed in points],
        mode="markers",
        name=result.name,
        marker={"size": 6, "symbol": symbol, "color": colour, "opacity": 0.6},
        hovertemplate="%{x:.1f} min<br>%{y:.1f} tokens/s",
    )


def _thirds(index: int, points: list[tuple[float, float]]) -> go.Scatter:
    third = max(1, len(points) // 3)
    x: list[float | None] = []
    y: list[float | None] = []
    for part in (points[:third], points[-third:]):
        x += [part[0][0], part[-1][0], None]
        y += [median(speed for _, speed in part)] * 2 + [None]
    line = {"color": mark(index)[0], "width": 2}
    return go.Scatter(x=x, y=y, mode="lines", line=line, showlegend=False, hoverinfo="skip")
