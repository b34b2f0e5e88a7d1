"""What somebody hostile tries: files, settings, folders, messages and connections made to do harm."""
