"""One analysed version of a text, and the settings that hold for it."""
