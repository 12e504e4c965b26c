"""Training of an EAGLE-3 head from conversations of the target with itself."""
