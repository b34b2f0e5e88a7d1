"""The preview of the lowered code, next to the source."""
