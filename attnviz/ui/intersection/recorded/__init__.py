"""The Intersection page with scenes that were read from a file."""
