"""The playground: the server's Python in a browser."""
