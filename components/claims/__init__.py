"""The seed's statements, each held against what was measured."""
