"""The facts about releases, one module per subject."""
