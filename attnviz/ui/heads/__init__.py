"""The parts of the Heads page."""
