"""An analyzed version of a text, and the settings that apply to it."""
