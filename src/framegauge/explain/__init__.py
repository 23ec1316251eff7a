"""For people, on demand: pointers, hints, similar names, excerpts."""
