"""Fuzz targets: see README.md in this folder."""
