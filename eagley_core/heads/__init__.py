"""EAGLE heads: their settings and layers, and the layouts in which they are stored."""
