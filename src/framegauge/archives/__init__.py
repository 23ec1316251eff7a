"""Recorded traffic: formats of logs and captures, read into windows of lines or records."""
