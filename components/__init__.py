"""The page: figures, panels and small browser components over recorded facts."""
