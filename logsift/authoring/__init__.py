"""For those who write content: the linter, the generated references, what becomes of one line."""
