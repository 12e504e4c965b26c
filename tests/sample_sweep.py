"""The result of a sweep, made by hand."""


def interval(median):
    return {"median": median, "low": None if median is None else median - 0.1, "high": median}


def sample_sweep(temperatures=(0.0, 1.0)) -> dict:
    """Two sizes × temperatures; the figure of a place tells where it is."""
    points = [
        {
            "at": {"tree.total": total, "temperature": heat},
            "methods": {
                name: {"intervals": {"mean_accepted_length": interval(total + heat + bonus)}}
                for name, bonus in (("eagle", 0.0), ("eagley", 0.5))
            },
            "speedup": {"eagle_vs_vanilla": interval(heat), "eagley_vs_eagle": interval(None)},
        }
        for total in (4, 8)
        for heat in temperatures
    ]
    axes = {"tree.total": [4, 8], "temperature": list(temperatures)}
    return {"format": "eagley-sweep", "axes": axes, "points": points, "rows": []}
