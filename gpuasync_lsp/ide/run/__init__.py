"""What a run takes from the settings, and what it leaves in the text."""
