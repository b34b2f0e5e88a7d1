"""RUN lines of lit tests: what they say, running them without a shell, and writing their CHECK lines."""
