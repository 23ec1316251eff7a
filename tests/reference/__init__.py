"""A slow and obvious implementation of docs/facts.md, to compare the native one with."""
