"""Settings of a program run, and its results at the lines of the source."""
