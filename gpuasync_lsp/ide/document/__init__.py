"""An analyzed version of a document, and the settings that apply to it."""
