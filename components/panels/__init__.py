"""One part of the page per file: what it lays out, and what it shows for a selection."""
