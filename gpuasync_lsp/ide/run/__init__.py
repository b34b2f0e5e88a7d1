"""Settings of a run, and its results in the text."""
