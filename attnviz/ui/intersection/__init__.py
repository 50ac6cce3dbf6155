"""The parts of the Intersection page."""
