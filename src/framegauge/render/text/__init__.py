"""Results for people, on a terminal or in a log."""
