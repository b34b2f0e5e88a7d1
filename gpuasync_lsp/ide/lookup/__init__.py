"""What is at a place of a text: words, mentions, names, symbols, and what is known of ops."""
