"""Attacks: files, settings, folders, messages and connections made to do harm."""
