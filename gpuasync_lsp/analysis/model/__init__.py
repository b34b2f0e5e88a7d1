"""What a function does with tokens: built, run abstractly, and what is wrong on which path."""
