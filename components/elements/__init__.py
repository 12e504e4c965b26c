"""What is drawn by a script of its own: one class per file, its script and rules in `assets/`."""
