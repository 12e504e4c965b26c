"""One figure per file: a trace in, a Plotly figure out."""
