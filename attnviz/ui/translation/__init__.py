"""The parts of the Translation page."""
