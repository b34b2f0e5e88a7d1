"""Edits that repair what rules find."""
