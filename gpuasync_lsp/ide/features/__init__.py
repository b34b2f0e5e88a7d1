"""What editors ask for, one file a method."""
